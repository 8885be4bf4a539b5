"""``python -m untemplate`` is ``untemplate``."""

from untemplate.cli.main import main

if __name__ == "__main__":
    main()
