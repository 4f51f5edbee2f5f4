"""Why a gradient is None: what was asked, how the tape answered, and where the way ends."""
