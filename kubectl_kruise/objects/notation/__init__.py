"""How Kubernetes writes values: quantities, shares, durations, times, selectors, paths, names, and complaints about them."""
