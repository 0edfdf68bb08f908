"""kubectl-kruise: a kubectl plugin for OpenKruise workloads."""

__version__ = "0.1.0"
