"""Which names a piece of a syntax tree reads and which it binds, its own scopes taken into account."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

__all__ = ["bound", "captured", "every_name", "mutated", "places", "read", "scoped_statements"]

Function = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda
_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
_SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)

# Methods of a list that change it: in a loop of the graph the list is part of the loop's state.
_MUTATING = frozenset({"append", "pop"})


def every_name(tree: ast.AST) -> set[str]:
    """All names in the tree whatever they mean, for choosing new ones."""
    found: set[str] = set()
    for node in ast.walk(tree):
        match node:
            case ast.Name(id=name) | ast.arg(arg=name) | ast.keyword(arg=str(name)):
                found.add(name)
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
                found.add(name)
            case ast.Global(names=names) | ast.Nonlocal(names=names):
                found.update(names)
            case ast.alias(name=name, asname=other):
                found.add(other or name.partition(".")[0])
            case ast.ExceptHandler(name=str(name)) | ast.MatchAs(name=str(name)) | ast.MatchStar(name=str(name)):
                found.add(name)
            case ast.MatchMapping(rest=str(name)):
                found.add(name)
    return found


def scoped_statements(tree: ast.AST | Iterable[ast.AST]) -> Iterator[ast.AST]:
    """The nodes that run in this scope: not those inside functions, lambdas, classes; comprehensions are inside."""
    waiting = [tree] if isinstance(tree, ast.AST) else list(tree)
    while waiting:
        node = waiting.pop()
        yield node
        if isinstance(node, _SCOPES):
            waiting += _outer_parts(node)
        elif isinstance(node, ast.Lambda):
            waiting += _defaults(node.args)
        else:
            waiting += ast.iter_child_nodes(node)


def _defaults(args: ast.arguments) -> list[ast.AST]:
    return [*args.defaults, *(default for default in args.kw_defaults if default is not None)]


def _outer_parts(node: ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) -> list[ast.AST]:
    """What of a definition is evaluated around it."""
    if isinstance(node, ast.ClassDef):
        return [*node.decorator_list, *node.bases, *(keyword.value for keyword in node.keywords)]
    every = [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs, node.args.vararg, node.args.kwarg]
    notes = [arg.annotation for arg in every if arg is not None and arg.annotation is not None]
    return [*node.decorator_list, *_defaults(node.args), *notes, *([node.returns] if node.returns else [])]


def bound(tree: ast.AST | Iterable[ast.AST]) -> list[str]:
    """The names that this code binds or unbinds in its own scope, in the order of the source."""
    found: dict[str, tuple[int, int]] = {}
    hidden = _comprehension_targets(tree)
    for node in scoped_statements(tree):
        place = (getattr(node, "lineno", 0), getattr(node, "col_offset", 0))
        for name in _binds(node):
            if id(node) not in hidden:
                found[name] = min(place, found.get(name, place))
    return sorted(found, key=lambda name: found[name])


def _binds(node: ast.AST) -> list[str]:
    match node:
        case ast.Name(id=name, ctx=ast.Store() | ast.Del()):
            return [name]
        case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
            return [name]
        case ast.Import(names=names) | ast.ImportFrom(names=names):
            return [alias.asname or alias.name.partition(".")[0] for alias in names]
        case ast.ExceptHandler(name=str(name)) | ast.MatchAs(name=str(name)) | ast.MatchStar(name=str(name)):
            return [name]
        case ast.MatchMapping(rest=str(name)):
            return [name]
    return []


def _comprehension_targets(tree: ast.AST | Iterable[ast.AST]) -> set[int]:
    """The nodes that are targets of comprehensions, which live in a scope of their own."""
    return {
        id(name)
        for node in scoped_statements(tree)
        if isinstance(node, ast.comprehension)
        for name in ast.walk(node.target)
    }


def read(tree: ast.AST | None) -> set[str]:  # noqa: PLR0911 - a line a case
    """The names that the code reads from its scope, those read later by functions made in it too."""
    if tree is None:
        return set()
    if isinstance(tree, ast.Name):
        return {tree.id} if isinstance(tree.ctx, ast.Load) else set()
    if isinstance(tree, ast.Lambda):
        return (read(tree.body) - _parameters(tree.args)).union(*map(read, _defaults(tree.args)))
    if isinstance(tree, (ast.FunctionDef, ast.AsyncFunctionDef)):
        inside = set().union(*map(read, tree.body))
        outer = set(_declared(tree, ast.Nonlocal))
        own = (set(bound(tree.body)) | _parameters(tree.args)) - outer - set(_declared(tree, ast.Global))
        return ((inside | outer) - own).union(*map(read, _outer_parts(tree)))
    if isinstance(tree, _COMPREHENSIONS):
        targets = {name for generator in tree.generators for name in _stored(generator.target)}
        return set().union(*map(read, ast.iter_child_nodes(tree))) - targets
    if isinstance(tree, ast.AugAssign) and isinstance(tree.target, ast.Name):
        return {tree.target.id} | read(tree.value)
    return set().union(*map(read, ast.iter_child_nodes(tree)))


def _stored(target: ast.AST) -> set[str]:
    return {node.id for node in ast.walk(target) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}


def _declared(function: ast.AST, kind: type[ast.Nonlocal | ast.Global]) -> list[str]:
    body = getattr(function, "body", [])
    return [name for node in scoped_statements(body) if isinstance(node, kind) for name in node.names]


def _parameters(args: ast.arguments) -> set[str]:
    every = [*args.posonlyargs, *args.args, *args.kwonlyargs, args.vararg, args.kwarg]
    return {arg.arg for arg in every if arg is not None}


def captured(body: Iterable[ast.stmt]) -> set[str]:
    """The names that functions, lambdas and generators made in this scope know: they may be asked at any time."""
    found: set[str] = set()
    for node in scoped_statements(body):
        if isinstance(node, (*_SCOPES, ast.Lambda, ast.GeneratorExp)):
            found |= read(node)
    return found


def mutated(tree: Iterable[ast.AST]) -> list[str]:
    """The names of lists that this code makes longer or shorter, in the order of the source."""
    found: dict[str, int] = {}
    for node in scoped_statements(tree):
        match node:
            case ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr=method)) if method in _MUTATING:
                found[name] = min(node.lineno, found.get(name, node.lineno))
    return sorted(found, key=lambda name: found[name])


def places(tree: Iterable[ast.AST], unstable: set[str]) -> list[str]:
    """Attributes and items that this code assigns and that are the same place throughout: ``self.total``, ``a[0]``.

    Args:
        tree: the code.
        unstable: names that it binds: what is reached through them changes.
    """
    found: dict[str, int] = {}
    for node in scoped_statements(tree):
        if isinstance(node, (ast.Attribute, ast.Subscript)) and isinstance(node.ctx, (ast.Store, ast.Del)):
            names = {part.id for part in ast.walk(node) if isinstance(part, ast.Name)}
            if _is_place(node) and not names & unstable:
                found.setdefault(ast.unparse(node), node.lineno)
    return sorted(found, key=lambda place: found[place])


def _is_place(node: ast.AST) -> bool:
    match node:
        case ast.Name():
            return True
        case ast.Attribute(value=value):
            return _is_place(value)
        case ast.Subscript(value=value, slice=ast.Constant() | ast.Name()):
            return _is_place(value)
        case ast.Subscript(value=value, slice=ast.UnaryOp(op=ast.USub(), operand=ast.Constant())):
            return _is_place(value)
    return False
