"""The words of the shop: names that nobody has, and sentences that nobody wrote."""

from __future__ import annotations

import re
from datetime import date
from random import Random

BRANDS = (
    "Brontel|Corvask|Dellumo|Esterwyn|Fandril|Gossarn|Halvik|Ilmoray|Jorrun & Sons|Kestavo|Lomberry|Mirévan|Nordellin|"
    "Ombrace|Pellwood|Quarvis|Rindelø|Sollaby|Tavrick|Umberlo|Verrint|Wickmoor|Yarrowin|Zintham & Oke"
).split("|")

_GIVEN = (
    "Alba|Bryn|Cato|Dorrit|Elke|Fenn|Greta|Hale|Imre|Juno|Kester|Lior|Maren|Nils|Odile|Perrin|Renée|Runa|Sorin|Tilde|"
    "Ulla|Vesper|Wren|Yara|Zoë"
).split("|")
_FAMILY = (
    "Ashlock|Barrowin|Crandle|Dovetree|Elmsparr|Fothering|Garrowby|Hexwell|Inglestone|Jarrach|Kittering|Lorrimond|"
    "Mossbank|Nettlefar|Oxwade|Pennifold|Quarringer|Rushmild|Sallowby|Tarnquist|Underhay|Vintrell|Wexcombe|Yardlow"
).split("|")
_TOWN = "Ald Brack Crow Dun Ember Fair Gor Hart Ivel Kes Lang Mar Nor Ost Pen Quar Ras Sten Thorn Ul Wex Yar".split()
_PLACE = "bury combe dale fold gate haven lock mere wick stead".split()
_STREETS = (
    "Mill Lane|Tanner's Row|Harbour Street|Old Market|Lantern Walk|Copper Yard|North Gate|Weaver Street|Station Road|"
    "Orchard Hill|Bell Court|Saddler's Passage"
).split("|")
_OPENINGS = "ar bel cor dan el far gil hol is jun kal lum mor nel or pas quil ros sal tor ul vim wil yor".split()
_MIDDLES = "ba de fi go la mi no ra se ti va".split()
_ENDINGS = "a en ia in is o on or um ya".split()

MATERIALS = {
    "Light": "brass|steel|glass|oak|linen|enamel|paper|bamboo",
    "Kitchen": "stoneware|steel|cast iron|enamel|beech|glass|copper|olive wood",
    "Living": "oak|walnut|beech|brass|slate|cork|rattan|steel",
    "Textiles": "linen|wool|cotton|felt|hemp|velvet|jute",
    "Bath & bed": "cotton|linen|cork|bamboo|willow|stoneware|teak",
    "Garden": "teak|zinc|terracotta|willow|larch|steel|cast iron",
}
"""What the things of each department are made of."""

COLOURS = "sand|ink blue|moss|chalk|rust|charcoal|amber|oat|plum|petrol|brick|fog grey|off-white|olive".split(
    "|"
)

_SLOTS = {
    "thing": (
        "a good table|the kettle|an old chair|a heavy pan|the lamp by the window|a drawer of spoons|a woollen blanket|"
        "the bench in the yard|a bowl of apples|the wooden board|a clock that ticks|the curtain in the hall|a narrow shelf|"
        "the bread knife|a basket of wood|an empty vase|the rug by the door|a pair of stools"
    ),
    "people": (
        "most families|our neighbours|people in small flats|the weavers of the valley|two joiners|three generations|"
        "the guests|gardeners|the potters we met|everybody who cooks|students|the owners|those who rent"
    ),
    "place": (
        "the kitchen|a hallway|the north room|the workshop|a garden shed|the old dairy|a small bath|the attic|"
        "the courtyard|the spare bedroom|a former mill|the veranda"
    ),
    "when": (
        "in the evening|before breakfast|after the first frost|on a wet Sunday|in early spring|when the light is low|"
        "at the end of a long day|between two winters|once a year|every second Thursday|in the last week of August"
    ),
    "does": (
        "changes the room|asks for very little|lasts longer than a fashion|tells you how it was made|wants some care|"
        "gets better with use|is easily forgotten|keeps its shape|makes less noise than you think|needs a firm hand|"
        "costs less than a new one|smells of resin for a month|looks smaller than it is"
    ),
    "because": (
        "because nobody hurries it|because the wood keeps moving|as long as it is dry|since the clay holds the warmth|"
        "if you let it|although the manual says otherwise|and that is the whole secret|which took us a while to see|"
        "even with two dogs in the house|once the oil has set|so we stopped counting"
    ),
    "act": (
        "oil the wood|open a window|sharpen the blade|wash it by hand|turn the cushion over|measure twice|"
        "leave the corner empty|wax the legs|mend the seam|choose the lower bulb|rinse it with cold water|"
        "start with the largest piece|put the rug where the feet land"
    ),
    "quality": "quiet|sturdy|plain|generous|light|patient|honest|slow|warm|bright|modest|solid|soft|deep",
    "number": "three|four|five|seven|nine|a dozen|fifteen|twenty|sixty|two hundred",
    "unit": "years|winters|drawers|hours of work|kilos of clay|metres of cloth|visits|attempts|cups a day|tins of paint",
}
_STORY = (
    "{Thing} {does} {because}.",
    "{People} told us that {thing} {does}, {because}.",
    "It took {number} {unit} and a {quality} idea before {thing} found its way into {place}.",
    "{When}, {people} {act}, and {thing} {does}.",
    "Nobody in {place} remembers {thing}, but {people} still {act} {when}.",
    "If you have {number} minutes {when}, {act}; {thing} {does} afterwards.",
    "“We {act} {when},” says {person}, “and after {number} {unit} it still {does}.”",
    "There is a {quality} way to do it: {act}, wait, and then {act}.",
    "The {quality} ones cost more, {because}.",
    "Where others see {thing}, {people} see {number} {unit}.",
    "{Person} keeps {thing} in {place}, {because}.",
    "That is {quality} work, and {when} it shows.",
    "After {number} {unit} we were sure that {thing} {does} in {place} as well.",
    "Some {act} first; {people} prefer to {act}.",
    "What {does} in {place} rarely {does} in a rented room.",
    "Ask {people} about {thing} and you will hear of {number} {unit}.",
)
_PRAISE = (
    "A {quality} piece for {place}, made in {number} steps by hand.",
    "It {does} {because}.",
    "We have had one in {place} for {number} years, and it {does}.",
    "Made for {people} who {act} {when}.",
    "The finish is {quality}; {act} now and then and it stays so.",
    "Each one differs a little from the next, which is how {people} like it.",
    "Sold with a spare part and a leaflet on how to {act}.",
    "Fits {place} as well as {place}.",
    "It comes flat in a box, with {number} screws and one key.",
)
_OPINIONS = (
    "Exactly as shown. It {does}.",
    "Bought it for {place} and would buy it again.",
    "{Quality} and {quality}, but smaller than I thought.",
    "Came late, was packed well, {does}.",
    "My second one. The first {does} after {number} years.",
    "Good, although you have to {act} first.",
    "Not for us: it {does}, and I had hoped for a {quality} one.",
    "A present for {people}. They use it {when}.",
    "Scratched on arrival; the shop sent another within {number} days.",
    "It is fine. I {act} {when} and it {does} {because}.",
)
_HEADLINES = (
    "Why {thing} {does}",
    "How to {act} without regret",
    "{Number} {unit} in {place}",
    "A {quality} life with {thing}",
    "In praise of {thing}",
    "{Act}, and other advice from {town}",
    "What {people} know about {thing}",
    "The {quality} art of {place}",
    "{When} in {town}",
)
_SUBHEADS = (
    "First, {act}",
    "A {quality} beginning",
    "What {does}",
    "{Number} {unit} later",
    "Back in {place}",
)


class Words:
    """Words drawn by one chance: the same chance gives the same words."""

    def __init__(self, chance: Random) -> None:
        self.chance = chance

    def person(self) -> str:
        """A given name and a family name."""
        return f"{self.chance.choice(_GIVEN)} {self.chance.choice(_FAMILY)}"

    def reviewer(self) -> str:
        """A person as people sign on the web."""
        given, family = self.person().split()
        return self.chance.choice(
            [
                f"{given} {family[0]}.",
                f"{given} {family}",
                f"{given.lower()}_{family[:4].lower()}",
                given,
            ]
        )

    def town(self) -> str:
        """A town."""
        return self.chance.choice(_TOWN) + self.chance.choice(_PLACE)

    def street(self) -> str:
        """A street with a number."""
        return f"{self.chance.choice(_STREETS)} {self.chance.randint(1, 140)}"

    def model(self) -> str:
        """What a maker calls a thing."""
        middle = self.chance.choice(_MIDDLES) if self.chance.random() < 0.6 else ""
        return (self.chance.choice(_OPENINGS) + middle + self.chance.choice(_ENDINGS)).capitalize()

    def headline(self) -> str:
        """The title of an article."""
        return self._filled(_HEADLINES)

    def subhead(self) -> str:
        """A heading within an article."""
        return self._filled(_SUBHEADS)

    def paragraph(self, fewest: int = 2, most: int = 6) -> str:
        """A paragraph of an article."""
        return self._several(_STORY, fewest, most)

    def praise(self) -> str:
        """A paragraph that sells."""
        return self._several(_PRAISE, 2, 4)

    def opinion(self) -> str:
        """A review, or a comment."""
        return self._several(_OPINIONS, 1, 3)

    def _several(self, sentences: tuple[str, ...], fewest: int, most: int) -> str:
        drawn = self.chance.sample(sentences, self.chance.randint(fewest, most))
        return " ".join(self._filled((sentence,)) for sentence in drawn)

    def _filled(self, sentences: tuple[str, ...]) -> str:
        """One of the sentences with its slots filled; a slot with a capital gives a word with one."""
        return re.sub(r"\{(\w+)\}", lambda slot: self._word(slot[1]), self.chance.choice(sentences))

    def _word(self, slot: str) -> str:
        name = slot.lower()
        if name in ("person", "town"):
            return self.person() if name == "person" else self.town()
        word = self.chance.choice(_SLOTS[name].split("|"))
        return word[0].upper() + word[1:] if slot[0].isupper() else word


def slug(text: str) -> str:
    """A text as part of an address."""
    plain = text.lower().translate(str.maketrans("éëøö", "eeoo"))
    return re.sub(r"[^a-z0-9]+", "-", plain).strip("-")


def long_day(day: date) -> str:
    """A day as the shop writes it."""
    return f"{day.day} {day:%B %Y}"
