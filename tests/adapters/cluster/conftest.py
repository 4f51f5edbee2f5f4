"""Only in the environment that `make test-adapters` makes: MPI is in no other."""

from importlib.util import find_spec

collect_ignore_glob = [] if find_spec("mpi4py") else ["test_*.py"]
