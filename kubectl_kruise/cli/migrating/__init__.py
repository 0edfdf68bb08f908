"""`migrate` between the command line and the operations: options, plan and question, one workload after the other."""
