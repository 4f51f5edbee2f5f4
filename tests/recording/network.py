"""A training step of a small network, laid down row by row as a recorder would, for tests in two languages.

x, y -> dense1 (w1, b1, relu) -> dense2 (w2, b2) -> loss, with w2 decayed, log of a negative number on the side,
an op that failed, and a gradient that is None.
"""

from __future__ import annotations

import json
import math
from collections.abc import Sequence

from tapeviz.recording import Builder
from tapeviz.recording.schema import DTYPES, KINDS, PHASES, ROLES, SOURCES, STATUSES
from tests.recording.op_facts import declared

__all__ = ["Network", "training_step"]

FLOAT32 = DTYPES.index("float32")
CODE = """\
with tf.GradientTape() as tape:
    h = relu(x @ w1 + b1)
    z = h @ w2 + b2
    side = tf.math.log(b1)
    loss = mean(z) + decay(w2)
grads = tape.gradient(loss, [w1, w2, b2, c])
z @ w1
"""


class Network:
    """Lays rows down; each method returns the number of the event or tensor it made."""

    def __init__(self) -> None:
        self.builder = Builder()
        self.events = 0
        self.tensors = 0
        self.time = 0
        self.ops: dict[str, int] = {}
        self.op_of: dict[int, int] = {}
        self.made_by: dict[int, int] = {}
        self.gradient_of: dict[int, int] = {}
        self.spans: list[int] = []
        for name in ("CPU:0", "GPU:0"):
            self.builder.append("devices", name=name)
        self.builder.append("cells", number=7, file="cell-7", text=CODE, first=1)
        for line, text in enumerate(CODE.splitlines(), 1):
            self.builder.append("sites", file="cell-7", line=line, column=4, function="<module>", cell=0, text=text)

    def event(self, kind: str, line: int, *, params: str = "", dur: float = 0.0, **columns: int) -> int:
        self.time += 1000
        interned = self.builder.intern(params) if params else -1
        number = self.events
        parent = self.spans[-1] if self.spans else -1
        row = {"id": number, "parent": parent, "kind": KINDS.index(kind), "t0": self.time, "dur": dur, "site": line - 1}
        self.builder.append("events", **row, params=interned, **columns)
        self.events += 1
        self.time += int(dur)
        return number

    def enter(self, sort: str, name: str, line: int) -> int:
        number = self.event("span", line, params=json.dumps({"span": sort, "name": name}))
        self.spans.append(number)
        return number

    def leave(self) -> None:
        self.time += 500
        self.builder.append("ends", event=self.spans.pop(), t=self.time)

    def tensor(self, shape: Sequence[int], source: str = "op", *, producer: int = -1, **columns: int) -> int:
        number = self.tensors
        text = self.builder.intern(json.dumps(list(shape)))
        row = {"id": number, "shape": text, "nbytes": 4 * math.prod(shape), "producer": producer}
        row |= {"source": SOURCES.index(source), "dtype": FLOAT32, "storage": number} | columns
        self.builder.append("tensors", **row)
        self.tensors += 1
        return number

    def variable(self, number: int, name: str, shape: Sequence[int]) -> int:
        self.builder.append("variables", id=number, name=f"{name}:0", trainable=1, site=0)
        return self.tensor(shape, "variable", variable=number)

    def op(self, name: str, inputs: Sequence[int], shape: Sequence[int], line: int, **columns: int) -> int:
        """Run a forward op and return its output."""
        event = self.event("op", line, dur=2000.0 + 100 * self.events, op=self._op(name), **columns)
        self.edges(event, inputs, "in")
        output = self.tensor(shape, producer=event)
        self.made_by[output] = event
        self.edges(event, [output], "out")
        return output

    def backward(self, of: int, gradient: int, addends: Sequence[tuple[int, Sequence[int]]]) -> list[int]:
        """Run the backward step of the op that made a tensor; return its addends, for the tensors given with them."""
        origin = self.made_by[of]
        columns = {"phase": PHASES.index("backward"), "origin": origin, "op": self.op_of[origin]}
        event = self.event("op", 6, dur=3000.0, **columns)
        self.edges(event, [gradient], "in")
        made = [self.tensor(shape, "gradient", producer=event) for _, shape in addends]
        self.edges(event, made, "out")
        for (tensor, shape), addend in zip(addends, made, strict=True):
            self.accumulate(event, tensor, addend, shape)
        return made

    def accumulate(self, event: int, tensor: int, addend: int, shape: Sequence[int]) -> None:
        """Add to a tensor's gradient; from the second contribution on the sum is a tensor of its own."""
        total = self.tensor(shape, "gradient") if tensor in self.gradient_of else addend
        self.gradient_of[tensor] = total
        self.builder.append("gradients", backward=event, tensor=tensor, gradient=total, addend=addend)

    def stats(self, tensor: int, norm: float, *, nan: int = 0) -> None:
        self.builder.append("stats", tensor=tensor, norm=norm, nan=nan, bad=0 if nan else -1)

    def name(self, tensor: int, name: str) -> None:
        self.builder.append("names", tensor=tensor, name=name, t=self.time)

    def _op(self, name: str) -> int:
        if name not in self.ops:
            family = "linalg" if name == "matmul" else "elementwise"
            row = {"name": name, "family": family, "differentiable": "*", **declared(name)}
            self.ops[name] = self.builder.append("ops", **row)
        self.op_of[self.events] = self.ops[name]
        return self.ops[name]

    def edges(self, event: int, tensors: Sequence[int], role: str) -> None:
        for slot, tensor in enumerate(tensors):
            self.builder.append("edges", event=event, tensor=tensor, role=ROLES.index(role), slot=slot)


def training_step() -> Builder:
    """Return the rows of one training step."""
    net = Network()
    net.enter("cell", "[7]", 1)
    made = _forward(net)
    _backward(net, made)
    failed = net.event("op", 7, dur=400.0, op=net.ops["matmul"], status=STATUSES.index("failed"))
    net.edges(failed, [made["z"], made["w1"]], "in")
    message = "matmul: [4, 2] and [3, 5]: 2 is not 3"
    net.builder.append("messages", event=failed, type="InvalidArgumentError", text=message)
    norms = {"h": 2.5, "z": 1.25, "loss": 0.5, "to_w1": 1e-8, "to_w2": 0.75, "to_b2": 0.125, "to_h": 1e-7}
    for name, norm in norms.items():
        net.stats(made[name], norm)
    net.stats(made["side"], math.nan, nan=2)
    for name in ("hidden", "product", "mean"):
        net.builder.append("releases", tensor=made[name], t=net.time + made[name])
    net.leave()
    net.builder.meta("title", "training step")
    return net.builder


def _forward(net: Network) -> dict[str, int]:
    made = {"x": net.tensor([4, 3], "host")}
    for number, (name, shape) in enumerate({"w1": [3, 5], "b1": [5], "w2": [5, 2], "b2": [2], "c": [2]}.items()):
        made[name] = net.variable(number, name, shape)
    net.name(made["x"], "x")
    net.enter("tape", "GradientTape", 1)
    net.builder.append("tapes", id=0, t=net.time, change="enter", site=0)
    net.enter("module", "net/dense1", 2)
    made["product"] = net.op("matmul", [made["x"], made["w1"]], [4, 5], 2)
    made["hidden"] = net.op("add", [made["product"], made["b1"]], [4, 5], 2)
    made["h"] = net.op("relu", [made["hidden"]], [4, 5], 2)
    net.leave()
    net.name(made["h"], "h")
    net.enter("module", "net/dense2", 3)
    made["score"] = net.op("matmul", [made["h"], made["w2"]], [4, 2], 3, device=1)
    made["z"] = net.op("add", [made["score"], made["b2"]], [4, 2], 3)
    net.leave()
    net.name(made["z"], "z")
    made["side"] = net.op("log", [made["b1"]], [5], 4)
    net.name(made["side"], "side")
    made["mean"] = net.op("reduce_mean", [made["z"]], [], 5)
    made["decay"] = net.op("square", [made["w2"]], [5, 2], 5)
    made["penalty"] = net.op("reduce_sum", [made["decay"]], [], 5)
    made["loss"] = net.op("add", [made["mean"], made["penalty"]], [], 5)
    for name in ("old", "loss"):
        net.name(made["loss"], name)
    net.leave()
    return made


def _backward(net: Network, made: dict[str, int]) -> None:
    span = net.enter("backward", "gradient", 6)
    seed = net.tensor([], "gradient")
    net.accumulate(span, made["loss"], seed, [])
    to_mean, to_penalty = net.backward(made["loss"], seed, [(made["mean"], []), (made["penalty"], [])])
    (to_decay,) = net.backward(made["penalty"], to_penalty, [(made["decay"], [5, 2])])
    net.backward(made["decay"], to_decay, [(made["w2"], [5, 2])])
    (to_z,) = net.backward(made["mean"], to_mean, [(made["z"], [4, 2])])
    to_score, made["to_b2"] = net.backward(made["z"], to_z, [(made["score"], [4, 2]), (made["b2"], [2])])
    made["to_h"], _ = net.backward(made["score"], to_score, [(made["h"], [4, 5]), (made["w2"], [5, 2])])
    made["to_w2"] = net.gradient_of[made["w2"]]
    (to_hidden,) = net.backward(made["h"], made["to_h"], [(made["hidden"], [4, 5])])
    to_product, _ = net.backward(made["hidden"], to_hidden, [(made["product"], [4, 5]), (made["b1"], [5])])
    (made["to_w1"],) = net.backward(made["product"], to_product, [(made["w1"], [3, 5])])
    net.leave()
    for source, variable, answer in (("w1", 0, made["to_w1"]), ("w2", 2, made["to_w2"]), ("c", 4, -1)):
        row = {"tape": 0, "target": made["loss"], "source": made[source], "variable": variable, "gradient": answer}
        net.builder.append("requests", event=span, **row)
