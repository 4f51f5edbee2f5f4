"""The whole table: importing a module with programs puts them into it."""

from importlib import import_module

from tests.autograph.table import programs

__all__ = ["ids", "programs"]

for _name in ("branches", "loops", "leaving", "structures"):
    import_module(f"tests.autograph.{_name}")

ids = [program.name for program in programs]
