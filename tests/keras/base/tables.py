"""What is compared with Keras, as rows of text that either library understands."""

X = [[-7.5, -3.0, -1.2, -0.3], [0.4, 0.9, 2.5, 6.5]]
WEIGHT = [[1.5, -0.5, 0.25], [-2.0, 0.75, 0.1], [0.3, -1.25, 3.0], [0.05, 0.6, -0.9]]
ACTIVATIONS = (
    "linear(x)", "relu(x)", "relu(x, negative_slope=0.1, max_value=5.0, threshold=1.0)", "relu(x, max_value=2.0)",
    "relu(x, threshold=0.5)", "relu(x, negative_slope=0.3)", "relu6(x)", "leaky_relu(x)",
    "leaky_relu(x, negative_slope=0.05)", "elu(x)", "elu(x, alpha=0.5)", "celu(x)", "celu(x, alpha=2.0)", "selu(x)",
    "gelu(x)", "gelu(x, approximate=True)", "silu(x)", "mish(x)", "exponential(x)", "hard_sigmoid(x)", "hard_silu(x)",
    "hard_tanh(x)", "hard_shrink(x)", "soft_shrink(x)", "soft_shrink(x, threshold=1.0)", "squareplus(x)",
    "squareplus(x, b=1)", "threshold(x, 0.5, -1.0)", "sigmoid(x)", "log_sigmoid(x)", "tanh(x)", "tanh_shrink(x)",
    "softplus(x)", "softsign(x)", "softmax(x)", "softmax(x, axis=0)", "log_softmax(x)", "glu(x)", "glu(x, axis=0)",
)  # fmt: skip
PENALTIES = (
    "L1(0.1)", "L2(0.2)", "L1L2(0.1, 0.3)", "L1L2()", "L1()", "L2()", "OrthogonalRegularizer()",
    'OrthogonalRegularizer(0.5, mode="columns")',
)  # fmt: skip
CONSTRAINTS = (
    "MaxNorm(1.5)", "MaxNorm(1.0, axis=1)", "MaxNorm(2.0, axis=[0, 1])", "NonNeg()", "UnitNorm()", "UnitNorm(axis=1)",
    "MinMaxNorm(0.8, 1.2)", "MinMaxNorm(1.0, 2.0, rate=0.5, axis=1)",
)  # fmt: skip
INITIALIZERS = (
    "Zeros()", "Ones()", "Constant(2.5)", "Identity(3.0)", "RandomNormal(1.0, 0.5, seed=1)",
    "RandomUniform(-0.5, 1.5, seed=2)", "TruncatedNormal(0.0, 2.0, seed=3)", "GlorotUniform(seed=4)",
    "GlorotNormal(seed=5)", "HeUniform(seed=6)", "HeNormal(seed=7)", "LecunUniform(seed=8)", "LecunNormal(seed=9)",
    'VarianceScaling(3.0, "fan_out", "untruncated_normal", seed=10)',
    'VarianceScaling(2.0, "fan_avg", "normal", seed=11)', "Orthogonal(2.0, seed=12)",
)  # fmt: skip
SHAPES = ((200, 300), (300, 100))
