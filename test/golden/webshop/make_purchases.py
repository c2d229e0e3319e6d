"""Scores random purchases among WebShop's 1,000 products by the rules of its reward, with thefuzz itself.

    pip install thefuzz==0.19.0
    python make_purchases.py $WEBSHOP_DATA/products_loaded_1000.json > purchases.json

Rows have numbers only: the texts of the products may not be published.
"""
import json
import random
import sys
import warnings

warnings.filterwarnings("ignore")
from thefuzz import fuzz  # noqa: E402

COLORS = (
    "alabaster apricot aqua ash asphalt azure banana beige black blue blush bordeaux bronze brown burgundy camel camo "
    "caramel champagne charcoal cheetah chestnut chocolate christmas coffee cognac copper coral cranberry cream crystal "
    "dark denim eggplant elephant espresso fuchsia gold granite grape graphite grass gray green grey heather indigo ivory "
    "ivy khaki lavender lemon leopard light lilac lime magenta maroon mauve merlot midnight mint mocha multicolor mushroom "
    "mustard natural navy nude olive orange peach pewter pink plum purple rainbow red rose royal rust sand sapphire "
    "seashell silver skull slate steel stone stonewash sunflower tan taupe teal tiger turquoise violet walnut wheat white "
    "wine yellow"
).split()


def reduce(value):
    return next((color for color in COLORS if color in value), value)


def score(product, goal, wanted, chosen):
    texts = [product["Title"], " ".join(product["BulletPoints"]), product["Description"]]
    attributes = sum(
        any(fuzz.token_set_ratio(own, attribute) > 85 for own in product["Attributes"])
        or any(attribute in text.lower() for text in texts)
        for attribute in goal["instruction_attributes"]
    )
    values = [reduce(value) for value in chosen.values()]
    options = sum(any(fuzz.token_set_ratio(value, reduce(pair)) > 85 for value in values) for pair in wanted.items())
    paths = [{name.strip() for name in one["product_category"].split("›")} for one in (product, goal)]
    return [attributes, options, int(product["query"] == goal["query"]), int(len(paths[0] & paths[1]) >= 2)]


random.seed(0)
products = json.load(open(sys.argv[1]))
places = {product["asin"]: place for place, product in enumerate(products)}
goals = [product for product in products if product["instruction"]]
rows = []
while len(rows) < 600:
    goal = random.choice(goals)
    kind = random.random()
    pool = [goal] if kind < 0.4 else [p for p in products if p["query"] == goal["query"]] if kind < 0.7 else products
    product = random.choice(pool)
    combination = [random.randrange(len(goal["options"][name])) for name in sorted(goal["options"])]
    wanted = {name: goal["options"][name][place] for name, place in zip(sorted(goal["options"]), combination)}
    picks = []
    for option, name in enumerate(product["options"]):
        if random.random() < 0.8:
            same = product is goal and random.random() < 0.6
            value = combination[sorted(goal["options"]).index(name)] if same else random.randrange(len(product["options"][name]))
            picks.append([option, value])
    names = list(product["options"])
    chosen = {names[option]: product["options"][names[option]][value] for option, value in picks}
    rows.append([places[goal["asin"]], combination, places[product["asin"]], picks, score(product, goal, wanted, chosen)])
json.dump(rows, sys.stdout, separators=(",", ":"))
