"""Native kinds: structure, defaults and validation (sandbox-apiserver.md §15)."""

from kubectl_kruise.sandbox.native.kinds import model

__all__ = ["model"]
