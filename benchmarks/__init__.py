"""Measurements, each as a ratio within one run, so that the machine's speed drops out."""
