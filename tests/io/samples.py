"""Records of all sorts: none, short, of every length around the places where checksums change their way, long."""

from pathlib import Path

import numpy as np

STORED = Path(__file__).with_name("records.npz")
KINDS = ("", "GZIP", "ZLIB")
_BYTES = np.random.default_rng(3).integers(0, 256, 20_000, dtype=np.uint8).tobytes()
RECORDS = [b"", b"one", "zwölf".encode(), *(_BYTES[:length] for length in (1, 4, 767, 1199, 1200, 1201, 2048, 20_000))]
