"""Whether a verifier is sound and complete, checked with changed episodes of the oracle.

- `variants`: the oracle's episodes, and changes that must not lose.
- `mutations`: changes that must lose.
- `verifier_checks`: the checks.
"""
