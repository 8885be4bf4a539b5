"""From renderings to a spec: two operators, applied at every level."""
