"""``import tensorflow`` that means tapeviz: for programs, and for libraries that ask of what package a tensor is."""

from __future__ import annotations

import re
import sys
import types
from collections.abc import Iterator, Sequence
from importlib import import_module
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from importlib.util import spec_from_loader
from typing import Any, Final, Self

from tapeviz.compat.v1.graph.v2_behavior import Start, disable_eager_execution, enable_eager_execution
from tapeviz.engine.dtypes import DType
from tapeviz.engine.indexed_slices import IndexedSlices
from tapeviz.engine.shapes import TensorShape, give_dimensions
from tapeviz.engine.tensor import TensorOperators

__all__ = ["LEVELS", "TensorFlowAlias", "install_as_tensorflow"]

_NAME: Final = "tensorflow"
_OWN: Final = "tapeviz"
_KERAS: Final = "keras"
LEVELS: Final = {"2.21": _OWN, "1.15": f"{_OWN}.compat.v1"}
"""The levels of TensorFlow's API that there are, and the module that has each."""

# Where the names are public that stand in modules inside TensorFlow, by the names of these modules.
_PUBLIC: Final = {
    home: frozenset(modules.split())
    for home, modules in {
        "": "array_ops check_ops clip_ops constant_op control_flow_ops dtypes framework_ops gradients_impl init_ops "
        "math_ops ops partitioned_variables random_ops resource_variable_ops script_ops state_ops tensor_shape "
        "tensor_spec tensor_util variable_scope variables while_loop cond array_grad tensor numerics sparse_tensor",
        "compat.v1.data.mnist_input": "input_data",
        "compat.v1.layers": "base convolutional core normalization pooling",
        "compat.v1.losses": "losses_impl",
        "compat.v1.summary": "summary.summary writer.writer",
        "compat.v1.train": "checkpointable.util adam adagrad checkpoint_management gradient_descent momentum optimizer "
        "rmsprop saver session_manager training training_util",
        "contrib.cudnn_rnn": "cudnn_rnn",
        "contrib.eager": "backprop context datasets execution_callbacks function graph_callable network saver tape tfe",
        "contrib.eager.evaluator": "evaluator",
        "contrib.eager.metrics": "metrics metrics_impl",
        "contrib.layers": "regularizers",
        "contrib.summary": "summary_ops summary_ops_v2",
        "data": "dataset_ops iterator_ops readers",
        "compat.v1.session.local_devices": "device_lib",
        "errors": "errors errors_impl",
        "image": "image_ops image_ops_impl",
        "keras": "keras",
        "linalg": "linalg_impl linalg_ops",
        "nest": "nest",
        "nn": "nn nn_impl nn_ops",
        "strings": "string_ops",
        "test": "googletest test test_util",
        "compat": "compat",
        "compat.v1.logging": "tf_logging",
    }.items()
}
_ONLY_INSIDE: Final = {
    "contrib.summary": {"summary_ops": "contrib.summary"},
    "eager.context": {"graph_mode": "contrib.eager.internals.graph_mode"},
    "eager.tape": {"stop_recording": "contrib.eager.internals.stop_recording"},
    "eager.test": {"main": "contrib.eager.internals.eager_main"},
    "framework.ops": {
        name: f"compat.v1.{name}"
        for name in ("add_to_collection", "get_collection", "get_default_graph", "name_scope", "reset_default_graph")
    },
    "framework.test_util": {
        "TensorFlowTestCase": "compat.test_case.TestCase",
        "assert_no_garbage_created": "contrib.eager.internals.assert_no_garbage_created",
        "run_in_graph_and_eager_modes": "contrib.eager.execution_callbacks.run_test_in_graph_and_eager_modes",
    },
    "ops.resource_variable_ops": {"ResourceVariable": "Variable"},
}
"""Names that are public nowhere, in TensorFlow's own modules: where they are here."""
_OF_LEVEL: Final = frozenset(("", "data", "nn", "image", "linalg"))
"""Namespaces that each level has as its own."""
_PACKAGES: Final = (["data", "ops"], ["summary", "writer"], ["training", "checkpointable"])
"""Packages of TensorFlow's own that are called as modules of others are."""
_INSIDE: Final = re.compile(rf"{_NAME}\.(python|examples|contrib\.\w+\.(python|examples))(\..+)?")
"""The names of modules of TensorFlow's own."""
# fmt: off
_FOLDERS: Final = frozenset((
    "autograph", "client", "data", "datasets", "distribute", "eager", "examples", "framework", "keras", "layers", "lib",
    "mnist", "ops", "platform", "python", "saved_model", "summary", "training", "tutorials", "util",
))
# fmt: on
"""Packages of TensorFlow's own."""


def install_as_tensorflow(version: str = "2.21") -> TensorFlowAlias:
    """Have ``import tensorflow`` and its submodules mean tapeviz in this process.

    The classes of tensors and variables say that they are TensorFlow's, so that libraries which dispatch on a tensor's
    package (einops, eagerpy, autoray, opt_einsum) take them for such.

    Args:
        version: the level of the API: ``"2.21"``, or ``"1.15"`` for :mod:`tapeviz.compat.v1`.

    Returns:
        What undoes it: by ``undo()``, or at the end of a ``with`` block.

    Raises:
        RuntimeError: TensorFlow itself is imported, or another level is installed.
        ValueError: there is no such level.

    >>> import tapeviz
    >>> with tapeviz.install_as_tensorflow() as alias:
    ...     import tensorflow as tf
    ...     type(tf.constant(1.0)).__module__
    'tensorflow.engine.tensor'
    >>> alias
    <tapeviz as TensorFlow, API level 2.21>
    """
    if version not in LEVELS:
        raise ValueError(f"version must be one of {', '.join(LEVELS)}, not {version!r}")
    present = sys.modules.get(_NAME)
    if isinstance(present, TensorFlowAlias):
        if present.level != version:
            raise RuntimeError(f"tapeviz is installed as TensorFlow {present.level}: undo() that first")
        return present
    if present is not None:
        raise RuntimeError(
            "TensorFlow itself is imported in this process: install tapeviz in its place before that, or record "
            "TensorFlow by tapeviz.record(framework='tensorflow')"
        )
    return TensorFlowAlias(version)


class TensorFlowAlias(types.ModuleType):
    """The module that ``import tensorflow`` gives: the names of tapeviz, and the version whose API they follow."""

    def __init__(self, level: str) -> None:
        super().__init__(_NAME, f"tapeviz under TensorFlow's name, API level {level}.")
        self.level = level
        self.__version__ = f"{level}.0"
        self.__path__: list[str] = []  # there are modules in it, which the finder gives
        self._began = False
        self._target: Any = import_module(LEVELS[level])
        self._finder = _Finder(LEVELS[level])
        self._renamed = {cls: cls.__module__ for cls in _classes()}
        self.__spec__ = spec_from_loader(_NAME, self._finder, is_package=True)
        for cls, home in self._renamed.items():
            cls.__module__ = home.replace(_OWN, _NAME, 1)
        sys.meta_path.insert(0, self._finder)
        sys.modules[_NAME] = self
        self._begin()

    def _begin(self) -> None:
        """Behave as this level of TensorFlow does from the start."""
        if self.level.startswith("1."):
            give_dimensions(True)
        elif Start.options is None and not Start.graph_met:
            # In TensorFlow 2 its older names, too, run their ops at once until told otherwise.
            enable_eager_execution()
            self._began = True

    def undo(self) -> None:
        """Have ``import tensorflow`` mean again what it meant; modules that were imported go on working."""
        if sys.modules.get(_NAME) is not self:
            return
        sys.meta_path.remove(self._finder)
        for name, module in list(sys.modules.items()):
            first = name.partition(".")[0]
            if first == _NAME or (first == _KERAS and getattr(module, "__name__", "").startswith(_OWN)):
                del sys.modules[name]
        for cls, home in self._renamed.items():
            cls.__module__ = home
        give_dimensions(False)
        if self._began:
            disable_eager_execution()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_error: object) -> None:
        self.undo()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._target, name)

    def __dir__(self) -> list[str]:
        return [*dir(self._target), "__version__"]

    def __repr__(self) -> str:
        return f"<tapeviz as TensorFlow, API level {self.level}>"


def _classes() -> Iterator[type]:
    """The classes whose package libraries ask for."""
    waiting: list[type] = [TensorOperators, IndexedSlices, DType, TensorShape]
    while waiting:
        cls = waiting.pop()
        waiting += cls.__subclasses__()
        if cls.__module__.partition(".")[0] == _OWN:
            yield cls


class _Internals(types.ModuleType):
    """A package or module of TensorFlow's own, in which only what stands for something public is found."""

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.__path__: list[str] = []

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        if name[:1].isupper():  # a class that its package has, too, as tensorflow.python.data has Dataset
            return getattr(import_module(f"{_NAME}.{self.__name__.rpartition('.')[2]}"), name)
        return import_module(f"{self.__name__}.{name}")


class _Module(types.ModuleType):
    """A module of TensorFlow's own, with names of its own beside those that are public."""

    def __init__(self, name: str, public: Any, own: dict[str, Any]) -> None:
        super().__init__(name)
        self._public = public
        vars(self).update(own)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._public, name)


class _Finder(MetaPathFinder, Loader):
    """Imports ``tensorflow.x.y`` as what the target has there: the very module, under both names."""

    def __init__(self, target: str) -> None:
        self._target = target
        self._specs: dict[str, Any] = {}

    def _home(self, name: str) -> str:
        if name.partition(".")[0] == _KERAS:
            return f"{_OWN}.{name}"
        if _INSIDE.fullmatch(name) is None:
            return name.replace(_NAME, self._target, 1)
        inner = name.split(".")[2:]
        if inner[:1] == ["keras"]:
            return ".".join((_OWN, *inner))
        if inner in _PACKAGES:
            return ""
        last = name.rpartition(".")[2]
        ends = {last, ".".join(inner[-2:])}
        homes = [home for home, modules in _PUBLIC.items() if ends & modules] if inner[1:] else []
        of_contrib = name.startswith(f"{_NAME}.contrib.")
        home = min(homes, key=lambda one: one.startswith("contrib.") != of_contrib, default=None)
        if home is None and last not in _FOLDERS:
            raise ModuleNotFoundError(
                f"No module named {name!r}: of TensorFlow's own modules tapeviz has few; what is public in it stands "
                "under its public name in `import tensorflow as tf`",
                name=name,
            )
        if home is None:
            return ""
        namespace = f"{self._target}.{home}" if home in _OF_LEVEL else f"{_OWN}.{home}"
        return namespace.removesuffix(".")

    def find_spec(
        self, fullname: str, path: Sequence[str] | None = None, target: types.ModuleType | None = None
    ) -> ModuleSpec | None:
        """The way to import a module of TensorFlow's; None for what is none."""
        if self._target == _OWN and fullname.partition(".")[0] == _KERAS:
            return spec_from_loader(fullname, self)  # it comes with TensorFlow 2
        if not fullname.startswith(f"{_NAME}.") or self._is_of_the_program(fullname, path):
            return None
        return spec_from_loader(fullname, self)

    def _is_of_the_program(self, name: str, path: Sequence[str] | None) -> bool:
        """Whether a module lies in a folder that a program has put into a package of TensorFlow's own modules."""
        outer = sys.modules[name.rpartition(".")[0]]
        return (
            bool(path)
            and outer.__name__.startswith(f"{_NAME}.")
            and not (isinstance(outer, _Internals) and self._is_ours(name))
        )

    def _is_ours(self, name: str) -> bool:
        try:
            return bool(self._home(name))
        except ModuleNotFoundError:
            return False

    def create_module(self, spec: ModuleSpec) -> types.ModuleType:
        """The module of tapeviz.

        Raises:
            ModuleNotFoundError: tapeviz has none; the message says what to use.
        """
        home = self._home(spec.name)
        if not home:
            return _Internals(spec.name)
        try:
            found = import_module(home)
        except ModuleNotFoundError as error:
            if error.name is None or error.name.partition(".")[0] != _OWN:
                raise
            outer, _, name = home.rpartition(".")
            try:
                found = getattr(import_module(outer), name)
            except (AttributeError, ImportError) as absent:
                raise ModuleNotFoundError(f"No module named {spec.name!r}: {absent}", name=spec.name) from None
        own = _ONLY_INSIDE.get(".".join(spec.name.split(".")[-2:]))
        if own is not None:
            return _Module(spec.name, found, {name: self._named(place) for name, place in own.items()})
        self._specs[spec.name] = getattr(found, "__spec__", None)
        if spec.name.startswith(f"{_NAME}.contrib") and not hasattr(found, "__path__"):
            found.__path__ = []  # Python imports modules in packages alone
        return found

    def _named(self, place: str) -> Any:
        """What stands at a place here; where it names no module, in the namespace of the level."""
        module, _, name = place.rpartition(".")
        return getattr(import_module(f"{_OWN}.{module}" if module else self._target), name)

    def exec_module(self, module: types.ModuleType) -> None:
        """Nothing is left to run; a module keeps the name by which tapeviz has it."""
        if module.__spec__ is not None:
            module.__spec__ = self._specs.pop(module.__spec__.name, module.__spec__)
