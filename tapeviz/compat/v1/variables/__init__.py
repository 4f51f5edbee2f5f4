"""Variables of graphs: made, found again, read, assigned."""
