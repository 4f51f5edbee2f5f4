# Made from the table of namespaces and the declarations of ops by `python -m tools.stubs`.
from tapeviz.keras.models.clone import clone_model, model_from_json
from tapeviz.keras.models.model import Model
from tapeviz.keras.models.sequential import Sequential
from tapeviz.keras.saving.model_files import load_model, save_model

__all__ = ["Model", "Sequential", "clone_model", "load_model", "model_from_json", "save_model"]
