"""Compile kernels before they are needed: into the user's cache, or into the packs of a wheel."""
