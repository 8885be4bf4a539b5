"""What changed between two compiled templates, and whether it breaks a parser: proved on turns, not looked up."""
