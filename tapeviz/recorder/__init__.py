"""The recorder: what watches the engine and writes a recording. The one room that knows both."""
