"""Passes: what is done to a graph's nodes before they run. Each gives the same results with fewer or faster steps."""
