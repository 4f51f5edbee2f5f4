"""What is true of an op beyond its inputs and outputs, as words: passes, compiler, recorder and views ask for these.

A rule for "ops like ``exp``" asks for a trait, never for names. A trait is said once, at the declaration, and kept in
recordings. ``tests/ops/test_traits.py`` holds each of them against arrays.
"""

from __future__ import annotations

from typing import Final

__all__ = ["HINTS", "TRAITS"]

TRAITS: Final[dict[str, str]] = {
    # What it does with its elements.
    "moves": "each element of the output is an element of an input, unchanged",
    "identity": "computes nothing: the output is the first input",
    "reshapes": "the output has the input's elements in the same order under another shape",
    "cast": "the output has the input's elements in another dtype",
    "selects": "each element of the output is that of one of two inputs, as a condition says",
    "indexes": "an input of integers says which rows, positions or classes are meant",
    "locates": "the output holds positions along an axis of the input",
    "shape_only": "the output depends on shapes and dtypes of the inputs alone",
    # What it computes.
    "sum": "adds or subtracts elements",
    "mean": "takes the mean of elements",
    "product": "is linear in each of its inputs: sums of products of their elements",
    "factors": "multiplies elements of its first input with one another, or with themselves",
    "power": "raises its first input to the power of its second",
    "squares": "squares elements or their differences on the way",
    "quotient": "divides by its last input, or by the root of it",
    "root": "takes a root, whose slope at 0 is infinite",
    "spread": "measures how far elements are apart: 0 where all are equal",
    "logarithm": "takes the logarithm of its last input: minus infinity at the lower end of its domain",
    "exponential": "is e to the power of its input",
    "shifted": "is the logarithm or exponential that stays exact near 0: log(1 + x), exp(x) - 1",
    "grows_exponentially": "grows like e to the power of its input",
    "logistic": "is 1 / (1 + exp(-x))",
    "bipolar": "is a sigmoid between -1 and 1, through 0, such as tanh",
    "softmax": "relates exponentials of elements to their sum, so that adding a number to all of them changes nothing",
    "logits": "its last input holds logits, any numbers, of which it takes the sigmoid or the softmax itself",
    "distribution": "the elements of the output along an axis are at least 0 and add up to 1",
    # How it rounds and where it lies.
    "exact": "each element of the output is rounded as IEEE 754 says, whatever its position and its neighbours",
    "objects": "computes with arrays of Python's whole numbers as with arrays of numbers",
    "contiguous": "the output lies in memory row by row, in whatever order the inputs lie",
    # Its gradient.
    "flat": "for some inputs the gradient by an input is exactly 0",
    "saturates": "its slope becomes 0, or as good as 0, far from 0 on at least one side",
    "stops_gradient": "the output is the input, and no gradient goes back from it, as was asked for",
    "custom_gradient": "the gradient is a function of the user's",
    "sized_gradient": "the gradient is a program that the sizes of the inputs decide",
    # Beyond arrays.
    "reads_variable": "the output is the value of a variable",
    "writes_variable": "sets the value of a variable",
    "replicated": "what it gives is the same on each rank of the group that ran it together",
    "source": "what it gives comes from outside the graph or stands in it as a number",
}
"""Every trait and what it means of an op that has it."""
HINTS: Final[dict[str, str]] = {
    "converts_apart": "Python's values become tensors one by one, each of the dtype that it would have alone",
    "joins_strings": "of strings it is their concatenation, as a call of a Python function",
    "fresh": "the output has memory of its own, whatever the inputs and attributes",
    "lies_like_input": "the output may lie in memory as its input does, though it is no view of it for every input",
    "view": "where the input lies row by row, the output is the same memory, as it is, in a shape that may be another",
    "uneven": "goes element by element, but an input or the output has another shape or dtype than the others",
}
"""What dispatch and the compiler ask of an op, and nobody who looks at a recording: it keeps none of them."""
