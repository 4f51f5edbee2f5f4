"""Running graphs: executables written from plans, and the interpreter of nodes."""
