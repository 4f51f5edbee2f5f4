"""What is run once here is run as graphs usually are: from a plan."""

from tests.first_run_plans import planned_at_once

__all__ = ["planned_at_once"]
