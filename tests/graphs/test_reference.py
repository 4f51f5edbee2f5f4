"""TensorFlow's answers, traced: the tensors that an expression is about are inputs of a graph.

With sizes known while tracing, and with none known. Of the expressions a sixth runs each time, the rest nightly.
"""

import json
import re
import zlib

import pytest

import tapeviz as tf
from tapeviz.functions.function import function
from tests.reference.language import CASES, answers, cases, plain, words
from tests.reference.test_reference import _compare

_PYTHON = re.compile(
    r"^\[?(?:np\.|repr\(|str\(|f\"|len\(|float\(|int\(|bool\(|\[1, 2, 3\]\[)"  # a value that Python or NumPy asks for
    r"|for (?:row|x) in (?:m|x3)\]|\.numpy\(|\.item\(|\.cpu\(\)|dlpack|\.device\b|backing_device"  # where it is
    r"|compute_gradient|random\.Generator\b"  # runs its argument many times and compares; makes variables
    r"|get_static_value|\.shape$|^c\(v\("  # what is known while tracing is less
    r"|numpy_function\((?:lambda x: \[x, 1\]|lambda x: None|lambda x: x, \[3\]|lambda: 3)"  # Tout decides in a graph
    r"|tf\.cond\(c\(True\), lambda: 1"  # a number becomes a tensor
    r"|tf\.(?:group|no_op|tuple)\("  # nodes
    r"|exclusive=True|lambda a: (?:2 \* )?a, tf\.zeros\(\[0"
    r"|TensorArray\(tf\.float32, \d\)\.(?:gather\(\[\]|unstack\(x3\)\.size)"
    r"|foldl\(lambda a, x: a \+ x, x3, 1\)|\.scatter\(\[0, 1\], x3\)|^tf\.fill\(3, 1\)$"  # stricter in a graph
)
"""What TensorFlow cannot trace, or what is another thing in its graphs as well."""
_COUNTED = re.compile(
    r"unstack\(|tf\.add_n\((?:x3|c\()|tf\.stack\(m|tf\.split\(t, c\(|vectorized_map\(lambda a"  # how many tensors
    r"|^x3 [=!]= \[1\.0, 2\.0\]$|tf\.range\(c\(\[1|reduce_(?:sum|max)\([mt], ?axis=c\("  # shapes, or how many axes
)
"""What needs to know a size while tracing."""
_SAID_OTHERWISE = re.compile(
    r"map_fn|foldl|scan\(|tf\.(?:cond|case|while_loop)\(|TensorArray|\.gpu\(\)|in_top_k|x3\[c\(7\)\]|for x in c\(1\)"
    r"|__index__|summarize=2|\.name$"
)
"""Errors that are others in graphs, or said in other words."""
ANSWERS = {file.stem: json.loads(answers(file.stem).read_text()) for file in CASES}


def _row(file, expression, *more):
    often = zlib.crc32(expression.encode()) % 6 == 0
    name = f"{file.stem}: {expression}"
    return pytest.param(file.stem, expression, *more, id=name, marks=[] if often else pytest.mark.nightly)


TRACED = [
    (file, expression, phrase) for file in CASES for expression, phrase in cases(file) if not _PYTHON.search(expression)
]
ROWS = [_row(file, expression) for file, expression, phrase in TRACED if not phrase]
ERRORS = [_row(*row) for row in TRACED if row[2] and not _SAID_OTHERWISE.search(row[1])]


class Words:
    """The words of the language with what is made in them kept: tensors by ``c``, variables by ``v``.

    With ``tensors``, those made before, ``c`` gives them in place of new ones: for the same arguments, in order.
    """

    def __init__(self, tensors=(), variables=None):
        self.made = []
        self.variables = []
        self._known = {}
        for key, tensor in tensors:
            self._known.setdefault(key, []).append(tensor)
        self._variables = None if variables is None else iter(variables)
        self.table = words(_Namespace(self))

    def constant(self, value, *args, **kwargs):
        if tf.is_tensor(value):
            return tf.constant(value, *args, **kwargs)
        key = f"{value!r} {args} {kwargs}"
        if known := self._known.get(key):
            return known.pop(0)
        tensor = tf.constant(value, *args, **kwargs)
        self.made.append((key, tensor))
        return tensor

    def variable(self, *args, **kwargs):
        if self._variables is not None and (known := next(self._variables, None)) is not None:
            return known
        self.variables.append((args, kwargs))
        return tf.Variable(*args, **kwargs)


class _Namespace:
    """``tf`` with tensors and variables made by others."""

    def __init__(self, made):
        self._made = made

    def __getattr__(self, name):
        if name == "constant":
            return self._made.constant
        return self._made.variable if name == "Variable" else getattr(tf, name)


def traced(expression, *, open_sizes):
    """Return the value of an expression as a graph computes it."""
    eager = Words()
    eval(expression, eager.table)
    variables = [tf.Variable(*args, **kwargs) for args, kwargs in eager.variables]
    structure = []

    def body(*tensors):
        found = []
        keyed = zip((key for key, _ in eager.made), tensors, strict=True)
        result = eval(expression, Words(keyed, variables).table)
        structure[:] = [_taken_out(result, found)]
        return found

    specs = [tf.TensorSpec([None] * x.ndim if open_sizes else x.shape, x.dtype) for _, x in eager.made]
    graph = function(body, input_signature=specs)
    found = graph(*(x for _, x in eager.made))
    return _put_in(structure[0], iter(found))


def _taken_out(value, found):
    """Return a structure without its tensors, which are added to ``found``."""
    if tf.is_tensor(value):
        found.append(tf.convert_to_tensor(value))
        return _HERE
    if isinstance(value, (list, tuple)):
        return [_taken_out(part, found) for part in value]
    return {key: _taken_out(part, found) for key, part in value.items()} if isinstance(value, dict) else value


def _put_in(value, tensors):
    if value is _HERE:
        return next(tensors)
    if isinstance(value, list):
        return [_put_in(part, tensors) for part in value]
    return {key: _put_in(part, tensors) for key, part in value.items()} if isinstance(value, dict) else value


_HERE = object()


@pytest.mark.parametrize(("subject", "expression"), ROWS)
def test_the_value_is_tensorflows(subject, expression):
    wanted = ANSWERS[subject][expression]["value"]
    _compare(plain(traced(expression, open_sizes=False)), wanted)
    if not _COUNTED.search(expression):
        _compare(plain(traced(expression, open_sizes=True)), wanted)


@pytest.mark.parametrize(("subject", "expression", "phrase"), ERRORS)
def test_the_error_says_what_tensorflows_says(subject, expression, phrase):
    assert "error" in ANSWERS[subject][expression]
    eager = Words()
    with pytest.raises(Exception, match=r"(?s).*"):
        eval(expression, eager.table)
    variables = [tf.Variable(*args, **kwargs) for args, kwargs in eager.variables if not _fails(*args, **kwargs)]

    def body(*tensors):
        found = []
        keyed = zip((key for key, _ in eager.made), tensors, strict=True)
        _taken_out(eval(expression, Words(keyed, variables).table), found)
        return found

    with pytest.raises(Exception, match=r"(?s).*") as caught:
        function(body)(*(tensor for _, tensor in eager.made))
    assert phrase in str(caught.value)


def _fails(*args, **kwargs):
    try:
        tf.Variable(*args, **kwargs)
    except (TypeError, ValueError, tf.errors.OpError):
        return True
    return False


def test_few_expressions_are_left_out():
    every = [expression for file in CASES for expression, phrase in cases(file) if not phrase]
    assert len(every) - len(ROWS) < 0.08 * len(every)
    assert sum(bool(_COUNTED.search(row.values[1])) for row in ROWS) < 25
