"""Each reason of the closed list in a recorded cell: where it is, what the fix must say, and whether it is certain."""

from dataclasses import dataclass

__all__ = ["CASES", "NETWORK", "Case"]

NETWORK = """
w1 = tf.Variable([[0.5, -0.2], [0.1, 0.3]], name="w1")
w2 = tf.Variable([[0.4], [0.7]], name="w2")
x = tf.constant([[1.0, 2.0], [3.0, 4.0]])
"""


@dataclass(frozen=True)
class Case:
    """A recorded cell, asked about one pair: what the answer must say."""

    reason: str
    line: int
    fix: str
    code: str
    target: str = "loss"
    source: str = "w1"
    certain: bool = True
    cell: int = 2


CASES = {
    "a plain tensor": Case(
        "not_watched", 2, "call tape.watch(x) before line 2",
        """
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(x * x)
        g = tape.gradient(loss, x)
        """,
        source="x",
    ),
    "watched too late": Case(
        "not_watched", 2, "move t.watch(x) above line 2",
        """
        with tf.GradientTape() as t:
            h = x * x
            t.watch(x)
            loss = tf.reduce_sum(h)
        g = t.gradient(loss, x)
        """,
        source="x",
    ),
    "watch_accessed_variables": Case(
        "not_watched", 2, "tape.watch(w1)",
        """
        with tf.GradientTape(watch_accessed_variables=False) as tape:
            loss = tf.reduce_sum(x @ w1)
        g = tape.gradient(loss, w1)
        """,
    ),
    "trainable=False": Case(
        "not_watched", 3, "trainable=False",
        """
        frozen = tf.Variable([[1.0], [1.0]], trainable=False)
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(x @ frozen)
        g = tape.gradient(loss, frozen)
        """,
        source="frozen",
    ),
    "forgotten by reset": Case(
        "not_watched", 4, "after reset()",
        """
        with tf.GradientTape() as tape:
            tape.watch(x)
            tape.reset()
            loss = tf.reduce_sum(x * x)
        g = tape.gradient(loss, x)
        """,
        source="x",
    ),
    "an update that makes a tensor": Case(
        "rebound", 5, "w1.assign_sub(0.1 * g)",
        """
        for step in range(2):
            with tf.GradientTape() as tape:
                loss = tf.reduce_sum(x @ w1)
            g = tape.gradient(loss, w1)
            w1 = w1 - 0.1 * g
        """,
    ),
    "an update with a comment": Case(
        "rebound", 2, "w1.assign_sub(0.1 * g)",
        """
        g = tf.ones_like(w1)
        w1 = w1 - 0.1 * g  # a step
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(x @ w1)
        g = tape.gradient(loss, w1)
        """,
    ),
    "rebound in place": Case(
        "rebound", 4, "w1.assign_add(0.1 * g)",
        """
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(x @ w1)
        g = tape.gradient(loss, w1)
        w1 += 0.1 * g
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(x @ w1)
        g = tape.gradient(loss, w1)
        """,
    ),
    "rebound between loss and gradient": Case(
        "rebound", 3, "w1.assign(w1 * 0.5)",
        """
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(x @ w1)
        w1 = w1 * 0.5
        g = tape.gradient(loss, w1)
        """,
    ),
    "a watched tensor rebound": Case(
        "rebound", 5, "tape.watch(x)",
        """
        with tf.GradientTape() as tape:
            tape.watch(x)
            loss = tf.reduce_sum(x * x)
        g = tape.gradient(loss, x)
        x = x - 0.1 * g
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(x * x)
        g = tape.gradient(loss, x)
        """,
        source="x",
    ),
    "another variable of the same name": Case(
        "rebound", 3, "again with the new w1",
        """
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(x @ w1)
        w1 = tf.Variable([[1.0, 1.0], [1.0, 1.0]], name="w1")
        g = tape.gradient(loss, w1)
        """,
    ),
    "an attribute rebound": Case(
        "rebound", 8, "self.w.assign_sub(0.1 * g)",
        """
        class Model:
            def __init__(self):
                self.w = tf.Variable([[1.0], [2.0]])
            def step(self):
                with tf.GradientTape() as tape:
                    loss = tf.reduce_sum(x @ self.w)
                g = tape.gradient(loss, self.w)
                self.w = self.w - 0.1 * g
        model = Model(); model.step(); model.step()
        """,
        source="w",
    ),
    "a list of parameters updated": Case(
        "rebound", 5, "assign_sub",
        """
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(x @ w1 @ w2)
        grads = tape.gradient(loss, [w1, w2])
        params = [w1, w2]
        params = [p - 0.1 * g for p, g in zip(params, grads)]
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(x @ params[0])
        grads = tape.gradient(loss, params[:1])
        """,
        source="params[0]",
    ),
    ".numpy() and back": Case(
        "left_engine", 3, "leave out .numpy()",
        """
        with tf.GradientTape() as tape:
            h = x @ w1
            q = tf.constant(h.numpy())
            loss = tf.reduce_sum(q * q)
        g = tape.gradient(loss, w1)
        """,
    ),
    ".numpy() kept, a part of it used": Case(
        "left_engine", 3, "leave out .numpy()",
        """
        with tf.GradientTape() as tape:
            h = x @ w1
            host = h.numpy()
            loss = tf.reduce_sum(tf.constant(host[1:]) @ w2)
        g = tape.gradient(loss, w1)
        """,
    ),
    "a NumPy function": Case(
        "left_engine", 3, "use tf.tanh in place of np.tanh",
        """
        with tf.GradientTape() as tape:
            h = x @ w1
            a = np.tanh(h)
            loss = tf.reduce_sum(a @ w2)
        g = tape.gradient(loss, w1)
        """,
        certain=False,
    ),
    "a NumPy function on .numpy()": Case(
        "left_engine", 2, "use tf.reduce_mean in place of np.mean",
        """
        with tf.GradientTape() as tape:
            m = np.mean((x @ w1).numpy(), axis=0)
            loss = tf.reduce_sum(tf.constant(m) * 2.0)
        g = tape.gradient(loss, w1)
        """,
        certain=False,
    ),
    "float()": Case(
        "left_engine", 3, "leave out float(...)",
        """
        with tf.GradientTape() as tape:
            scale = tf.reduce_sum(x @ w1)
            k = float(scale)
            loss = tf.reduce_sum(x @ w2) * k
        g = tape.gradient(loss, w1)
        """,
        certain=False,
    ),
    "tf.constant of float()": Case(
        "left_engine", 2, "leave out float(...)",
        """
        with tf.GradientTape() as tape:
            loss = tf.constant(float(tf.reduce_sum(x @ w1)))
        g = tape.gradient(loss, w1)
        """,
        certain=False,
    ),
    "an integer variable": Case(
        "integer_dtype", 1, "dtype=tf.float32",
        """
        n = tf.Variable([1, 2])
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(tf.cast(n, tf.float32))
        g = tape.gradient(loss, n)
        """,
        source="n",
    ),
    "a watched integer tensor": Case(
        "integer_dtype", 1, "1.0, not 1",
        """
        n = tf.constant([1, 2]) * 3
        with tf.GradientTape() as tape:
            tape.watch(n)
            loss = tf.reduce_sum(n * n)
        g = tape.gradient(loss, n)
        """,
        source="n",
    ),
    "a cast to integers": Case(
        "integer_dtype", 3, "leave out the cast to int32",
        """
        with tf.GradientTape() as tape:
            h = x @ w1
            n = tf.cast(h, tf.int32)
            loss = tf.reduce_sum(tf.cast(n, tf.float32) @ w2)
        g = tape.gradient(loss, w1)
        """,
    ),
    "argmax": Case(
        "no_gradient", 2, "softmax",
        """
        with tf.GradientTape() as tape:
            best = tf.argmax(x @ w1, axis=1)
            loss = tf.reduce_mean(tf.cast(best, tf.float32))
        g = tape.gradient(loss, w1)
        """,
    ),
    "floor": Case(
        "no_gradient", 2, "round only what is reported",
        """
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(tf.floor(x @ w1))
        g = tape.gradient(loss, w1)
        """,
    ),
    "a comparison": Case(
        "no_gradient", 3, "compare only to choose",
        """
        with tf.GradientTape() as tape:
            p = x @ w1
            right = p > 0.5
            loss = tf.reduce_mean(tf.cast(right, tf.float32))
        g = tape.gradient(loss, w1)
        """,
    ),
    "an assignment on the way": Case(
        "no_gradient", 4, "use h itself",
        """
        v = tf.Variable([[0.0, 0.0], [0.0, 0.0]])
        with tf.GradientTape() as tape:
            h = x @ w1
            v.assign(h)
            loss = tf.reduce_sum(v @ w2)
        g = tape.gradient(loss, w1)
        """,
    ),
    "a variable made on the way": Case(
        "no_gradient", 3, "use h itself",
        """
        with tf.GradientTape() as tape:
            h = x @ w1
            v = tf.Variable(h)
            loss = tf.reduce_sum(v @ w2)
        g = tape.gradient(loss, w1)
        """,
    ),
    "a variable made of .numpy()": Case(
        "left_engine", 3, "leave out .numpy()",
        """
        with tf.GradientTape() as tape:
            h = x @ w1
            v = tf.Variable(h.numpy())
            loss = tf.reduce_sum(v @ w2)
        g = tape.gradient(loss, w1)
        """,
    ),
    "stop_gradient": Case(
        "stop_gradient", 3, "leave out stop_gradient",
        """
        with tf.GradientTape() as tape:
            h = x @ w1
            s = tf.stop_gradient(h)
            loss = tf.reduce_sum(s @ w2)
        g = tape.gradient(loss, w1)
        """,
    ),
    "computed before the tape": Case(
        "outside_tape", 1, "move that line into the with block of line 2",
        """
        h = x @ w1
        with tf.GradientTape() as tape: loss = tf.reduce_sum(h @ w2)
        g = tape.gradient(loss, w1)
        """,
    ),
    "loss after the block": Case(
        "outside_tape", 2, "move that line into the with block of line 1",
        """
        with tf.GradientTape() as tape: h = x @ w1
        loss = tf.reduce_sum(h)
        g = tape.gradient(loss, w1)
        """,
    ),
    "stop_recording": Case(
        "outside_tape", 4, "stop_recording()",
        """
        with tf.GradientTape() as tape:
            h = x @ w1
            with tape.stop_recording():
                a = tf.tanh(h)
            loss = tf.reduce_sum(a @ w2)
        g = tape.gradient(loss, w1)
        """,
    ),
    "before reset": Case(
        "outside_tape", 2, "below reset()",
        """
        with tf.GradientTape() as tape:
            h = x @ w1
            tape.reset()
            loss = tf.reduce_sum(h)
        g = tape.gradient(loss, w1)
        """,
    ),
    "a gradient taken outside the outer tape": Case(
        "outside_tape", 5, "inside the with block of line 1",
        """
        with tf.GradientTape() as outer:
            with tf.GradientTape() as inner:
                inner.watch(x); outer.watch(x)
                y = tf.reduce_sum(x * x * x)
        dx = inner.gradient(y, x)
        d2 = outer.gradient(dx, x)
        """,
        target="dx", source="x",
    ),
    "made from plain numbers": Case(
        "unconnected", 3, "compute c from w1 itself",
        """
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(x @ w1)
            c = tf.constant(2.0)
        g = tape.gradient(c, w1)
        """,
        target="c", source="w1", certain=False,
    ),
    "never used": Case(
        "unconnected", 3, "use w2",
        """
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(x @ w1)
        g = tape.gradient(loss, w2)
        """,
        source="w2",
    ),
    "a copy made afterwards": Case(
        "unconnected", 3, "ask for the gradient by w1",
        """
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(x @ w1)
        copy = tf.convert_to_tensor(w1)
        g = tape.gradient(loss, copy)
        """,
        source="copy",
    ),
    "used elsewhere": Case(
        "unconnected", 4, "use w2",
        """
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(x @ w1)
            other = tf.reduce_sum(x @ w2)
        g = tape.gradient(loss, w2)
        """,
        source="w2",
    ),
}  # fmt: skip
