"""Write random programs, run each in all ways, and print those that differ, shrunk.

python -m tests.fuzz --seed 0 --count 1000     the programs of these seeds
python -m tests.fuzz --seed 5000 --minutes 10  from this seed on, for so long; says where to go on
python -m tests.fuzz --print 17                the program of a seed
python -m tests.fuzz --surface random          programs that draw numbers, which have seeds of their own
python -m tests.fuzz --count 20000 --keep .fuzz    in stretches over all cores; the same again goes on after a stop
python -m tests.fuzz.coverage .fuzz/*.json     write what was reached to docs/fuzzing.md
"""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path

os.environ.setdefault("TAPEVIZ_DEVICE", "cpu")


def main() -> int:
    """Do what the command line says; the exit status is 1 where a program differs."""
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__.splitlines()[0])
    parser.add_argument("--seed", type=int, default=0, help="the first seed")
    parser.add_argument("--count", type=int, default=0, help="how many programs (default: 1000, or as time allows)")
    parser.add_argument("--minutes", type=float, default=0.0, help="begin no further program after so long")
    parser.add_argument("--shrink", type=float, default=20.0, help="seconds to shrink each new kind of fault")
    parser.add_argument("--print", type=int, default=None, metavar="SEED", help="print the program of a seed")
    parser.add_argument("--numbers", type=Path, metavar="FILE", help="keep what was reached, for tests.fuzz.coverage")
    parser.add_argument("--keep", type=Path, metavar="FOLDER", help="run stretches of seeds that it does not have yet")
    parser.add_argument("--processes", type=int, default=0, help="with --keep: how many at once (default: one a core)")
    parser.add_argument("--earlier", action="store_true", help="with --keep: what other versions ran counts as run")
    parser.add_argument("--surface", choices=("whole", "random"), default="whole", help="random: programs that draw")
    chosen = parser.parse_args()
    if chosen.print is not None:
        from tests.fuzz.campaign import SURFACES

        print(SURFACES[chosen.surface][0](chosen.print)[0].source())
        return 0
    if chosen.keep and chosen.surface != "whole":
        parser.error("--keep is for the whole surface")
    return _stretches(chosen) if chosen.keep else _one_by_one(chosen)


def _stretches(chosen: argparse.Namespace) -> int:
    from tests.fuzz.coverage import added, summary
    from tests.fuzz.stretches import run_stretches, version

    paths, faults = run_stretches(
        chosen.seed, chosen.seed + (chosen.count or 1000), chosen.keep, processes=chosen.processes,
        shrinking=chosen.shrink, wanted=None if chosen.earlier else version(),
        tell=lambda text: print(f"{'-' * 100}\n{text}", flush=True),
    )  # fmt: skip
    tally = added(paths)
    tally.next_seed = chosen.seed + (chosen.count or 1000)
    print(summary(tally))
    print(f"{len(faults)} faults.")
    return bool(faults) or tally.traced < tally.programs / 2 or tally.compiled < tally.programs / 4


def _one_by_one(chosen: argparse.Namespace) -> int:
    from tests.fuzz.campaign import run
    from tests.fuzz.coverage import store_stretch, summary
    from tests.fuzz.stretches import version

    run_by = version()
    count = chosen.count or (1000 if not chosen.minutes else sys.maxsize)
    seconds = chosen.minutes * 60 or float("inf")
    tally = run(
        range(chosen.seed, chosen.seed + count), seconds=seconds, shrinking=chosen.shrink, surface=chosen.surface,
        tell=lambda text: print(f"{'-' * 100}\n{text}", flush=True),
    )  # fmt: skip
    print(summary(tally))
    if chosen.numbers:
        store_stretch(tally, chosen.numbers, run_by)
    return bool(tally.faults)


if __name__ == "__main__":
    sys.exit(main())
