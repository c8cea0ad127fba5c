"""Makes, checks and packages pairs of Python kernels and the C++/CUDA that NVIDIA Warp generates."""

__version__ = "0.1.0"
