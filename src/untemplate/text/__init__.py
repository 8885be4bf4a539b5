"""Text in pieces: diff splits, marker edges, sentinels, literals."""
