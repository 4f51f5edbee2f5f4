"""Memory of executables: which values share buffers, and what lies packed."""
