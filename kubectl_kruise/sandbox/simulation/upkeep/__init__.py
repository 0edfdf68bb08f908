"""What else the cluster keeps in order: volume claims, disruption budgets, quotas."""
