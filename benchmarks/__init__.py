"""What the command and the sandbox cost, measured from outside. See `benchmarks.__main__`."""
