"""The filter: from a line of text to the events and tensors that it means."""
