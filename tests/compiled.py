"""Which compiled variants a call uses: kernels and the types of their arguments, as they are asked for."""

import sys
from contextlib import contextmanager

from waygrid.core.compiler import Kernel


def kernels():
    """Return every compiled function that the package has imported so far."""
    modules = [module for name, module in list(sys.modules.items()) if name.startswith("waygrid.")]
    return {each for module in modules for each in vars(module).values() if isinstance(each, Kernel)}


@contextmanager
def variants_used(monkeypatch):
    """Collect the variants that Python calls while the block runs, compiled before or not.

    Dispatchers are made to forget which types they know. They then ask `compile` at every call, which finds what is
    there. So what a test sees does not depend on the tests before it.
    """
    used = set()
    compile_variant = Kernel.compile

    def noted(dispatcher, types):
        used.add(f"{dispatcher.py_func.__module__}.{dispatcher.py_func.__qualname__}{tuple(types)}")
        return compile_variant(dispatcher, types)

    for each in kernels():
        each._clear()  # the table of types that C code looks at, not what was compiled
    with monkeypatch.context() as patch:
        patch.setattr(Kernel, "compile", noted)
        yield used
