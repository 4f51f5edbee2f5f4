"""Control flow as eager functions, the order of effects, calls of Python, and printing."""
