"""Which kinds are served: the native ones, those of CRDs, and all of them in their versions."""
