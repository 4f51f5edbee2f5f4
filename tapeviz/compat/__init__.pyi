# Made from the table of namespaces and the declarations of ops by `python -m tools.stubs`.
from tapeviz.compat import v1, v2
from tapeviz.compat.text import as_bytes, as_str, as_str_any, as_text, path_to_str

__all__ = ["as_bytes", "as_str", "as_str_any", "as_text", "path_to_str", "v1", "v2"]
