"""Sessions over several processes: clusters, servers, and the parts of a run that other tasks do."""
