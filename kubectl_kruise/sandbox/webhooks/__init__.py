"""What Kruise's manager does to requests, as the API server calls it: it fills in, judges and protects."""
