"""Put packs of compiled kernels into the wheel, where the environment variable WAYGRID_PACKS names their folder.

Without it the wheel is pure Python. See `make wheel`.
"""

import os
import platform
import sys
import sysconfig
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


def name_platform() -> str:
    """Return the platform tag of packs. They hold machine code, but no library that is linked against a C library."""
    if sys.platform == "linux":
        return f"manylinux_2_17_{platform.machine()}"
    return sysconfig.get_platform().replace("-", "_").replace(".", "_")


class PackHook(BuildHookInterface):
    """Adds packs, and the tag of the Python and the platform that they are for."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Change what the wheel holds, before it is written."""
        folder = os.environ.get("WAYGRID_PACKS")
        if not folder:
            return
        python = f"cp{sys.version_info.major}{sys.version_info.minor}"
        build_data["pure_python"] = False
        build_data["tag"] = f"{python}-{python}-{name_platform()}"
        for pack in sorted(Path(folder).glob("*.pack")):
            build_data["force_include"][str(pack)] = f"waygrid/packs/{pack.name}"
