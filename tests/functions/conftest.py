"""What is run once here is run as graphs usually are: from a plan."""

from tests.planned_at_once import planned_at_once

__all__ = ["planned_at_once"]
