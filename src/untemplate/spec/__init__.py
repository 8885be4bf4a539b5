"""The parser spec: its model, its files, its schema, and what differs between two."""
