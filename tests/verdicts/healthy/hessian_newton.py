"""Newton's method on a smooth function of two variables, with the Hessian as the Jacobian of a gradient.

Source: https://www.tensorflow.org/guide/advanced_autodiff
"""

import tapeviz as tf

x = tf.Variable([0.5, 1.5])
for _ in range(6):
    with tf.GradientTape() as outer:
        with tf.GradientTape() as inner:
            loss = tf.reduce_sum(tf.cosh(x - [1.0, 2.0])) + 0.1 * x[0] * x[1]
        gradient = inner.gradient(loss, x)
    hessian = outer.jacobian(gradient, x)
    x.assign_sub(tf.linalg.solve(hessian, gradient[:, None])[:, 0])
print(x, loss)
