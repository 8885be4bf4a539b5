"""From events to messages: sessions, deltas, values typed by their schema, server-sent events."""
