"""What the controller sees of the cluster, when it looks again, and what it still waits to see."""
