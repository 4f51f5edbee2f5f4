"""The graph: nodes, tensors between them, and what is known of both while it is built."""
