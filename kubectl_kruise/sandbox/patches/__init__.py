"""The three patch formats as pure functions: the stored object is never changed (sandbox-apiserver.md §9, PF13)."""

from kubectl_kruise.sandbox.patches.errors import PatchError, parse_patch
from kubectl_kruise.sandbox.patches.json_patch import json_patch
from kubectl_kruise.sandbox.patches.merge_patch import merge_patch
from kubectl_kruise.sandbox.patches.strategic_patch import strategic_patch

__all__ = ["PatchError", "json_patch", "merge_patch", "parse_patch", "strategic_patch"]
