"""`python -m textgym`: the command."""

from textgym.cli import main

if __name__ == "__main__":
    main()
