"""Write what TensorFlow gives for the pipelines: run by its Python.

python tests/data/make_answers.py > tests/data/answers.json
"""

import importlib.util
import json
import os
import sys
from pathlib import Path

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"

import tensorflow as tf

spec = importlib.util.spec_from_file_location("programs", Path(__file__).with_name("programs.py"))
programs = importlib.util.module_from_spec(spec)
sys.modules["programs"] = programs
spec.loader.exec_module(programs)


def main() -> None:
    """Print them as JSON."""
    names = programs.names(tf)
    answers = {"tensorflow": tf.__version__, "whole": {}, "unending": {}, "wrong": {}, "failing": {}}
    for text in programs.WHOLE:
        dataset = eval(text, names)
        elements = [programs.plain(element) for element in dataset.as_numpy_iterator()]
        answers["whole"][text] = {**programs.said(dataset), "elements": elements}
    for text in programs.UNENDING:
        answers["unending"][text] = programs.said(eval(text, names))
    for text in programs.WRONG:
        answers["wrong"][text] = programs.failure(lambda text=text: eval(text, names))[0]
    for text in programs.FAILING:
        dataset = eval(text, names)
        answers["failing"][text] = programs.failure(lambda dataset=dataset: list(dataset))[0]
    print(json.dumps(answers, indent=0))


main()
