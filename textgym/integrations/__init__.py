"""Other suites: their environments as textgym's (guests), and textgym's as theirs (exports).

A guest is a `TextEnv` over another package. Its code that reads what a model wrote runs in worker
processes, which `textgym.concurrency.workers` limits. A guest keeps the rewards of its package,
unless they are paid to anyone: then a strict grade is the default, and `grading="original"` gives
theirs.
"""
