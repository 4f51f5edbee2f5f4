"""A traced function laid down row by row, as tracing would, for tests in two languages.

step(x, scale): two reads, a product and a sum, a branch, a mean. Traced twice in its first call, since that creates
variables; once more for another shape. The second trace ran twice as one span, the third once node by node.
"""

from __future__ import annotations

import json
from collections.abc import Sequence

from tapeviz.recording import Builder
from tapeviz.recording.schema import DTYPES, KINDS, ROLES, SOURCES
from tests.recording.op_facts import declared

__all__ = ["Graphs", "nested", "traced"]

CODE = """\
@tf.function
def step(x, scale):
    print("tracing", x.shape)
    h = x @ w + b
    if tf.reduce_sum(h) > 0.0:
        h = h * scale
    return tf.reduce_mean(h)
step(images, 2.0)
step(images[:16], 2.0)
"""
SOURCE = "\n".join(CODE.splitlines()[:7])
GENERATED = (
    "def tf__step(x, scale):\n    ag__.call(print, ...)\n    h = x @ w + b\n    ag__.if_stmt(...)\n    return ..."
)
LINES = [[1, 2], [2, 3], [3, 4], [4, 5], [5, 7]]  # of the generated text, of the cell
OPS = {"placeholder": "", "read_variable": "variable", "matmul": "linalg", "add": "elementwise", "cond": "control",
       "multiply": "elementwise", "reduce_sum": "reduction", "greater": "elementwise", "constant": "",
       "reduce_mean": "reduction", "identity": "shape"}  # fmt: skip
FATES = {"prune": "pruned", "fold": "folded", "merge": "merged", "fuse": "fused"}


class Graphs:
    """Lays rows down; a graph's nodes go in with their fates when it is closed."""

    def __init__(self, code: str = CODE) -> None:
        self.builder = Builder()
        self.graphs = self.passes = self.events = self.tensors = 0
        self.nodes: dict[int, list[dict]] = {}
        self.builder.append("devices", name="CPU:0")
        self.builder.append("cells", number=7, file="cell-7", text=code, first=1)
        for line, text in enumerate(code.splitlines(), 1):
            self.builder.append("sites", file="cell-7", line=line, column=0, function="<module>", cell=0, text=text)
        for name, family in OPS.items():
            self.builder.append("ops", name=name, family=family, **declared(name))

    def graph(self, name: str, sort: str = "function", *, call: int = 0, key: Sequence = (), **columns: object) -> int:
        """Begin a graph and return its number."""
        number = self.graphs
        texts = {"key": json.dumps(list(key)), "lines": columns.pop("lines", "[]")}
        self.builder.append("graphs", id=number, name=name, sort=sort, site=call - 1, **texts, **columns)
        self.graphs += 1
        self.nodes[number] = []
        return number

    def node(self, graph: int, name: str, op: str, inputs: Sequence[int] = (), *, shape: Sequence = (), line: int = 0,
             dtype: str = "float32", after: Sequence[int] = (), regions: Sequence[int] = ()) -> int:  # fmt: skip
        """Lay a node down and return its number in the graph."""
        number = len(self.nodes[graph])
        row = {"graph": graph, "number": number, "name": name, "op": list(OPS).index(op), "into": number, "stage": -1,
               "fate": "kept", "shapes": json.dumps([list(shape)]), "dtypes": json.dumps([dtype]), "site": line - 1,
               "region": regions[0] if regions else -1, "regions": len(regions)}  # fmt: skip
        self.nodes[graph].append(row)
        taken = [(source, position) for position, source in enumerate(inputs)] + [(source, -1) for source in after]
        for source, position in taken:
            self.builder.append("node_edges", graph=graph, source=source, target=number, position=position)
        return number

    def apply(self, graph: int, name: str, text: str, fates: dict[int, int]) -> None:
        """Let a pass do something with nodes: the node that stands for each of them then."""
        before = self.left(graph)
        for node, into in fates.items():
            self.nodes[graph][node].update(fate=FATES[name], into=into, stage=self.passes)
        counts = {"before": before, "after": self.left(graph)}
        self.builder.append("passes", graph=graph, name=name, dur=1e5, text=text, **counts)
        self.passes += 1

    def left(self, graph: int) -> int:
        """Return how many nodes are left."""
        return sum(node["into"] == node["number"] for node in self.nodes[graph])

    def run(self, graph: int, line: int, *, each: bool = False) -> None:
        """Run a graph as one span, or with an event for each node that is left."""
        params = self.builder.intern(json.dumps({"span": "function", "name": "step"}))
        span = self._event(KINDS.index("span"), line, op=-1, params=params)
        self.builder.append("graph_runs", event=span, graph=graph, pruned=0)
        for node in self.nodes[graph] if each else ():
            if node["into"] < 0:
                continue
            event = self._event(KINDS.index("op"), node["site"] + 1, op=node["op"], parent=span, dur=1000.0)
            self.builder.append("node_runs", event=event, graph=graph, node=node["number"])
            shape = self.builder.intern(json.dumps(json.loads(node["shapes"])[0]))
            self.builder.append("tensors", id=self.tensors, shape=shape, dtype=DTYPES.index("float32"), producer=event,
                                source=SOURCES.index("op"), storage=self.tensors, nbytes=4)  # fmt: skip
            self.builder.append("edges", event=event, tensor=self.tensors, role=ROLES.index("out"), slot=0)
            self.builder.append("stats", tensor=self.tensors, min=-1.0, max=float(node["number"]), mean=0.5)
            self.tensors += 1
        self.builder.append("ends", event=span, t=1000.0 * self.events)

    def _event(self, kind: int, line: int, **columns: object) -> int:
        number = self.events
        self.builder.append("events", id=number, kind=kind, site=line - 1, t0=1000.0 * number, **columns)
        self.events += 1
        return number

    def close(self) -> Builder:
        """Write the nodes and return the builder."""
        for rows in self.nodes.values():
            for row in rows:
                self.builder.append("nodes", **row)
        return self.builder


def traced() -> Builder:
    """Return the builder of the recording that this file is about."""
    made = Graphs()
    texts = {name: made.builder.intern(text) for name, text in (("source", SOURCE), ("generated", GENERATED))}
    common = {"function": 0, "definition": 0, "lines": json.dumps(LINES), **texts}
    one, other = ([["x", f"float32 ({size}, 64)"], ["scale", "2.0"]] for size in (32, 16))
    first = made.graph("step", call=8, key=one, trace=1, reason="the first call", converting=2e7, tracing=5e6, **common)
    made.builder.append("trace_effects", graph=first, kind="print", site=2, text='print wrote "tracing (32, 64)"')
    again = "the first call created variables, so it was traced once more without creating any"
    costs = {"tracing": 4e6, "planning": 1e6}
    second = made.graph("step", call=8, key=one, trace=2, reason=again, **costs, **common)
    _nodes(made, second, 32)
    why = {"argument": "x", "before": one[0][1], "after": other[0][1], "reason": "x has another shape",
           "fix": "give it reduce_retracing=True"}  # fmt: skip
    third = made.graph("step", call=9, key=other, trace=3, **why, **costs, **common)
    _nodes(made, third, 16)
    for _ in range(2):
        made.run(second, 8)
    made.run(third, 9, each=True)
    made.builder.meta("title", "two traces and one more")
    return made.close()


def _nodes(made: Graphs, graph: int, batch: int) -> None:
    x = made.node(graph, "x", "placeholder", shape=[batch, 64], line=2)
    w = made.node(graph, "dense/ReadVariableOp", "read_variable", shape=[64, 10], line=4)
    product = made.node(graph, "dense/MatMul", "matmul", [x, w], shape=[batch, 10], line=4)
    b = made.node(graph, "dense/ReadVariableOp_1", "read_variable", shape=[10], line=4)
    h = made.node(graph, "dense/add", "add", [product, b], shape=[batch, 10], line=4)
    total = made.node(graph, "Sum", "reduce_sum", [h], line=5)
    zero = made.node(graph, "Const", "constant", line=5)
    above = made.node(graph, "Greater", "greater", [total, zero], dtype="bool", line=5)
    yes, no = (made.graph(f"{name} branch", "cond", parent=graph) for name in ("true", "false"))
    inner = made.node(yes, "h", "placeholder", shape=[batch, 10])
    made.node(yes, "mul", "multiply", [inner], shape=[batch, 10], line=6)
    made.node(no, "Identity", "identity", [made.node(no, "h", "placeholder")], line=5)
    chosen = made.node(graph, "cond", "cond", [above, h], shape=[batch, 10], line=5, regions=[yes, no])
    unused = made.node(graph, "Sum_1", "reduce_sum", [chosen], line=5)
    mean = made.node(graph, "Mean", "reduce_mean", [chosen], line=7)
    made.node(graph, "Identity", "identity", [mean], line=7, after=[chosen])
    made.apply(graph, "prune", "dropped 1 node that nothing fetched needs", {unused: -1})
    made.apply(graph, "fuse", "made 1 loop of 2 elementwise nodes", {product: h, h: h})


def nested(nodes: int = 10_000, layers: int = 4, blocks: int = 30) -> Builder:
    """Return the builder of one graph of very many nodes: stages of equal blocks of equal layers of eight nodes."""
    made = Graphs("loss = model(images)\n")
    graph = made.graph("model", call=1, key=[["images", "float32 (None, 64)"]], function=0, trace=1, tracing=6e8)
    steps = ("matmul", "add", "identity", "multiply", "reduce_mean", "greater", "add", "multiply")
    at = made.node(graph, "images", "placeholder", shape=[None, 64], line=1)
    for number in range(nodes - 2):
        layer, step = divmod(number, len(steps))
        scope = f"stage_{layer // (layers * blocks)}/block_{layer // layers % blocks}/layer_{layer % layers}"
        at = made.node(graph, f"{scope}/{steps[step]}_{step}", steps[step], [at], shape=[None, 64], line=1)
    made.node(graph, "loss", "reduce_mean", [at], line=1)
    made.builder.meta("title", f"{nodes} nodes")
    return made.close()
