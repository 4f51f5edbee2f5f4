"""The accuracy of the binary classifier is the share of ones from the first epoch to the last.

A softmax over one unit is always 1, whatever the unit says.

Kind: softmax
Source: https://stackguides.com/questions/46620813/keras-lstm-model-not-learning-binary-sequence
"""

import numpy as np

import tapeviz as tf
from tapeviz.keras.layers import Dense, LSTM
from tapeviz.keras.models import Sequential

tf.random.set_seed(7)
bits = np.array(([0, 1, 1] * 40)[:100])
vecX = np.array([bits[i : i + 3] for i in range(90)], "float32")[..., None]
vecY = bits[3:93].astype("float32")[:, None]

net = Sequential()
net.add(LSTM(6))
net.add(Dense(1, activation="softmax"))  # fault
net.compile(optimizer="adam", loss="binary_crossentropy", metrics=["accuracy"])
log = net.fit(vecX, vecY, batch_size=45, epochs=5, verbose=0)
print(log.history["accuracy"], vecY.mean(), net(vecX).numpy().min())
