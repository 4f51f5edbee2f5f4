"""NaN and infinity: where they begin, why, and how far they spread."""
