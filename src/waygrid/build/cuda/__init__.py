"""Floods on the GPU, one thread block per source cell (numba.cuda); imported only for builds on a GPU."""
