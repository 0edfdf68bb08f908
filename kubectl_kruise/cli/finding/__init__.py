"""From words and manifests to the objects they mean."""
