"""What is said and advised about sessions of frameworks that are not on the Workflow SDK's log."""
