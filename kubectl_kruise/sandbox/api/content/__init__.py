"""What bodies hold: negotiated, read and written as JSON, YAML, protobuf or tables."""
