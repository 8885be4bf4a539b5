"""JSON Schema to trees of the values that fit."""
