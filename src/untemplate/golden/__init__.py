"""Golden specs: what templates compile to, kept beside a manifest and compared byte for byte."""
