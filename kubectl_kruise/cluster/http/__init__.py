"""Requests over the wire: connections, TLS, proxies, what failed, and the trace of it all."""
