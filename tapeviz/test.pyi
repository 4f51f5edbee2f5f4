# Made from the table of namespaces and the declarations of ops by `python -m tools.stubs`.
from tapeviz.compat.test_case import Benchmark, TestCase, get_temp_dir, main
from tapeviz.engine.device_lists import gpu_device_name, is_built_with_cuda, is_built_with_gpu_support, is_gpu_available
from tapeviz.engine.gradient_checker import check_gradients, compute_gradient

__all__ = [
    "Benchmark",
    "TestCase",
    "check_gradients",
    "compute_gradient",
    "get_temp_dir",
    "gpu_device_name",
    "is_built_with_cuda",
    "is_built_with_gpu_support",
    "is_gpu_available",
    "main",
]
