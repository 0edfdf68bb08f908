"""The process behind the port: TLS, HTTP, connections."""
