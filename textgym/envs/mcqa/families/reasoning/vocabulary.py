"""Word lists of several families: common words, people's names and goods.

Invariants: the lists are tuples in a fixed order without duplicates; WORDS contains lower-case
English words of four to twelve letters, and BY_LENGTH groups them by length.
"""

_PLAIN = """
acid album amber anchor animal ankle answer apple apron arrow autumn badge balance balloon
bamboo banana basket beach beacon bench berry bicycle biscuit blanket blossom bottle bracket
branch bread bridge bronze bubble bucket butter button cabin cabinet cable camel camera candle
canyon captain caravan carbon carpet carrot castle cedar ceiling chain chair champion chapter
cheese cherry chimney circle citizen climate clock cloud clover coconut coffee colony comet
compass concert copper coral corner cotton couple cradle crane crayon cricket crystal culture
curtain cushion damage dance dawn debate decade deer dentist desert diamond dinner doctor
dolphin donkey dragon drawer dream drum eagle earth echo elbow elephant engine envelope estate
evening fabric factory falcon farmer feather fence festival finger flame flower flute forest
fossil fountain friend frost fruit furniture galaxy garden garlic gazelle giant ginger giraffe
glacier glove goat gold grape grass gravel guitar hammer harbour harvest hazel helmet hero
hill history honey horizon horse hospital hotel iceberg island ivory jacket jaguar jewel
journey jungle kettle kitchen kitten ladder lagoon language lantern laundry lawyer leather
lemon leopard letter library lizard lobster lunch machine magnet mango manual maple marble
market meadow medicine melody member metal meteor midnight mineral minute mirror mitten
monkey monsoon morning motor mountain museum mushroom music napkin needle notebook novel
number nurse ocean olive onion orange orchard orchestra organ otter oyster packet paddle
painter palace panther paper parade parrot passport pasture peanut pebble pencil penguin
pepper piano picture pillow pilot planet plastic platform plaza pocket poem potato pottery
powder prairie puddle pumpkin puzzle pyramid quarter queen question rabbit radio railway
rainbow ranger raven reason recipe refugee region ribbon river robin rocket saddle salmon
sandal satellite saucer school science season shadow shelter shepherd signal silver singer
sister slipper snow soldier spider spinach spoon squirrel stadium station statue stomach
storm strawberry stream student sugar summer sunset surface swan sweater table teacher
telescope temple tennis theatre thunder ticket tiger timber toast tomato tornado tortoise
tower tractor traffic treasure tree triangle tropical trumpet tulip tunnel turtle umbrella
uncle uniform valley vanilla vehicle velvet village violin volcano voyage wagon wallet walnut
water weather whisper willow window winter wizard wolf wonder yellow zebra
"""
WORDS = tuple(_PLAIN.split())

_LONG = """
achievement adventurous agriculture alphabetical ambassador anniversary application archaeology
architecture arrangement atmosphere australian background basketball beginning benevolent
binoculars biography blackboard calculation calculator cathedral celebration centimetre
certificate championship commercial committee commonplace competition composition
concentrate conductor connection considerable conversation corporation cultivation definition
democracy department description destination development dictionary difference disappear
discovery dishonest earthquake electrician electricity elementary encyclopedia engineering
enthusiasm environment equipment examination excellence exhibition expedition experiment
explanation expression federation fertilizer flourishing foundation friendship geographical
government grandfather grandmother grasshopper gymnastics hemisphere hippopotamus
historical holiday horizontal illustration imagination immediately impossible improvement
independent information ingredient innovation inspection instruction instrument intelligent
interesting invitation kilometre kindergarten laboratory landscape lieutenant literature
locomotive magnificent mathematics measurement mechanical microscope millimetre miraculous
motorcycle multiplying neighbourhood newspaper nightingale occasionally occupation operation
opportunity orchestral parliament particular peppermint percentage performance philosophy
photograph politician population possession possibility preparation president procession
production professor protection questionable recognition recommend reflection registration
remarkable republican restaurant revolution satisfaction scholarship scientific settlement
signature skyscraper submarine subtraction supermarket temperature tournament tradition
transparent ultraviolet unbelievable understanding university vegetarian vocabulary
volunteer watermelon wilderness woodpecker
"""
LONG_WORDS = tuple(_LONG.split())

BY_LENGTH: dict[int, tuple[str, ...]] = {
    size: tuple(word for word in WORDS if len(word) == size) for size in range(5, 9)
}

PEOPLE = (
    "Anna", "Ben", "Clara", "David", "Emma", "Felix", "Grace", "Hugo", "Iris", "Jack",
    "Kate", "Liam", "Mona", "Noah", "Olga", "Paul", "Rosa", "Simon", "Tara", "Victor",
)  # fmt: skip

GOODS = (
    "notebook", "pen", "mug", "lamp", "spoon", "book", "toy car", "poster", "cake", "hat",
    "plant", "ruler", "towel", "candle", "puzzle", "ball",
)  # fmt: skip
