"""How Numba is used: kernels that Python calls become machine code; what only kernels call becomes part of them.

Numba turns every function into a library of its own: it optimises it, compiles two wrappers by which Python and C call
it, and emits machine code. Then the caller takes in the optimised code and does all of that again, and so does the
caller's caller. Most of our functions are called by kernels alone, and nobody uses their wrappers and machine code. So
a *callee* is lowered and left at that; the kernel that takes it in optimises the whole once. On one machine, first
path with an empty cache: astar 4.8 s before and 3.4 s after, jps+gb 12.2 and 8.3 s, dba 19.1 and 12.0 s.
"""

import gc
from collections.abc import Iterator
from contextlib import contextmanager
from threading import local
from typing import Any

import llvmlite.binding as llvm
from llvmlite import ir
from numba.core import cgutils, codegen, compiler, registry, sigutils, types
from numba.core.compiler_lock import global_compiler_lock
from numba.core.runtime.nrt import rtsys

from waygrid.core.announce import announce
from waygrid.interrupts import postponing

_cgutils: Any = cgutils  # without types of their own
_codegen: Any = codegen
_compiler: Any = compiler
_ir: Any = ir
_registry: Any = registry
_rtsys: Any = rtsys
_sigutils: Any = sigutils
_types: Any = types


class _Depth(local):
    """How many kernels this thread is compiling, one within the other."""

    value = 0


_depth = _Depth()


def is_callee() -> bool:
    """Return True while a function is compiled because a kernel calls it."""
    return _depth.value > 1


@contextmanager
def _compiling() -> Iterator[None]:
    """Count one more kernel; the garbage collector rests, which would look at the compiler's many objects in vain.

    dba's first path took 10.8 s instead of 12.0 s without it.
    """
    collecting = gc.isenabled()
    gc.disable()
    _depth.value += 1
    try:
        yield
    finally:
        _depth.value -= 1
        if collecting:
            gc.enable()


class _NoEnvironments:
    """Stands for the code generator where a callee's environment would be written into its machine code."""

    def set_env(self, name: str, environment: Any) -> None:
        """Do nothing: the kernel that takes the callee in sets it."""


# What functions call in place of Numba's own, until the kernel that takes them in decides what these do.
_COUNTING = {"NRT_incref": "waygrid_incref", "NRT_decref": "waygrid_decref"}
_WRAPPER = "_ZN7cpython"  # how the names of Numba's wrappers begin
_ALLOCATING = ("NRT_MemInfo_alloc", "NRT_Allocate", "NRT_MemInfo_new")


def _define_counting(module: Any) -> None:
    """Let the functions of a kernel count the references of arrays only if one of them makes an array.

    Otherwise all arrays are the caller's, who holds them until the kernel is done. Counts are atomic, 5 ns each, and
    there are up to fifty in a query: turntable took 0.63 us on arena2 and takes 0.2 without them.
    """
    names = {function.name for function in module.functions}
    counts = any(name.startswith(_ALLOCATING) for name in names)
    source = _ir.Module()
    for own, name in _COUNTING.items():
        if name in names:
            kind = _ir.FunctionType(_ir.VoidType(), [_ir.IntType(8).as_pointer()])
            function = _ir.Function(source, kind, name)
            function.attributes.add("alwaysinline")
            function.linkage = "linkonce_odr"
            builder = _ir.IRBuilder(function.append_basic_block())
            if counts:
                builder.call(_ir.Function(source, kind, own), function.args)
            builder.ret_void()
    module.link_in(llvm.parse_assembly(str(source)))
    if counts:
        module.link_in(_rtsys.library._get_module_for_linking(), preserve=True)  # what counts, where nothing else did


def _hide_functions(module: Any) -> None:
    """Let nobody outside of a kernel call its functions, but for the wrapper that Python calls.

    Then a function that is called once becomes part of its caller whatever its size. A call that is left passes each
    array as eight numbers. On arena2 queries of dba and jps+gb take 0.77 and 0.79 of the time, those of turntable 0.88;
    compiling dba takes 6 % longer.
    """
    for function in module.functions:
        if not function.is_declaration and not function.name.startswith(_WRAPPER):
            function.linkage = "internal"


class _Library(_codegen.JITCodeLibrary):  # type: ignore[misc]
    """The code of a function."""

    def add_ir_module(self, ir_module: Any) -> None:
        """Take in a part of the code; all but the wrapper by which Python calls it leave the counting open."""
        text = _cgutils.normalize_ir_text(str(ir_module))
        if ir_module.name != "wrapper":
            for own, name in _COUNTING.items():
                text = text.replace(f'@"{own}"', f'@"{name}"')
        module = llvm.parse_assembly(text)
        module.name = ir_module.name
        self.add_llvm_module(module)

    def _optimize_functions(self, ll_module: Any) -> None:
        """Optimise each function by itself; Numba prepares that for everything that is only declared, too."""
        ll_module.data_layout = self._codegen._data_layout
        for function in ll_module.functions:
            if not function.is_declaration:
                passes, builder = self._codegen._function_pass_manager()
                passes.run(function, builder)


class _KernelLibrary(_Library):
    """The code of a kernel with all that it calls."""

    def _optimize_final_module(self) -> None:
        """Optimise twice: what the first pass takes in from callees is new to it.

        Numba optimises each callee instead, at each level of calls. That costs dba 2.5 s more; once alone makes queries
        of astar 1.24 and of jps+ 1.14 times as slow. Vectors wait for the second pass, which spares 3 % of the time.
        """
        _define_counting(self._final_module)
        _hide_functions(self._final_module)
        for settings in ({"loop_vectorize": False, "slp_vectorize": False}, {}):
            passes, builder = self._codegen._module_pass_manager(**settings)
            passes.run(self._final_module, builder)


class CalleeLibrary(_Library):
    """The code of a function that only kernels call. It is taken in by them, and never runs by itself."""

    codegen = _NoEnvironments()

    def _optimize_final_module(self) -> None:
        """Leave that to the kernel."""

    def _finalize_final_module(self) -> None:
        self._finalize_dynamic_globals()
        self._finalized = True

    def get_pointer_to_function(self, name: str) -> int:
        """Return 0: there is no machine code."""
        return 0

    def serialize_using_object_code(self) -> Any:
        """Return what the disk cache keeps: bitcode, as there is no object code."""
        return self.serialize_using_bitcode()


class _Flags(_compiler.Flags):  # type: ignore[misc]
    """Flags that remember their values. Numba asks for all thirty, by name, at every look-up of an overload.

    dba's first path took 9.1 s instead of 11.0 s with it.
    """

    _seen: Any = None

    def values(self) -> Any:
        """Return all values, from memory where none was set since."""
        if self._seen != self._values:
            self._seen = dict(self._values)
            self._all = super().values()
            self._hash = super().__hash__()
        return self._all

    def __hash__(self) -> int:
        self.values()
        return int(self._hash)

    def __eq__(self, other: object) -> bool:
        if isinstance(other, _Flags) and self._values == other._values:
            return True
        return bool(super().__eq__(other))


# A tenth of the time, of astar and of dba.
_UNUSED_PASSES = frozenset(
    {
        "AnnotateTypes",
        "FindLiterallyCalls",
        "InlineClosureLikes",
        "InlineInlinables",
        "InlineOverloads",
        "LiteralPropagationSubPipelinePass",
        "LiteralUnroll",
        "MakeFunctionToJitFunction",
        "NopythonRewrites",
        "WithLifting",
    }
)


class _Compiler(_compiler.Compiler):  # type: ignore[misc]
    """Numba's compiler, with less work for callees."""

    def __init__(
        self, typingctx: Any, targetctx: Any, library: Any, args: Any, return_type: Any, flags: Any, locals: Any
    ) -> None:
        flags = _Flags(flags)
        flags.no_cfunc_wrapper = True
        flags.no_cpython_wrapper = is_callee()
        super().__init__(typingctx, targetctx, library, args, return_type, flags, locals)

    def compile_extra(self, func: Any) -> Any:
        """Compile a function into the kind of library that its caller wants."""
        kind = CalleeLibrary if is_callee() else _KernelLibrary
        self.state.library = kind(self.state.targetctx.codegen(), func.__qualname__)
        self.state.library.enable_object_caching()
        return super().compile_extra(func)

    def define_pipelines(self) -> Any:
        """Return Numba's passes without those for what kernels never use: closures, generators, literals, `with`."""
        passes = _compiler.DefaultPassBuilder.define_nopython_pipeline(self.state)
        passes.passes = [each for each in passes.passes if each[0].__name__ not in _UNUSED_PASSES]
        passes.finalize()
        return [passes]


class Kernel(_registry.CPUDispatcher):  # type: ignore[misc]
    """A compiled function. What Python calls and what kernels call of it are compiled and kept apart."""

    def __init__(self, function: Any, options: dict[str, Any]) -> None:
        super().__init__(function, targetoptions=options, pipeline_class=_Compiler)
        self._kinds: tuple[dict[Any, Any], dict[Any, Any]] = ({}, {})  # for Python, for kernels

    def compile(self, sig: Any) -> Any:
        """Return the entry point for a signature: known, from a cache, or compiled now."""
        arguments = tuple(_sigutils.normalize_signature(sig)[0])
        with global_compiler_lock, postponing(), _compiling():
            known = self._kinds[is_callee()].get(arguments)
            if known is not None:
                self.overloads[arguments] = known  # the one of the other kind may stand there
                return known.entry_point
            self.overloads.pop(arguments, None)
            with self._waiting(sig):
                return super().compile(sig)

    def get_call_template(self, args: Any, kws: Any) -> Any:
        """Return how a kernel calls this one. Constants are passed like other values: one callee for all of them.

        Numba compiles a callee for each constant that it is called with, although constants reach it when it is taken
        in. Of the functions of dba, a tenth were such copies.
        """
        return super().get_call_template(
            tuple(map(_types.unliteral, args)), {name: _types.unliteral(value) for name, value in kws.items()}
        )

    @contextmanager
    def _waiting(self, sig: Any) -> Iterator[None]:
        """Report what is compiled; let one process at a time compile a kernel, so that the others can load it."""
        holds = getattr(self._cache, "holds", None)
        if holds is not None and holds(sig):
            yield
            return
        with announce(self, is_callee()):
            if holds is None:
                yield
                return
            with self._cache.locked(sig):
                yield

    def add_overload(self, cres: Any) -> None:
        """Keep what was compiled or loaded; Python gets to see kernels only."""
        arguments = tuple(cres.signature.args)
        callee = isinstance(cres.library, CalleeLibrary)
        self._kinds[callee][arguments] = cres
        if callee:
            self.overloads[arguments] = cres
            return
        super().add_overload(cres)
        for environment in cres.referenced_envs or cres._find_referenced_environments():
            cres.library.codegen.set_env(environment.env_name, environment)


def pack_result(cres: Any) -> Any:
    """Return what compiled code is stored as: bitcode of callees, object code of kernels.

    Numba adds a kernel's bitcode, for callers that take it in, and reads there which functions the object code has.
    Callers have the callee for that, so an empty function of the right name will do: half of the bytes, and less time.
    """
    (name, kind, code), *rest = cres._reduce()
    rest[5] = ""  # the text of the source, with its place on this machine
    if kind == "object":
        symbol = cres.fndesc.llvm_cpython_wrapper_name
        stub = llvm.parse_assembly(f'define void @"{symbol}"() {{ ret void }}')
        code = (code[0], stub.as_bitcode())
    return ((name, kind, code), *rest)


def unpack_result(target_context: Any, stored: Any) -> Any:
    """Return compiled code that can be called, or taken in, from what it was stored as."""
    (name, kind, code), description, environment, signature, objectmode, lifted, annotation, reload, others = stored
    if kind == "object":
        return _compiler.CompileResult._rebuild(target_context, *stored)
    library = CalleeLibrary(target_context.codegen(), name)
    library._final_module = llvm.parse_bitcode(code)
    library._finalize_final_module()
    return _compiler.compile_result(
        target_context=target_context,
        typing_context=target_context.typing_context,
        library=library,
        environment=environment,
        entry_point=target_context.get_executable(library, description, environment),
        fndesc=description,
        type_annotation=annotation,
        signature=signature,
        objectmode=objectmode,
        lifted=lifted,
        reload_init=reload,
        referenced_envs=others,
    )
