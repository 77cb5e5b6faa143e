"""Questions about facts: capitals and continents, chemical elements, dates and clocks."""
