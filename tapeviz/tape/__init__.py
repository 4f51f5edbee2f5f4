"""The tape: a recording and everything that can be asked of it; how one is made, and how two are compared."""
