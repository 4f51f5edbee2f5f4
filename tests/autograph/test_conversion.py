"""What a conversion says: source, generated code, lines, reasons; and where errors are."""

import ast
import doctest
import functools
import inspect
import linecache
import time
import traceback

import numpy as np
import pytest

import tapeviz as tf
from tapeviz import autograph
from tests.autograph.every_program import ids, programs


def fails(x):
    total = 0
    for k in x:
        if k > 1:
            while k > 0:
                k -= 1  # noqa: PLW2901
                total += 1 // (k - 1)  # the line
    return total


def places(function, *args):
    """The lines of this file in the traceback of a call, with the names of the functions."""
    with pytest.raises(Exception) as caught:  # noqa: PT011
        function(*args)
    frames = traceback.extract_tb(caught.value.__traceback__)
    return [(frame.lineno, frame.name, frame.line) for frame in frames if frame.filename == __file__][1:]


def test_tracebacks_show_the_lines_of_the_source():
    converted, _ = autograph.convert(fails)
    first = fails.__code__.co_firstlineno
    plain, ours = places(fails, [3]), places(converted, [3])
    assert plain == [(first + 6, "fails", "total += 1 // (k - 1)  # the line")]
    assert [line for line, *_ in ours] == [first + 2, first + 3, first + 4, first + 6]
    assert {name for _, name, _ in ours} == {"fails"}
    assert ours[-1] == plain[-1]


def test_frames_of_operators_are_hidden_from_tracebacks():
    converted, _ = autograph.convert(fails)
    with pytest.raises(ZeroDivisionError) as caught:
        converted([3])
    frames = [frame for frame, _ in traceback.walk_tb(caught.value.__traceback__)]
    ours = [frame for frame in frames if frame.f_globals["__name__"].startswith("tapeviz")]
    assert len(ours) == 3
    assert all("__tracebackhide__" in frame.f_locals for frame in ours)


def test_columns_are_those_of_the_source():
    converted, _ = autograph.convert(fails)
    wanted = {place for place in fails.__code__.co_positions() if place[0] == fails.__code__.co_firstlineno + 6}

    def inside(code):
        yield from code.co_positions()
        for constant in code.co_consts:
            if inspect.iscode(constant):
                yield from inside(constant)

    assert wanted <= set(inside(converted.__code__)) | {place for place in wanted if place[2] == place[3]}


def test_a_conversion_has_source_generated_code_and_lines():
    _, conversion = autograph.convert(fails)
    assert conversion.source == inspect.getsource(fails)
    assert conversion.file == __file__
    assert conversion.seconds > 0
    assert not conversion.reason
    assert autograph.to_code(fails) == conversion.generated
    written = conversion.generated.splitlines()
    first = fails.__code__.co_firstlineno
    assert (1, first) in conversion.line_map
    line = next(k for k, text in enumerate(written, 1) if "total +=" in text)
    assert (line, first + 6) in conversion.line_map


@pytest.mark.parametrize("program", programs, ids=ids)
def test_every_line_of_every_program_is_in_its_map(program):
    _, conversion = autograph.convert(program.function)
    tree = ast.parse(conversion.generated)
    statements = {node.lineno for node in ast.walk(tree) if isinstance(node, ast.stmt)}
    assert statements <= {line for line, _ in conversion.line_map}
    code = inspect.unwrap(program.function).__code__
    last = code.co_firstlineno + len(conversion.source.splitlines())
    assert all(code.co_firstlineno <= line < last for _, line in conversion.line_map)


def test_conversions_are_kept_for_each_piece_of_code():
    def make(k):
        def inner(x):
            return x + k if x > 0 else k

        return inner

    one, other = (autograph.convert(make(k)) for k in (1, 2))
    assert one[1] is other[1]
    assert (one[0](1), other[0](1)) == (2, 3)
    assert one[0].__code__ is other[0].__code__


def test_only_so_many_conversions_are_kept():
    from tapeviz.autograph import conversion

    for k in range(conversion.MOST + 5):
        name = f"<many {k}>"
        scope = {"__name__": "__main__"}
        exec(compile("def f(x):\n    return x\n", name, "exec"), scope)
        autograph.convert(scope["f"])
    assert len(conversion.known) <= conversion.MOST


def in_a_cell(text, file="<cell 1>"):
    """A function defined as in a notebook, whose source only linecache knows."""
    linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
    scope = {"__name__": "__main__", "tf": tf}
    exec(compile(text, file, "exec"), scope)
    return scope


def test_functions_of_cells_are_converted():
    scope = in_a_cell("# a header\n\ndef f(x):\n    while x > 3:\n        x -= 1 // (x - 5)\n    return x\n")
    converted, conversion = autograph.convert(scope["f"])
    assert conversion.file == "<cell 1>"
    assert conversion.source.startswith("def f(x):\n")
    assert conversion.line_map[0] == (1, 3)
    with pytest.raises(ZeroDivisionError) as caught:
        converted(5)
    assert traceback.extract_tb(caught.value.__traceback__)[-1].lineno == 5


def test_a_cell_run_again_with_other_code():
    converted = [autograph.convert(in_a_cell(f"def f(x):\n    return {k} if x else 0\n")["f"])[0] for k in (1, 2)]
    assert [function(1) for function in converted] == [1, 2]


def test_source_that_is_not_that_of_the_function_any_more():
    scope = in_a_cell("def f(x):\n    return x\n")
    linecache.cache["<cell 1>"] = (5, None, ["a = 1\n", "b = 2\n"], "<cell 1>")
    converted, conversion = autograph.convert(scope["f"])
    assert converted is scope["f"]
    assert "is not its definition" in conversion.reason


def generator(x):
    yield x


async def asynchronous(x):
    return x


@pytest.mark.parametrize(
    ("function", "reason"),
    [
        (len, "not written in Python"),
        (np.sin, "object that can be called"),
        (np.geterr, "of a library, numpy"),
        (tf.add, "of a library, tapeviz"),
        (functools.reduce, "not written in Python"),
        (inspect.getsource, "of a library, inspect"),
        (generator, "a generator"),
        (asynchronous, "asynchronous"),
        (ast.AST, "a class"),
        (eval("lambda x: x"), "the source of <string> is not available"),
        (autograph.do_not_convert(fails), "marked do_not_convert"),
        (autograph.experimental.do_not_convert()(fails), "marked do_not_convert"),
        (5, "cannot be called"),
    ],
)
def test_what_is_not_converted_runs_as_it_is_with_the_reason(function, reason):
    converted, conversion = autograph.convert(function)
    assert converted is function
    assert reason in conversion.reason
    with pytest.raises(ValueError, match="cannot be converted"):
        autograph.to_code(function)


def test_converted_code_is_not_converted_again():
    converted, _ = autograph.convert(fails)
    again, conversion = autograph.convert(converted)
    assert again is converted
    assert conversion.reason == "it is converted"


def test_functions_that_are_called_are_converted_and_those_marked_are_not():
    seen = []

    def inner(x):
        seen.append(inspect.currentframe().f_code)
        return x if x > 0 else -x

    @autograph.experimental.do_not_convert
    def marked(x):
        seen.append(inspect.currentframe().f_code)
        return x if x > 0 else -x

    def outer(x):
        return inner(x) + marked(x)

    converted, _ = autograph.convert(outer)
    assert converted(-1) == 2
    assert seen[0] is not inner.__code__
    assert seen[1] is marked.__wrapped__.__code__


@pytest.mark.parametrize("module", ["api", "experimental"])
def test_examples_in_docstrings(module):
    from importlib import import_module

    results = doctest.testmod(import_module(f"tapeviz.autograph.{module}"), optionflags=doctest.NORMALIZE_WHITESPACE)
    assert results.attempted
    assert not results.failed


def test_to_graph_gives_the_converted_function():
    assert autograph.to_graph(lambda x: x if x > 0 else -x)(-3) == 3


def test_trace_and_verbosity(capsys):
    autograph.trace("a", 1)
    autograph.set_verbosity(1, alsologtostdout=True)
    scope = {"__name__": "__main__"}
    exec(compile("def f(x): return x", "<no source at all>", "exec"), scope)
    autograph.convert(scope["f"])
    autograph.set_verbosity(0)
    said = "AutoGraph runs f as it is: the source of <no source at all> is not available"
    assert capsys.readouterr().out == f"a 1\n{said}\n"


def forty_lines(a, b, c, d=3):  # noqa: C901, PLR0912
    total = 0
    x, y = a, b
    for i in range(d):
        if i % 2 == 0:
            x = x + y * 2
        elif i > 10 and x < 3:
            y = y - 1
        else:
            x, y = y, x
        while x > 100:
            x = x / 2
            if y > x:
                y = y / 2
                break
            for j in range(3):
                if j == 2:
                    continue
                total += j * x
        total = total + x * y
    values = []
    for k in range(d):
        if k > 1 and total > 0:
            values.append(total * k)
        else:
            values.append(total)
    if total > 1000:
        return values, total
    z = total if x > y else -total
    if not (x > 0 or y > 0):
        z = z * 2
        if c is None:
            return values, z
    for v in values:
        if v > z > 0:
            z = v
        elif v < -z:
            z = z + v
    count = len(values)
    assert count > 0, "none"
    return values, max(z, total)


def test_forty_lines_are_converted_within_50_ms():
    text = inspect.getsource(forty_lines)
    seconds = []
    for k in range(5):
        scope = in_a_cell(text, f"<timed {k}>")
        t0 = time.process_time()
        converted, conversion = autograph.convert(scope["forty_lines"])
        seconds.append(time.process_time() - t0)
        assert not conversion.reason
        assert converted(1, 2, None) == forty_lines(1, 2, None)
    assert min(seconds) < 0.05
