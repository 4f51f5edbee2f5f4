# Made from the table of namespaces and the declarations of ops by `python -m tools.stubs`.
from tapeviz.saved_model.loader import LoadOptions, contains_saved_model, load
from tapeviz.saved_model.saver import DEFAULT_SERVING_SIGNATURE_DEF_KEY, SaveOptions, save

__all__ = ["DEFAULT_SERVING_SIGNATURE_DEF_KEY", "LoadOptions", "SaveOptions", "contains_saved_model", "load", "save"]
