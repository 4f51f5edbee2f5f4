"""What a recorder writes of an op besides its name, family and formulas."""

import tapeviz.ops  # noqa: F401 - offers them all
from tapeviz.engine.declaration import registry
from tapeviz.graphs.ir import special_nodes

_NODES = {op.name: op for op in (special_nodes.INPUT, special_nodes.CAPTURE, special_nodes.CONSTANT)}
_NODES["placeholder"] = special_nodes.INPUT


def declared(name: str) -> dict[str, str]:
    """Return the columns of ``ops`` that are not the same for every op; nothing for an op that is not known."""
    op = _NODES.get(name) or registry.get(name)
    return {} if op is None else {"traits": " ".join(sorted(op.traits)), "domain": op.domain, "surrogate": op.surrogate}
