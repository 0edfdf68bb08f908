"""What several verbs do with rollouts: follow them, wait for their end, show their past."""
