"""Labels and frames for ``ctc_loss``: repeated labels, fewer labels and frames than there is room for, and none."""

from pathlib import Path

import numpy as np

STORED = Path(__file__).with_name("ctc_answers.npz")
FRAMES, EXAMPLES, CLASSES, LABELS = 7, 6, 5, 3
RNG = np.random.default_rng(0)
LOGITS = 2.0 * RNG.normal(size=(FRAMES, EXAMPLES, CLASSES))
# Classes from 1 on, so that the first may be blank.
TARGETS = RNG.integers(1, CLASSES, (EXAMPLES, LABELS))
TARGETS[0], TARGETS[4] = 2, (3, 3, 1)
TARGET_LENGTHS = np.array([3, 2, 0, 3, 3, 1])
FRAME_LENGTHS = np.array([7, 5, 4, 5, 4, 7])
