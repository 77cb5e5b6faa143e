"""Geography: capitals of countries and their continents.

Invariants: the tables omit countries whose capital is disputed, shared, recently moved or revealed
by the country's name; for continents, they omit countries on two of them. Each country has a rank
from 1 to 5, where 1 means well known.
"""

import random

from ..item import Item, choice, offer, randbelow, sample

_EUROPE = """
1 France=Paris|1 Italy=Rome|1 Spain=Madrid|1 Germany=Berlin|1 Greece=Athens|1 Portugal=Lisbon
1 Austria=Vienna|1 Ireland=Dublin|1 Sweden=Stockholm|1 Norway=Oslo|2 Poland=Warsaw
2 Denmark=Copenhagen|2 Finland=Helsinki|2 Hungary=Budapest|2 Belgium=Brussels|2 Iceland=Reykjavik
2 Romania=Bucharest|2 Croatia=Zagreb|3 Bulgaria=Sofia|3 Serbia=Belgrade|3 Ukraine=Kyiv
3 Slovakia=Bratislava|3 Lithuania=Vilnius|3 Latvia=Riga|3 Estonia=Tallinn|3 Slovenia=Ljubljana
4 Albania=Tirana|4 Belarus=Minsk|4 Moldova=Chisinau|4 Malta=Valletta
4 Bosnia and Herzegovina=Sarajevo|4 North Macedonia=Skopje|5 Liechtenstein=Vaduz
"""
_ASIA = """
1 Japan=Tokyo|1 China=Beijing|1 Thailand=Bangkok|1 South Korea=Seoul|1 Iraq=Baghdad
2 Vietnam=Hanoi|2 Iran=Tehran|2 Nepal=Kathmandu|2 Philippines=Manila|2 Saudi Arabia=Riyadh
2 Pakistan=Islamabad|2 North Korea=Pyongyang|3 Bangladesh=Dhaka|3 Jordan=Amman|3 Lebanon=Beirut
3 Afghanistan=Kabul|3 Mongolia=Ulaanbaatar|3 Cambodia=Phnom Penh|3 Qatar=Doha|3 Syria=Damascus
4 Oman=Muscat|4 Laos=Vientiane|4 Uzbekistan=Tashkent|4 Bahrain=Manama|4 Maldives=Male
5 Bhutan=Thimphu|5 Kyrgyzstan=Bishkek|5 Tajikistan=Dushanbe|5 Turkmenistan=Ashgabat
5 Brunei=Bandar Seri Begawan
"""
_AFRICA = """
1 Kenya=Nairobi|1 Morocco=Rabat|2 Ethiopia=Addis Ababa|2 Ghana=Accra|2 Senegal=Dakar
2 Nigeria=Abuja|3 Uganda=Kampala|3 Sudan=Khartoum|3 Libya=Tripoli|3 Zimbabwe=Harare
3 Madagascar=Antananarivo|3 Angola=Luanda|3 Cameroon=Yaounde|4 Zambia=Lusaka|4 Mali=Bamako
4 Mozambique=Maputo|4 Rwanda=Kigali|4 Somalia=Mogadishu|4 Namibia=Windhoek|4 Niger=Niamey
4 Mauritius=Port Louis|5 Botswana=Gaborone|5 Malawi=Lilongwe|5 Liberia=Monrovia
5 Sierra Leone=Freetown|5 Togo=Lome|5 Gabon=Libreville|5 Burkina Faso=Ouagadougou
5 Mauritania=Nouakchott|5 Lesotho=Maseru|5 Eritrea=Asmara|5 Chad=N'Djamena|5 Guinea=Conakry
5 The Gambia=Banjul|5 Cape Verde=Praia|5 Comoros=Moroni
"""
_NORTH_AMERICA = """
1 Canada=Ottawa|1 United States=Washington, D.C.|1 Cuba=Havana|2 Jamaica=Kingston
2 Costa Rica=San Jose|3 Nicaragua=Managua|3 Honduras=Tegucigalpa|3 Haiti=Port-au-Prince
3 Dominican Republic=Santo Domingo|4 Bahamas=Nassau|4 Barbados=Bridgetown
5 Belize=Belmopan|5 Saint Lucia=Castries|5 Grenada=Saint George's|5 Dominica=Roseau
5 Trinidad and Tobago=Port of Spain|5 Saint Kitts and Nevis=Basseterre
"""
_SOUTH_AMERICA = """
1 Argentina=Buenos Aires|1 Peru=Lima|1 Colombia=Bogota|2 Venezuela=Caracas|2 Ecuador=Quito
3 Uruguay=Montevideo|4 Paraguay=Asuncion|5 Suriname=Paramaribo|5 Guyana=Georgetown
"""
_OCEANIA = """
1 Australia=Canberra|2 New Zealand=Wellington|3 Fiji=Suva|4 Papua New Guinea=Port Moresby
5 Samoa=Apia|5 Tonga=Nuku'alofa|5 Vanuatu=Port Vila|5 Solomon Islands=Honiara
"""
_TWO_CONTINENTS = """
1 Egypt=Cairo|1 Russia=Moscow|2 Turkey=Ankara|4 Georgia=Tbilisi|4 Armenia=Yerevan
4 Azerbaijan=Baku|4 Cyprus=Nicosia
"""
Country = tuple[int, str, str]


def _read(text: str) -> tuple[Country, ...]:
    """Turn a table into tuples of rank, country and capital."""
    rows = []
    for entry in text.strip().replace("\n", "|").split("|"):
        country, capital = entry[2:].split("=")
        rows.append((int(entry[0]), country, capital))
    return tuple(rows)


CONTINENTS = {
    "Europe": _read(_EUROPE),
    "Asia": _read(_ASIA),
    "Africa": _read(_AFRICA),
    "North America": _read(_NORTH_AMERICA),
    "South America": _read(_SOUTH_AMERICA),
    "Oceania": _read(_OCEANIA),
}
_NAMES = tuple(CONTINENTS)
_KNOWN = tuple(
    tuple(
        tuple(row for row in rows if low <= row[0] <= high)
        for rows in (*CONTINENTS.values(), _read(_TWO_CONTINENTS))
    )
    for low, high in ((1, 2), (1, 3), (2, 4), (3, 5), (4, 5))
)
_ALL = tuple(tuple(row for rows in known for row in rows) for known in _KNOWN)
_RULE = " (North America includes Central America and the Caribbean.)"


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
    rows = _ALL[level - 1]
    if level > 2:
        rows = choice(rng, [group for group in _KNOWN[level - 1] if len(group) > 5])
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

    Level 1 gives two well-known countries, 2 may ask for a country of a continent, 3 for a pair
    of countries, 4 and 5 do so with capitals and ever rarer countries.
    """
    known = _KNOWN[level - 1][:6]
    column = 2 if level > 3 else 1
    nouns, noun = ("national capitals", "capital") if level > 3 else ("countries", "country")
    shape = randbelow(rng, min(level, 3))
    places = sample(rng, range(6), 4)
    if shape == 1:
        question = f"Which of these {nouns} is in {_NAMES[places[0]]}?"
        return offer(question + _RULE, [str(choice(rng, known[i])[column]) for i in places])
    pairs = [(first, second) for first in places[:2] for second in places[2:]]
    first, second = pairs[0]
    if shape == 0:
        one, two = (_said(choice(rng, known[i]), column) for i in pairs[0])
        question = f"On which continents are {one} and {two}, in this order?"
        return offer(question + _RULE, [f"{_NAMES[i]}, {_NAMES[j]}" for i, j in pairs])
    question = (
        f"In which of these pairs is the first {noun} in {_NAMES[first]} and the second in "
        f"{_NAMES[second]}?"
    )
    drawn = [(choice(rng, known[i])[column], choice(rng, known[j])[column]) for i, j in pairs]
    return offer(question + _RULE, [f"{one}; {two}" for one, two in drawn])


def _said(country: Country, column: int) -> str:
    """Name a country within a sentence, by itself or by its capital."""
    return str(country[2]) if column == 2 else _with_article(country[1])
