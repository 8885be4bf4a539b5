"""Assistant messages of every kind, rendered and cut to turns."""
