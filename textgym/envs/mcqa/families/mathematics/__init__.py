"""Questions about numbers: arithmetic, fractions, whole numbers, units, money and chance."""
