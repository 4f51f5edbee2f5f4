"""Runs a saved model without its code: python -m tests.saved_model.separate_process FOLDER NUMBER..."""

import sys

import tapeviz as tf

if __name__ == "__main__":
    loaded = tf.saved_model.load(sys.argv[1])
    print(loaded(tf.constant([list(map(float, sys.argv[2:]))])).numpy().tolist())
