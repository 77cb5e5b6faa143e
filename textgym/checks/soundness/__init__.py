"""Whether a verifier is sound and complete, checked with changed episodes of the oracle.

- `solved`: the oracle's episodes, and playing them again with changes.
- `mutations`: changes that must lose. `variants`: changes that must not lose.
- `verifier_checks`: the checks.
"""
