"""Assignments to parts of variables, each as text: what the variable begins with, and what is done with it."""

VALUES = {
    "v": "tf.reshape(tf.range(12.0), [4, 3])",
    "i": "tf.constant([7, -7, 3])",
    "b": "tf.constant([True, False])",
    "s": "tf.constant(['a', 'b'])",
    "d": "tf.constant([1.0, 2.0], tf.float64)",
    "c": "tf.constant([1j, 2.0])",
}

ASSIGNMENTS = [
    "v[1].assign([1.0, 2.0, 3.0])",
    "v[1].assign(2.0)",
    "v[:2, 1:].assign(tf.ones([2, 2]))",
    "v[-1].assign([1, 2, 3])",
    "v[..., 0].assign([1.0, 2.0, 3.0, 4.0])",
    "v[tf.constant(1)].assign([5.0, 5.0, 5.0])",
    "v[1, 2].assign(9.0)",
    "v[:, tf.newaxis].assign(tf.ones([4, 1, 3]))",
    "v[1:3].assign([7.0, 8.0, 9.0])",
    "v[::-2].assign([[1, 1, 1], [2, 2, 2]])",
    "v[tf.constant(1) :].assign(0.0)",
    "v[3:1].assign(0.0)",
    "v[...].assign(1.0)",
    "v[1][2:].assign([1.0])",
    "v[1].assign([1.0, 2.0])",
    "v[9].assign([1.0, 2.0, 3.0])",
    "v[1].assign(tf.constant([1, 2, 3]))",
    "v[v > 0].assign([1.0])",
    "v[1].assign([1.0, 2.0, 3.0], name='part')",
    "i[1].assign(9)",
    "i[1].assign(9.5)",
    "b[1].assign(True)",
    "s[1].assign('z')",
    "d[0].assign(3)",
    "c[1].assign(3.0)",
    "v[0].assign([1.0, 1.0, 1.0])[1].assign([2.0, 2.0, 2.0])",
    "v.scatter_nd_update([[1]], [[1.0, 2.0, 3.0]])",
    "v.scatter_nd_update([[1], [1]], [[1.0] * 3, [2.0] * 3])",
    "v.scatter_nd_update([[1, 2], [0, 0]], [8.0, 9.0])",
    "v.scatter_nd_add([[1]], [[1.0, 1.0, 1.0]])",
    "v.scatter_nd_add([[1, 1], [1, 1]], [1.0, 2.0])",
    "v.scatter_nd_add([[1]], [[1, 1, 1]])",
    "v.scatter_nd_sub([[1], [3]], [[1.0] * 3] * 2)",
    "v.scatter_nd_max([[1]], [[9.0, 1.0, 1.0]])",
    "v.scatter_nd_min([[1]], [[9.0, -1.0, 1.0]])",
    "v.scatter_nd_add([[1, 1], [9, 9]], [1.0, 1.0])",
    "v.scatter_nd_add([[1]], [1.0])",
    "v.scatter_nd_add([[-1]], [[1.0, 1.0, 1.0]])",
    "i.scatter_nd_add([[0], [0]], [4, 5])",
    "i.scatter_nd_add([[0]], [4.5])",
    "s.scatter_nd_update([[0]], ['q'])",
    "b.scatter_nd_update([[0]], [False])",
    "v.scatter_update(tf.IndexedSlices(tf.ones([1, 3]), [1]))",
    "v.scatter_update(tf.IndexedSlices(tf.constant(2.0), [1]))",
    "v.scatter_add(tf.IndexedSlices(tf.ones([2, 3]), [1, 1]))",
    "v.scatter_add(tf.IndexedSlices(tf.ones([3]), 1))",
    "v.scatter_add(tf.IndexedSlices(tf.ones([2, 2, 3]), [[0, 1], [2, 0]]))",
    "v.scatter_add(tf.IndexedSlices(tf.constant(2.0), [1]))",
    "v.scatter_sub(tf.IndexedSlices(tf.ones([1, 3]), [1]))",
    "v.scatter_mul(tf.IndexedSlices(tf.fill([2, 3], 3.0), [1, 1]))",
    "v.scatter_mul(tf.IndexedSlices(tf.constant(2.0), [0, 3]))",
    "v.scatter_div(tf.IndexedSlices(tf.fill([1, 3], 2.0), [1]))",
    "i.scatter_div(tf.IndexedSlices([2, 2], [1, 2]))",
    "i.scatter_mul(tf.IndexedSlices([2], [1]))",
    "v.scatter_max(tf.IndexedSlices(tf.fill([1, 3], 4.0), [1]))",
    "v.scatter_min(tf.IndexedSlices(tf.fill([1, 3], 4.0), [1]))",
    "b.scatter_update(tf.IndexedSlices([True], [1]))",
    "v.scatter_add(tf.ones([3]))",
    "v.scatter_add(tf.IndexedSlices(tf.ones([1, 3]), [9]))",
    "v.scatter_mul(tf.IndexedSlices(tf.ones([1, 3]), [9]))",
    "v.scatter_add(tf.IndexedSlices(tf.ones([1, 3], tf.float64), [1]))",
    "v.sparse_read([1, 0])",
    "v.gather_nd([[1, 2], [0, 0]])",
    "v.gather_nd([[1]])",
]


def answer(tf, text, call=lambda f: f()):
    """Return what ``text`` gives, with the variable after it, or the class of the error; ``call`` runs it."""
    names = {"tf": tf, **{name: tf.Variable(eval(code, {"tf": tf})) for name, code in VALUES.items()}}
    variable = names[text[0]]
    try:
        found = call(lambda: tf.convert_to_tensor(eval(text, names)))
    except Exception as error:  # noqa: BLE001 - an error is an answer
        return type(error).__name__
    return [told(found), told(variable)]


def slopes(tf, text):
    """Return the gradients of what is read after ``text``, by what was assigned and by the variable."""
    v, x = tf.Variable(tf.reshape(tf.range(12.0), [4, 3])), tf.Variable([1.0, 2.0, 3.0])
    with tf.GradientTape() as tape:
        eval(text, {"tf": tf, "v": v, "x": x})
        y = tf.reduce_sum(v * v)
    return [None if slope is None else told(slope) for slope in tape.gradient(y, [x, v])]


FOLLOWED = [
    "v[1].assign(x * 2)",
    "v.scatter_nd_add([[1]], [x])",
    "v.scatter_update(tf.IndexedSlices([x], [1]))",
    "v.scatter_mul(tf.IndexedSlices([x], [1]))",
]


def told(tensor):
    """Return a tensor as JSON can hold it."""
    return [tensor.dtype.name, str(tensor.numpy().tolist())]
