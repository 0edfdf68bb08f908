"""What stands between HTTP and the registry: paths, media types, bodies, selectors, lists, watches, discovery."""
