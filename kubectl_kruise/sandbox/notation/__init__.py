"""JSON and YAML from clients, read as a Go server reads them."""
