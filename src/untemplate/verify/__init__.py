"""Reads back what a template renders, and holds the grammar against the same text."""
