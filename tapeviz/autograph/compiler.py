"""From a converted tree to code that has the file and the lines of the user's source."""

from __future__ import annotations

import ast
import copy
import itertools
from types import CodeType, FunctionType
from typing import Final

from tapeviz.autograph.syntax_nodes import function

__all__ = ["compiled"]

_FUTURE: Final = 0x1FF0000
"""The flags of ``from __future__ import ...`` among those of code."""
# No name that the user's code can have: in it, the function's own name means what it means where it was written.
_FUNCTION: Final = "<function>"


def compiled(node: ast.FunctionDef | ast.Lambda, user: FunctionType, operators: str, made: set[str]) -> CodeType:
    """The code of a converted function.

    Args:
        node: the converted function.
        user: the original function.
        operators: the name that the code knows the operators by.
        made: the names of functions made of blocks: their code has the name of the function that they are part of.
    """
    original = user.__code__
    flags = original.co_flags & _FUTURE
    tree = _within(node, _class_of(user), [operators, *original.co_freevars])
    code = compile(ast.fix_missing_locations(tree), original.co_filename, "exec", flags, dont_inherit=True)
    name = "<lambda>" if isinstance(node, ast.Lambda) else _FUNCTION
    while code.co_name != name:
        code = next(constant for constant in code.co_consts if isinstance(constant, CodeType))
    return _named(code, original.co_name, original.co_qualname, made)


def _class_of(user: FunctionType) -> str:
    """The class that the function is written in, by whose name private names are written; empty for none."""
    names = user.__qualname__.split(".")
    classes = [one for one, inside in itertools.pairwise(names) if "<locals>" not in (one, inside)]
    return classes[-1] if classes and classes[-1].isidentifier() else ""


def _within(node: ast.FunctionDef | ast.Lambda, class_name: str, outer: list[str]) -> ast.Module:
    """A module with the function in a function whose parameters are the variables that it takes from outside.

    None of it runs: only the function's code is taken out. So there are no defaults, annotations and decorators.
    """
    args = copy.deepcopy(node.args)
    args.defaults = [ast.Constant(None) for _ in args.defaults]
    args.kw_defaults = [default and ast.Constant(None) for default in args.kw_defaults]
    for arg in (*args.posonlyargs, *args.args, *args.kwonlyargs, args.vararg, args.kwarg):
        if arg is not None:
            arg.annotation = None
    if isinstance(node, ast.Lambda):
        body: list[ast.stmt] = [ast.copy_location(ast.Expr(ast.copy_location(ast.Lambda(args, node.body), node)), node)]
    else:
        body = [ast.copy_location(function(_FUNCTION, args, node.body), node)]
    if class_name:
        around = ast.ClassDef(class_name, [], [], body, [])
        vars(around)["type_params"] = []
        body = [ast.copy_location(around, node)]
        if class_name not in outer:
            body = [ast.copy_location(ast.Global([class_name]), node), *body]
    parameters = ast.arguments([], [ast.arg(name) for name in outer], None, [], [], None, [])
    return ast.Module([ast.copy_location(function("factory", parameters, body), node)], [])


def _named(code: CodeType, name: str, qualname: str, made: set[str]) -> CodeType:
    """The code with the names of the original, for tracebacks and recordings."""
    constants = []
    for inner in code.co_consts:
        if not isinstance(inner, CodeType):
            constants.append(inner)
        elif inner.co_name in made:
            constants.append(_named(inner, name, qualname, made))
        else:
            own = f"{qualname}.<locals>.{inner.co_name}"
            constants.append(_named(inner, inner.co_name, own, made))
    return code.replace(co_consts=tuple(constants), co_name=name, co_qualname=qualname)
