"""Asking the processor to load what is read soon, so that nothing waits for memory when it is."""

from typing import Any

from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from waygrid.core.jit import Array, config


def _skip(array: Array, place: int) -> None:
    """Do nothing: only compiled code is quick enough to gain by it."""


def _prefetch(typing: Any, array: Any, place: Any) -> Any:
    """Begin to load array[place] into the cache; a place outside of the array does no harm."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        data = context.make_array(signature.args[0])(context, builder, arguments[0]).data
        byte, number = ir.IntType(8).as_pointer(), ir.IntType(32)
        kind = ir.FunctionType(ir.VoidType(), (byte, number, number, number))
        # To be read, to be kept in every cache, data and not code.
        how = builder.bitcast(builder.gep(data, (arguments[1],)), byte), number(0), number(3), number(1)
        builder.call(builder.module.declare_intrinsic("llvm.prefetch", (byte,), kind), how)
        return context.get_dummy_value()

    return types.void(array, types.int64), generate


prefetch: Any = _skip if config.DISABLE_JIT else intrinsic(_prefetch)
