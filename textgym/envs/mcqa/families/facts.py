"""Facts: countries, their capitals and continents; chemical elements and molar masses.

Invariants:

- `countries.json` has a rank for each country, from 1 (well known) to 5. It omits countries whose
  capital is disputed, shared, recently moved or revealed by the name of the country. For
  continents, those on two of them are omitted.
- The names and symbols are those of the 118 named elements, in the order of their atomic numbers.
  Groups are numbered from 1 to 18. Molar masses use the rounded masses that the question states.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from operator import add, mul

from textgym.envs.generation import Unfit, choice, randbelow, redrawn, sample
from textgym.envs.mcqa.families.question import Item, corners, four, offer, pair
from textgym.whole_file import packaged_data

Country = tuple[int, str, str]
"""The rank, the name and the capital."""

_DATA = packaged_data("textgym.envs.mcqa.families", "countries.json")

CONTINENTS: dict[str, tuple[Country, ...]] = _DATA["continents"]
_CONTINENT_NAMES = tuple(CONTINENTS)
_KNOWN_COUNTRIES = tuple(
    tuple(
        tuple(row for row in rows if low <= row[0] <= high)
        for rows in (*CONTINENTS.values(), _DATA["on_two_continents"])
    )
    for low, high in ((1, 2), (1, 3), (2, 4), (3, 5), (4, 5))
)
_ALL_COUNTRIES = tuple(tuple(row for rows in known for row in rows) for known in _KNOWN_COUNTRIES)
_NORTH_AMERICA_RULE = " (North America includes Central America and the Caribbean.)"


def _with_article(country: str) -> str:
    """Add 'the' to names that need it within a sentence."""
    if country.startswith("The "):
        return "the" + country[3:]
    plain = not country.endswith(("States", "Republic", "Islands", "Philippines", "Maldives"))
    return country if plain and country not in ("Bahamas", "Comoros") else f"the {country}"


def capitals(rng: random.Random, level: int) -> Item:
    """Match countries and capitals.

    Levels 1 and 2 take well-known countries, with options from anywhere; 3 to 5 take
    less known ones, with options from the same continent if it has four.
    """
    rows = _ALL_COUNTRIES[level - 1]
    if level > 2:
        rows = choice(rng, [group for group in _KNOWN_COUNTRIES[level - 1] if len(group) > 5])
    right, *others = sample(rng, rows, 4)
    if randbelow(rng, 2):
        ask = choice(rng, ("What is the capital of {}?", "Which city is the capital of {}?"))
        place = 2
    else:
        ask = choice(
            rng, ("{} is the capital of which country?", "Which country has the capital {}?")
        )
        place = 1
    question = ask.format(_with_article(right[1]) if place == 2 else right[2])
    return offer(question, [str(row[place]) for row in (right, *others)])


def continents(rng: random.Random, level: int) -> Item:
    """Match countries and continents.

    Level 1 gives two well-known countries, level 2 may ask for a country of a continent, level 3
    for a pair of countries, levels 4 and 5 do so with capitals and ever rarer countries.
    """
    known = _KNOWN_COUNTRIES[level - 1][:6]
    column = 2 if level > 3 else 1
    nouns, noun = ("national capitals", "capital") if level > 3 else ("countries", "country")
    shape = randbelow(rng, min(level, 3))
    places = sample(rng, range(6), 4)
    if shape == 1:
        question = f"Which of these {nouns} is in {_CONTINENT_NAMES[places[0]]}?"
        return offer(
            question + _NORTH_AMERICA_RULE, [str(choice(rng, known[i])[column]) for i in places]
        )
    pairs = [(first, second) for first in places[:2] for second in places[2:]]
    first, second = pairs[0]
    if shape == 0:
        one, two = (_said(choice(rng, known[i]), column) for i in pairs[0])
        question = f"On which continents are {one} and {two}, in this order?"
        return offer(
            question + _NORTH_AMERICA_RULE,
            [f"{_CONTINENT_NAMES[i]}, {_CONTINENT_NAMES[j]}" for i, j in pairs],
        )
    question = (
        f"In which of these pairs is the first {noun} in {_CONTINENT_NAMES[first]} and the "
        f"second in {_CONTINENT_NAMES[second]}?"
    )
    drawn = [(choice(rng, known[i])[column], choice(rng, known[j])[column]) for i, j in pairs]
    return offer(question + _NORTH_AMERICA_RULE, [f"{one}; {two}" for one, two in drawn])


def _said(country: Country, column: int) -> str:
    """Name a country within a sentence, by itself or by its capital."""
    return str(country[2]) if column == 2 else _with_article(country[1])


_TABLE = """
H hydrogen He helium Li lithium Be beryllium B boron C carbon N nitrogen O oxygen F fluorine
Ne neon Na sodium Mg magnesium Al aluminium Si silicon P phosphorus S sulfur Cl chlorine
Ar argon K potassium Ca calcium Sc scandium Ti titanium V vanadium Cr chromium Mn manganese
Fe iron Co cobalt Ni nickel Cu copper Zn zinc Ga gallium Ge germanium As arsenic Se selenium
Br bromine Kr krypton Rb rubidium Sr strontium Y yttrium Zr zirconium Nb niobium
Mo molybdenum Tc technetium Ru ruthenium Rh rhodium Pd palladium Ag silver Cd cadmium
In indium Sn tin Sb antimony Te tellurium I iodine Xe xenon Cs caesium Ba barium La lanthanum
Ce cerium Pr praseodymium Nd neodymium Pm promethium Sm samarium Eu europium Gd gadolinium
Tb terbium Dy dysprosium Ho holmium Er erbium Tm thulium Yb ytterbium Lu lutetium Hf hafnium
Ta tantalum W tungsten Re rhenium Os osmium Ir iridium Pt platinum Au gold Hg mercury
Tl thallium Pb lead Bi bismuth Po polonium At astatine Rn radon Fr francium Ra radium
Ac actinium Th thorium Pa protactinium U uranium Np neptunium Pu plutonium Am americium
Cm curium Bk berkelium Cf californium Es einsteinium Fm fermium Md mendelevium No nobelium
Lr lawrencium Rf rutherfordium Db dubnium Sg seaborgium Bh bohrium Hs hassium Mt meitnerium
Ds darmstadtium Rg roentgenium Cn copernicium Nh nihonium Fl flerovium Mc moscovium
Lv livermorium Ts tennessine Og oganesson
"""
SYMBOLS = tuple(_TABLE.split()[::2])
NAMES = tuple(_TABLE.split()[1::2])
_GROUPS = {
    1: "Li Na K Rb Cs", 2: "Be Mg Ca Sr Ba Ra", 4: "Ti Zr Hf", 5: "V Nb Ta", 6: "Cr Mo W",
    8: "Fe Ru Os", 9: "Co Rh Ir", 10: "Ni Pd Pt", 11: "Cu Ag Au", 13: "B Al Ga In Tl",
    14: "C Si Ge Sn Pb", 15: "N P As Sb Bi", 16: "O S Se Te Po", 17: "F Cl Br I At",
    18: "He Ne Ar Kr Xe Rn",
}  # fmt: skip
GROUPS = tuple(
    (group, tuple(NAMES[SYMBOLS.index(symbol)] for symbol in text.split()))
    for group, text in _GROUPS.items()
)
_IONS = (
    ("Li", 1), ("Na", 1), ("K", 1), ("Rb", 1), ("Ag", 1), ("Be", 2), ("Mg", 2), ("Ca", 2),
    ("Sr", 2), ("Ba", 2), ("Zn", 2), ("Fe", 2), ("Cu", 2), ("Ni", 2), ("Co", 2), ("Mn", 2),
    ("Pb", 2), ("Al", 3), ("Fe", 3), ("Cr", 3), ("Sc", 3), ("Ga", 3), ("Ti", 4), ("Sn", 4),
    ("F", -1), ("Cl", -1), ("Br", -1), ("I", -1), ("O", -2), ("S", -2), ("Se", -2), ("N", -3),
    ("P", -3),
)  # fmt: skip
# ions by their number of electrons, and groups of neighbouring numbers
_IONS_WITH: dict[int, list[tuple[str, int]]] = {}
for _symbol, _charge in _IONS:
    _IONS_WITH.setdefault(SYMBOLS.index(_symbol) + 1 - _charge, []).append((_symbol, _charge))
_ELECTRONS = tuple(
    tuple(sorted(_IONS_WITH)[start : start + 5]) for start in range(len(_IONS_WITH) - 4)
)
_MOLE = (
    "What is the mass of one mole of {}?",
    "How many grams are there in one mole of {}?",
    "What does one mole of {} weigh?",
)
MASSES = {
    "H": 1, "C": 12, "N": 14, "O": 16, "F": 19, "Na": 23, "Mg": 24, "Al": 27, "Si": 28,
    "P": 31, "S": 32, "K": 39, "Ca": 40, "Fe": 56, "Zn": 65,
}  # fmt: skip
_SIMPLE = """
H2:H2 N2:N2 O2:O2 F2:F2 CO:C1,O1 NO:N1,O1 HF:H1,F1 MgO:Mg1,O1 CaO:Ca1,O1 NaF:Na1,F1 KF:K1,F1
FeO:Fe1,O1 ZnO:Zn1,O1 CaS:Ca1,S1 FeS:Fe1,S1 ZnS:Zn1,S1 NaH:Na1,H1 KH:K1,H1 MgS:Mg1,S1
SiC:Si1,C1 AlN:Al1,N1 AlP:Al1,P1
"""
_TRIPLE = """
H2O:H2,O1 CO2:C1,O2 SO2:S1,O2 SO3:S1,O3 NO2:N1,O2 N2O:N2,O1 NH3:N1,H3 CH4:C1,H4 H2S:H2,S1
CS2:C1,S2 Na2O:Na2,O1 K2O:K2,O1 SiO2:Si1,O2 MgF2:Mg1,F2 CaF2:Ca1,F2 AlF3:Al1,F3 PH3:P1,H3
H2O2:H2,O2 C2H6:C2,H6 C2H4:C2,H4 CF4:C1,F4 SiH4:Si1,H4 HCN:H1,C1,N1 NaOH:Na1,O1,H1
"""
_LARGER = """
Al2O3:Al2,O3 Fe2O3:Fe2,O3 Fe3O4:Fe3,O4 P4O10:P4,O10 N2O5:N2,O5 C3H8:C3,H8 C4H10:C4,H10
C6H6:C6,H6 CaCO3:Ca1,C1,O3 Na2CO3:Na2,C1,O3 H2SO4:H2,S1,O4 HNO3:H1,N1,O3 H3PO4:H3,P1,O4
KNO3:K1,N1,O3 NaNO3:Na1,N1,O3 MgSO4:Mg1,S1,O4 CaSO4:Ca1,S1,O4 FeSO4:Fe1,S1,O4 K2SO4:K2,S1,O4
C2H6O:C2,H6,O1 C2H4O2:C2,H4,O2 C3H6O:C3,H6,O1 C6H12O6:C6,H12,O6 NaHCO3:Na1,H1,C1,O3
C12H22O11:C12,H22,O11
"""
_NESTED = """
Ca(OH)2:Ca1,O2,H2 Mg(OH)2:Mg1,O2,H2 Al(OH)3:Al1,O3,H3 Fe(OH)3:Fe1,O3,H3 Ca(NO3)2:Ca1,N2,O6
Mg(NO3)2:Mg1,N2,O6 Al2(SO4)3:Al2,S3,O12 Fe2(SO4)3:Fe2,S3,O12 (NH4)2SO4:N2,H8,S1,O4
(NH4)2CO3:N2,H8,C1,O3 Ca3(PO4)2:Ca3,P2,O8 Mg3(PO4)2:Mg3,P2,O8 Zn(NO3)2:Zn1,N2,O6
Zn(OH)2:Zn1,O2,H2 Al(NO3)3:Al1,N3,O9 (NH4)3PO4:N3,H12,P1,O4 Ca(HCO3)2:Ca1,H2,C2,O6
Fe(NO3)3:Fe1,N3,O9 Fe(OH)2:Fe1,O2,H2 Mg(HCO3)2:Mg1,H2,C2,O6 (NH4)2S:N2,H8,S1
Zn3(PO4)2:Zn3,P2,O8 Ca(CN)2:Ca1,C2,N2
"""
Compound = tuple[str, tuple[tuple[str, int], ...], int, str]


def _read_compounds(text: str) -> tuple[Compound, ...]:
    """Turn formulas with their atom counts into (formula, counts, molar mass, masses used).

    They are sorted by mass.
    """
    found = []
    for entry in text.split():
        formula, atoms = entry.split(":")
        counts = tuple(
            (atom.rstrip("0123456789"), int(atom.lstrip("ABCDEFGHIKLMNOPSZaegiln")))
            for atom in atoms.split(",")
        )
        mass = sum(MASSES[symbol] * count for symbol, count in counts)
        used = ", ".join(f"{symbol} = {MASSES[symbol]}" for symbol, _ in counts)
        found.append((formula, counts, mass, used))
    return tuple(sorted(found, key=lambda compound: compound[2]))


_COMPOUNDS = tuple(map(_read_compounds, (_SIMPLE, _TRIPLE, _LARGER, _NESTED, _LARGER + _NESTED)))


def _lookalikes(first: int, last: int) -> tuple[tuple[int, ...], ...]:
    """Group the numbers of a range whose elements are easily confused.

    The elements of a group have the same first letter, of the symbol or the name, or are adjacent.
    """
    places = range(first, last + 1)
    groups = [
        tuple(i for i in places if letter in (SYMBOLS[i][0], NAMES[i][0].upper()))
        for letter in "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
    ]
    groups += [tuple(places[start : start + 6]) for start in range(0, len(places) - 5, 3)]
    return tuple(group for group in groups if len(group) > 4)


_LOOKALIKES = {1: _lookalikes(0, 29), 5: _lookalikes(36, 117)}


def elements(rng: random.Random, level: int) -> Item:
    """Recall the periodic table.

    Level 1 asks for symbols and names of the first 30 elements, level 2 for atomic numbers of the
    first 40, level 3 for the group, level 4 for electrons of ions and neutrons, level 5 for
    symbols, names and neighbours among the elements from 37 to 118.
    """
    if level in (1, 5):
        return _by_name(rng, level)
    if level == 3:
        group, members = choice(rng, GROUPS)
        member, other = sample(rng, members, 2)
        wrong = [choice(rng, names) for _, names in sample(rng, GROUPS, 4) if names != members][:3]
        question = f"Which of these elements is in the same group of the periodic table as {other}?"
        if rng.random() < 0.5:
            question = f"Which of these elements is in group {group} of the periodic table (1-18)?"
        return Item(question, member, wrong)
    if level == 2:
        numbers = four(rng, 1, 40, (1, 2, 8))
        ask = choice(
            rng, ("What is the atomic number of {}?", "How many protons has an atom of {}?")
        )
        return offer(ask.format(NAMES[numbers[0] - 1]), numbers)
    if rng.random() < 0.5:
        electrons = sample(rng, choice(rng, _ELECTRONS), 4)
        symbol, charge = choice(rng, _IONS_WITH[electrons[0]])
        sign = f"{abs(charge)}{'+' if charge > 0 else '-'}"
        name = NAMES[SYMBOLS.index(symbol)]
        return offer(f"How many electrons has an ion of {name} with the charge {sign}?", electrons)
    protons, more = pair(rng, 7, 60), pair(rng, 0, 12, (1, 2, 4))
    more = more[0] + max(protons) // 5, more[1] + max(protons) // 5
    neutrons = corners(add, protons, more)
    name, mass = NAMES[protons[0] - 1], protons[0] + neutrons[0]
    return offer(f"How many neutrons has an atom of {name}-{mass}?", neutrons)


def _by_name(rng: random.Random, level: int) -> Item:
    """Ask for the symbol or name of an element, or of the element after another one."""
    place, *others = sample(rng, choice(rng, _LOOKALIKES[level]), 4)
    places, shape = (place, *others), randbelow(rng, 4 if level == 1 else 6)
    if shape < 2:
        ask = choice(rng, ("What is the chemical symbol of {}?", "Which symbol stands for {}?"))
        return offer(ask.format(NAMES[place]), [SYMBOLS[i] for i in places])
    ask = choice(rng, ("Which element has the symbol {}?", "What is the element {} called?"))
    question = ask.format(SYMBOLS[place])
    if shape >= 4:
        question = f"Which element has the atomic number after that of {NAMES[place - 1]}?"
    return offer(question, [NAMES[i] for i in places])


def molar_mass(rng: random.Random, level: int) -> Item:
    """Compute the mass of a substance from integer atomic masses.

    Level 1 has pairs of atoms, level 2 three atoms or more, level 3 larger molecules, level 4
    brackets, level 5 several moles, or the proportion of one element in them.
    """
    compounds = _alike(rng, _COMPOUNDS[level - 1])
    formula, counts, mass, used = compounds[0]
    if level < 5:
        text = choice(rng, _MOLE).format(formula)
        masses = [compound[2] for compound in compounds]
        return offer(f"{text} Use {used}.", masses, "{} g".format)
    moles = pair(rng, 2, 9, (1, 2, 3))
    if rng.random() < 0.5:
        text = f"What is the mass of {moles[0]} moles of {formula}?"
        products = corners(mul, moles, (mass, compounds[1][2]))
    else:
        one, other = sample(rng, counts, 2)
        text = f"What is the mass of the {one[0]} atoms in {moles[0]} moles of {formula}?"
        parts = one[1] * MASSES[one[0]], other[1] * MASSES[other[0]]
        products = corners(mul, moles, parts)
    return offer(f"{text} Use {used}.", products, "{} g".format)


@redrawn
def _alike(rng: random.Random, compounds: Sequence[Compound]) -> list[Compound]:
    """Draw four compounds with different but similar masses."""
    size = min(len(compounds), 9)
    start = randbelow(rng, len(compounds) - size + 1)
    drawn = sample(rng, compounds[start : start + size], 4)
    if len({mass for _, _, mass, _ in drawn}) < 4:
        raise Unfit
    return drawn
