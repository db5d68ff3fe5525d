"""One file per algorithm, named as its paper names it: options, index and calls into kernels."""
