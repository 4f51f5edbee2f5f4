"""``Network``: a model that keeps track of its layers, and files for what it has learned."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tapeviz.compat.v1.graph.default_graph import current_graph
from tapeviz.compat.v1.layers.layer_scopes import Layer
from tapeviz.compat.v1.session.session import get_default_session
from tapeviz.compat.v1.train.saver import Saver
from tapeviz.compat.v1.variables.saved_values import saved_values
from tapeviz.keras.layers.layer import Layer as KerasLayer
from tapeviz.train.checkpoint_reader import list_variables, load_variable
from tapeviz.train.files import checkpoint_exists
from tapeviz.train.states import latest_checkpoint

__all__ = ["Network", "Sequential", "restore_network_checkpoint", "save_network_checkpoint"]

Names = Callable[[str], str] | None


class Network(Layer, spans=False):
    """A model made of layers, and a layer itself, so that networks can be parts of networks.

    A class of one's own makes its layers in ``__init__``, each given to :meth:`track_layer`, and says in ``call`` what
    they do. It is called with data, without placeholders; variables are made when it is first known what comes in. The
    same class builds a graph where it is called with tensors of one.

    Args:
        name: its name, and the scope of its variables; the class's in snake case by default, with a number where it is
            taken.

    >>> import tapeviz as tf, tapeviz.compat.v1 as tf1, tapeviz.contrib.eager as tfe
    >>> class Reader(tfe.Network):
    ...     def __init__(self):
    ...         super().__init__(name="reader")
    ...         self.hidden = self.track_layer(tf1.layers.Dense(20, activation=tf.nn.relu))
    ...         self.scores = self.track_layer(tf1.layers.Dense(10))
    ...     def call(self, pixels):
    ...         return self.scores(self.hidden(pixels))
    >>> with tfe.EagerVariableStore().as_default():
    ...     reader = Reader()
    ...     print(reader(tf.zeros([1, 64])).shape, [variable.name for variable in reader.variables][:2])
    (1, 10) ['reader/dense/kernel:0', 'reader/dense/bias:0']
    """

    _saved: dict[str, Any]

    def __init__(self, name: str | None = None) -> None:
        super().__init__(name=name)
        self._members: list[Any] = []
        self.__dict__["_saved"] = {}  # no part of the model, as what is in its attributes is

    def track_layer(self, layer: Any) -> Any:
        """Make a layer one of this network's, and give it back.

        Raises:
            TypeError: it is no layer.
            RuntimeError: the network's ``__init__`` did not call that of ``Network``.
        """
        if "_members" not in self.__dict__:
            raise RuntimeError("super().__init__() must be called in the __init__ of a Network before track_layer()")
        if not isinstance(layer, KerasLayer):
            raise TypeError(f"Network.track_layer() passed type {type(layer)}, not a tf.layers.Layer")
        if all(layer is not member for member in self._members):
            self._name_member(layer)
            self._members.append(layer)
        return layer

    def _name_member(self, layer: Any) -> None:
        """Give a layer that has no scope yet the next free name of its kind in this network."""
        if isinstance(layer, Layer):
            layer.settle({member.name for member in self._members})

    @property
    def layers(self) -> list[Any]:
        """The layers that it tracks, in the order in which they came."""
        return list(self._members)

    def get_layer(self, name: str | None = None, index: int | None = None) -> Any:
        """The layer of that name, or at that place.

        Raises:
            ValueError: there is none, or neither or both are given.
        """
        if (name is None) == (index is None):
            raise ValueError("Provide either a layer name or layer index.")
        if index is not None:
            if not 0 <= index < len(self._members):
                raise ValueError(f"Was asked to retrieve layer at index {index} but model only has "
                                 f"{len(self._members)} layers.")  # fmt: skip
            return self._members[index]
        found = next((member for member in self._members if member.name == name), None)
        if found is None:
            raise ValueError(f"No such layer: {name}. Existing layers are {[member.name for member in self._members]}.")
        return found

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """What ``call`` gives for these inputs."""
        __tracebackhide__ = True
        if not self._saved:
            return super().__call__(*args, **kwargs)
        with saved_values(self._take_saved):
            return super().__call__(*args, **kwargs)

    def begin_with(self, values: dict[str, Any]) -> None:
        """Have the variables that it will make begin with these values, by the names that they have in files."""
        self._saved.update(values)

    def _take_saved(self, name: str) -> Any:
        """The value that was restored for a variable before there was one."""
        return self._saved.pop(self._inside(name), None)

    def _inside(self, name: str) -> str:
        """The name of a variable without this network's scope, so that networks of other names can use its file."""
        prefix = f"{self.scope_name}/"
        return name.removesuffix(":0").removeprefix(prefix)

    def by_name(self, names: Names = None) -> dict[str, Any]:
        """Its variables by the names that they have in files."""
        return {(names or self._inside)(variable.name.removesuffix(":0")): variable for variable in self.variables}

    def save(self, save_path: str, global_step: Any = None) -> str:
        """Save it: see :func:`save_network_checkpoint`."""
        return save_network_checkpoint(self, save_path, global_step)

    def restore(self, save_path: str) -> None:
        """Restore it: see :func:`restore_network_checkpoint`."""
        restore_network_checkpoint(self, save_path)


class Sequential(Network):
    """A network that calls one layer, or function, after another.

    Args:
        layers_funcs: layers and functions of a tensor.
        name: its name.

    >>> import tapeviz as tf, tapeviz.compat.v1 as tf1, tapeviz.contrib.eager as tfe
    >>> with tfe.EagerVariableStore().as_default():
    ...     network = tfe.Sequential([tf1.layers.Dense(4), tf.nn.relu, tf1.layers.Dense(2)])
    ...     print(network(tf.ones([1, 3])).shape, len(network.layers))
    (1, 2) 2
    """

    def __init__(self, layers_funcs: Any = (), name: str | None = None) -> None:
        super().__init__(name=name)
        self._steps: list[Any] = []
        for step in layers_funcs:
            self.add(step)

    def add(self, layer_func: Any) -> None:
        """Add a layer or a function at the end.

        Raises:
            TypeError: it is neither.
        """
        if isinstance(layer_func, KerasLayer):
            self.track_layer(layer_func)
        elif not callable(layer_func):
            raise TypeError(f"Sequential.add() takes only tf.layers.Layer objects or callables; not '{layer_func}' of "
                            f"type '{type(layer_func)}'.")  # fmt: skip
        self._steps.append(layer_func)

    def call(self, inputs: Any) -> Any:
        """The last one's value."""
        for step in self._steps:
            inputs = step(inputs)
        return inputs


def save_network_checkpoint(network: Network, save_path: Any, global_step: Any = None, map_func: Names = None) -> str:
    """Save a network's variables, by their names in it: in a graph, the values of the default session.

    Args:
        network: a network that was called.
        save_path: the prefix of the file; a folder, with a slash at its end, gets a file named after the network.
        global_step: a number to add to the prefix.
        map_func: from a variable's full name, without the ``:0``, to that in the file; without the network's scope by
            default.

    Returns:
        The prefix, with the step: what :func:`restore_network_checkpoint` takes.

    Raises:
        ValueError: it was not called yet; or it is in a graph, and there is no default session.

    >>> import tempfile, tapeviz as tf, tapeviz.compat.v1 as tf1, tapeviz.contrib.eager as tfe
    >>> with tfe.EagerVariableStore().as_default(), tempfile.TemporaryDirectory() as folder:
    ...     first, second = (tfe.Sequential([tf1.layers.Dense(2)]) for _ in range(2))
    ...     before = first(tf.ones([1, 3]))
    ...     tfe.restore_network_checkpoint(second, tfe.save_network_checkpoint(first, f"{folder}/saved"))
    ...     print(tf.reduce_all(second(tf.ones([1, 3])) == before).numpy())
    True
    """
    if not network.variables:
        raise ValueError("Attempt to save the Network before it was first called. This means variables have not yet "
                         "been created, so there is nothing to save.")  # fmt: skip
    prefix = os.fspath(save_path)
    if prefix.endswith(os.sep) or os.path.isdir(prefix):  # noqa: PTH112 - a trailing slash means something here
        prefix = os.path.join(prefix, network.name)  # noqa: PTH118
    saver = Saver(network.by_name(map_func), max_to_keep=None)
    return saver.save(_session(network), prefix, global_step=global_step)


def restore_network_checkpoint(network: Network, save_path: Any, map_func: Names = None) -> None:
    """Give a network the values that were saved. Variables that it has not made yet get theirs when they are made.

    Args:
        network: a network, of the kind that was saved.
        save_path: the prefix of the file, or the folder: of which the latest.
        map_func: as for :func:`save_network_checkpoint`; only for a network that was called.

    Raises:
        ValueError: there is no such file; or the network is in a graph, and there is no default session.
        NotFoundError: the file has no value for a variable.
    """
    save_path = _saved_in(save_path)
    if network.variables:
        Saver(network.by_name(map_func)).restore(_session(network), save_path)
        return
    if not checkpoint_exists(save_path):
        raise ValueError(f"The passed save_path is not a valid checkpoint: {save_path}")
    if map_func is not None:
        raise ValueError("map_func is for the names of variables, which the network makes when it is first called")
    network.begin_with({name: load_variable(save_path, name) for name, _ in list_variables(save_path)})


def _saved_in(save_path: Any) -> str:
    """The prefix itself; of a folder the one that was saved last."""
    prefix: str = os.fspath(save_path)
    return (latest_checkpoint(prefix) if Path(prefix).is_dir() else None) or prefix


def _session(network: Network) -> Any:
    """The session that holds a network's variables; None where they are eager."""
    if network.graph is None:
        return None
    session = get_default_session()
    if session is None or current_graph() is None:
        raise ValueError(f"The variables of the network {network.name!r} are those of a graph: open the session that "
                         "has their values with `with tf.Session() as session:` around this")  # fmt: skip
    return session
