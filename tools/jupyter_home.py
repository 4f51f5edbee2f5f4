"""A JupyterLab that keeps to itself: its settings, data and history live in one folder, not in the user's HOME."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any, Literal


def prepare(
    folder: Path, *, theme: Literal["light", "dark"] = "light", exposed: bool = False, **settings: Any
) -> dict[str, str]:
    """Write the settings into `folder` and return the environment variables that make Jupyter use it.

    Args:
        folder: made when missing.
        theme: JupyterLab's own light or dark theme.
        exposed: whether scripts in the page may drive JupyterLab, as `jupyterapp`.
        settings: further settings of the notebook view, by JupyterLab's names (``@jupyterlab/notebook-extension``).
    """
    server = {
        "ServerApp": {"ip": "127.0.0.1", "allow_root": True},
        "LabApp": {
            "check_for_updates_class": "jupyterlab.NeverCheckForUpdate",
            "extension_manager": "readonly",
            "expose_app_in_browser": exposed,
        },
    }
    overrides = {
        "@jupyterlab/apputils-extension:notification": {"checkForUpdates": False, "fetchNews": "false"},
        "@jupyterlab/apputils-extension:themes": {"theme": f"JupyterLab {theme.title()}", "adaptive-theme": False},
        "@jupyterlab/notebook-extension:tracker": settings,
    }
    (folder / "config" / "labconfig").mkdir(parents=True, exist_ok=True)
    (folder / "config" / "jupyter_lab_config.json").write_text(json.dumps(server), encoding="utf-8")
    defaults = folder / "config" / "labconfig" / "default_setting_overrides.json"
    defaults.write_text(json.dumps(overrides), encoding="utf-8")
    inherited = {name: value for name, value in os.environ.items() if not name.startswith(("JUPYTER", "IPYTHON"))}
    return inherited | {
        "JUPYTER_CONFIG_DIR": str(folder / "config"),
        "JUPYTER_DATA_DIR": str(folder / "data"),
        "JUPYTER_RUNTIME_DIR": str(folder / "runtime"),
        "IPYTHONDIR": str(folder / "ipython"),
    }
