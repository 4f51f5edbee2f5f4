"""The joint loss of the encoder and the decoder goes up although the rate is small.

The two optimizers have each other's variables: the encoder is moved by the decoder's gradients.

Kind: variables
Source: https://github.com/wiseodd/controlled-text-generation/issues/15
"""

import numpy as np

import tapeviz as tf

rng = np.random.RandomState(2)
x = tf.constant(rng.randn(50, 6).astype("float32"))


def square_matrix(name):
    return tf.Variable(0.5 * rng.randn(6, 6).astype("float32"), name=name)


encoder_params = [square_matrix("enc_1"), square_matrix("enc_2")]
decoder_params = [square_matrix("dec_1"), square_matrix("dec_2")]


def run(params, h):
    first, second = params
    return tf.matmul(tf.tanh(tf.matmul(h, first)), second)


trainer_e = tf.keras.optimizers.SGD(0.1)
trainer_g = tf.keras.optimizers.SGD(0.1)
for step in range(30):
    with tf.GradientTape() as tape:
        code = run(encoder_params, x)
        loss = tf.reduce_mean(tf.square(run(decoder_params, code) - x))
    e_grads, g_grads = tape.gradient(loss, [encoder_params, decoder_params])
    trainer_e.apply_gradients(zip(e_grads, decoder_params))  # fault
    trainer_g.apply_gradients(zip(g_grads, encoder_params))  # fault
    if step % 5 == 0:
        print(step, float(loss))
print("after", float(loss))
