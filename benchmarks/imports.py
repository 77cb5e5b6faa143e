"""The time of `import textgym` in addition to `import gymnasium`, in new processes."""

from __future__ import annotations

import statistics
import subprocess
import sys

from measure import aim, asked_quick, measure, table


def milliseconds(before: str, timed: str) -> float:
    """Return the duration of an import in a new process, after another statement."""
    code = (
        f"import time; {before}; begun = time.perf_counter(); {timed}; "
        "print((time.perf_counter() - begun) * 1e3)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return float(done.stdout)


def main() -> None:
    """Measure, and print the table."""
    rounds = 5 if asked_quick(__doc__) else 15
    beyond = "import textgym, after gymnasium"
    figures = measure(
        {
            "import gymnasium (the floor)": lambda: milliseconds("pass", "import gymnasium"),
            "import textgym, gymnasium with it": lambda: milliseconds("pass", "import textgym"),
            beyond: lambda: milliseconds("import gymnasium", "import textgym"),
            "the first gymnasium.make, after both": lambda: milliseconds(
                "import gymnasium, textgym", "gymnasium.make('textgym/MCQA-v0')"
            ),
        },
        rounds,
    )
    print(table("milliseconds", figures))
    print(aim("import textgym beyond gymnasium", statistics.median(figures[beyond]), 10, "ms"))


if __name__ == "__main__":
    main()
