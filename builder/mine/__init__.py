"""Kernels of installed packages -> self-contained kernel sources, each proved to generate the same code."""
