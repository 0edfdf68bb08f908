"""OpenAPI v3 documents of everything served (sandbox-apiserver.md §5)."""

from kubectl_kruise.sandbox.openapi.documents import Documents

__all__ = ["Documents"]
