"""Validation of the native kinds, as far as writes of workloads and rollouts can break it (sandbox-apiserver.md N4)."""
