"""The student's targets for one and the same sentence differ from step to step.

The teacher is called in training mode, so its dropout makes other logits each time.

Kind: training_flag
Source: https://github.com/yxuansu/TaCL/issues/11
"""

import numpy as np

import tapeviz as tf

tf.random.set_seed(31)
VOCAB, LENGTH, CLASSES = 30, 8, 3


def encoder(units, rate):
    return tf.keras.Sequential(
        [
            tf.keras.layers.Embedding(VOCAB, units),
            tf.keras.layers.GlobalAveragePooling1D(),
            tf.keras.layers.Dense(units, activation="relu"),
            tf.keras.layers.Dropout(rate),
            tf.keras.layers.Dense(CLASSES),
        ]
    )


class Distiller(tf.keras.Model):
    def __init__(self, teacher, student, temperature=2.0):
        super().__init__()
        self.teacher = teacher
        self.student = student
        self.temperature = temperature
        self.divergence = tf.keras.losses.KLDivergence()

    def call(self, x, training=None):
        return self.student(x, training=training)

    def targets(self, x):
        return tf.nn.softmax(self.teacher(x, training=True) / self.temperature)  # fault

    def train_step(self, data):
        x, _ = data
        wanted = self.targets(x)
        with tf.GradientTape() as tape:
            logits = self.student(x, training=True)
            loss = self.divergence(wanted, tf.nn.softmax(logits / self.temperature))
        variables = self.student.trainable_variables
        self.optimizer.apply_gradients(zip(tape.gradient(loss, variables), variables))
        return {"loss": loss}


rng = np.random.RandomState(3)
sentences = rng.randint(0, VOCAB, (32, LENGTH))
classes = (sentences.sum(axis=1) % CLASSES).astype("int32")
teacher = encoder(32, 0.4)
teacher.compile("adam", tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True))
teacher.fit(sentences, classes, epochs=3, verbose=0)
teacher.trainable = False
distiller = Distiller(teacher, encoder(8, 0.0))
distiller.compile(optimizer=tf.keras.optimizers.Adam(0.01))
distiller.fit(sentences, classes, epochs=2, batch_size=16, verbose=0)
for _ in range(3):
    print(distiller.targets(sentences[:1]).numpy())
