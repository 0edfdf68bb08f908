"""Tables as `kubectl get` shows them (sandbox-apiserver.md §13)."""

from kubectl_kruise.sandbox.tables.ages import age
from kubectl_kruise.sandbox.tables.custom import custom_table
from kubectl_kruise.sandbox.tables.rows import native_table
from kubectl_kruise.sandbox.tables.shape import TableShape

__all__ = ["TableShape", "age", "custom_table", "native_table"]
