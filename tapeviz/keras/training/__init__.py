"""Training: what ``compile``, ``fit``, ``evaluate`` and ``predict`` of a model are made of."""
