"""Who the user is to a server: kubeconfig files, credentials, plugins, the pod's own account."""
