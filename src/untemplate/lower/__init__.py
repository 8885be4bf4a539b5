"""From a spec and a request to the tree of a turn, and from JSON Schemas to trees of the values that fit."""
