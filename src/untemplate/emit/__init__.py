"""Trees and schemas to text for engines. ``json_schema_grammar`` lives in ``schema_grammar``, ``Grammar`` in ``grammar``."""
