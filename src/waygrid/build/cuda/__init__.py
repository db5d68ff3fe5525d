"""Floods on the GPU, one thread block per source cell (numba.cuda); nothing here is imported unless a GPU is wanted."""
