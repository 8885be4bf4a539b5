"""The catalogue of probes and their runner."""
