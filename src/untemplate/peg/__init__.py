"""One tree for the parser and the grammar, and the machine that runs it over text as it arrives."""
