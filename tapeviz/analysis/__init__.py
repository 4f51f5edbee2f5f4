"""Questions to a recording: finding, explaining, judging. Only the recording is needed, never the engine."""
