/** @file The words of the generated catalogue: what its departments sell, how products of an aisle differ, who makes them. */

/** A group of product types that share attributes, options and prices. */
export interface Aisle {
  readonly name: string;
  readonly types: readonly string[];
  /** two-word phrases */
  readonly attributes: readonly string[];
  /** names of options, of which a product has some */
  readonly options: readonly OptionName[];
  readonly price: readonly [number, number];
}

export interface Department {
  readonly category: string;
  readonly path: string;
  readonly aisles: readonly Aisle[];
}

export type OptionName = keyof typeof optionValues;

/** Values of each option, from which a family takes some. */
export const optionValues = {
  color:
    'black|white|navy|light grey|dark grey|forest green|sky blue|wine red|dusty pink|mustard|ivory|teal|burnt orange|lilac|sand|charcoal|mint|coral|chocolate|olive|plum|rust'.split(
      '|',
    ),
  size: 'x-small|small|medium|large|x-large|xx-large'.split('|'),
  shoe: '6|6.5|7|7.5|8|8.5|9|9.5|10|11|12'.split('|'),
  measure: '12" x 16"|16" x 20"|20" x 30"|24" x 36"|30" x 40"|36" x 48"|48" x 60"'.split('|'),
  length: '3 ft|6 ft|10 ft|15 ft|25 ft'.split('|'),
  amount: '2 ounce|4 ounce|8 ounce|12 ounce|16 ounce|32 ounce'.split('|'),
  pack: 'pack of 1|pack of 2|pack of 4|pack of 6|pack of 12'.split('|'),
  'flavor name':
    'salted caramel|wild berry|sea salt|smoked paprika|lemon ginger|dark cocoa|maple pecan|garden herb|chili lime|vanilla oat'.split(
      '|',
    ),
  scent: 'lavender|cedar|unscented|orange blossom|eucalyptus|rose|green tea'.split('|'),
  style: 'classic|modern|vintage|slim|deluxe|compact'.split('|'),
  'fit type': 'men|women|youth'.split('|'),
} as const;

/** The name under which an option is shown, where it is not its own. */
export const shownNames: Partial<Record<OptionName, string>> = {
  shoe: 'size',
  measure: 'size',
  length: 'size',
  amount: 'size',
  pack: 'size',
};

const list = (text: string): readonly string[] => text.split(', ');

function aisle(
  name: string,
  types: string,
  attributes: string,
  options: readonly OptionName[],
  price: readonly [number, number],
): Aisle {
  return { name, types: list(types), attributes: list(attributes), options, price };
}

export const departments: readonly Department[] = [
  {
    category: 'beauty',
    path: 'Beauty & Personal Care',
    aisles: [
      aisle(
        'Hair Care',
        'shampoos, conditioners, hair masks, hair oils, hair brushes, hair clips, styling gels, dry shampoos, hair towels',
        'sulfate free, argan oil, dry hair, natural ingredients, color safe, long lasting, coconut oil, damaged hair, cruelty free, easy rinse, curly hair, silicone free',
        ['amount', 'scent'],
        [6, 45],
      ),
      aisle(
        'Skin Care',
        'face creams, body lotions, eye serums, face masks, cleansing bars, sun lotions, lip balms, hand creams, body scrubs',
        'fragrance free, sensitive skin, hyaluronic acid, dry skin, fine lines, dermatologist tested, vitamin c, oil free, aloe vera, night care, paraben free, fast absorbing',
        ['amount', 'scent'],
        [7, 60],
      ),
      aisle(
        'Makeup',
        'lipsticks, mascaras, eyeliners, blush sticks, nail polishes, makeup sponges, brow pencils, setting powders, makeup bags',
        'highly pigmented, water resistant, long wearing, matte finish, cruelty free, easy apply, travel size, quick drying, fragrance free, buildable coverage, refillable case, smudge proof',
        ['color', 'style'],
        [4, 38],
      ),
      aisle(
        'Oral Care',
        'toothbrushes, toothpastes, dental flosses, mouth rinses, tongue scrapers, whitening strips, toothbrush holders, water flossers, denture cups',
        'soft bristles, fluoride free, sensitive teeth, fresh breath, bpa free, easy clean, plaque removal, travel friendly, long handle, mint taste, rechargeable battery, leak proof',
        ['color', 'pack'],
        [3, 70],
      ),
      aisle(
        'Bath & Shaving',
        'bath bombs, shaving creams, razors, bath sponges, shower caps, body brushes, beard oils, bath pillows, soap dishes',
        'essential oils, sensitive skin, quick drying, non slip, natural bristle, stainless steel, gift ready, long handle, close shave, machine washable, vegan formula, rust proof',
        ['color', 'scent'],
        [5, 40],
      ),
    ],
  },
  {
    category: 'electronics',
    path: 'Electronics',
    aisles: [
      aisle(
        'Headphones & Audio',
        'earbuds, headphones, bluetooth speakers, sound bars, headphone stands, clock radios, microphones, record players, audio cables',
        'noise cancelling, fast charging, water resistant, long battery, hands free, deep bass, touch control, foldable design, wireless bluetooth, gold plated, low latency, compact size',
        ['color', 'style'],
        [15, 220],
      ),
      aisle(
        'Computer Accessories',
        'laptop sleeves, wireless mice, mechanical keyboards, laptop stands, webcams, usb hubs, monitor arms, mouse pads, screen cleaners',
        'plug play, aluminum alloy, non slip, quiet click, usb c, adjustable height, carrying handle, water repellent, high speed, heavy duty, quick release, easy install',
        ['color', 'size'],
        [9, 160],
      ),
      aisle(
        'Phone Accessories',
        'phone cases, screen protectors, phone holders, power banks, charging cables, wall chargers, selfie sticks, ring lights, phone straps',
        'fast charging, wireless charging, tempered glass, shock proof, case friendly, one hand, braided nylon, high capacity, scratch resistant, easy carry, non slip, dust proof',
        ['color', 'length'],
        [5, 70],
      ),
      aisle(
        'Cameras & Photo',
        'tripods, camera bags, lens filters, memory cards, camera straps, photo printers, light stands, camera batteries, action cameras',
        'carbon fiber, quick release, weather resistant, high speed, easy carry, padded interior, high resolution, long lasting, adjustable strap, multi coated, shock absorbing, wide angle',
        ['color', 'style'],
        [12, 240],
      ),
      aisle(
        'Home Electronics',
        'tv mounts, hdmi cables, remote controls, streaming sticks, projectors, indoor antennas, surge protectors, smart plugs, battery chargers',
        'wall mounted, gold plated, ultra hd, voice control, easy install, heavy duty, energy saving, full motion, high speed, flame retardant, universal fit, dual band',
        ['length', 'style'],
        [8, 190],
      ),
    ],
  },
  {
    category: 'fashion',
    path: 'Clothing, Shoes & Jewelry',
    aisles: [
      aisle(
        'Tops',
        't-shirts, blouses, polo shirts, sweaters, hoodies, tank tops, cardigans, flannel shirts, rain jackets',
        'machine wash, long sleeve, short sleeve, crew neck, organic cotton, loose fit, quick drying, button closure, moisture wicking, tumble dry, stretch fabric, hand wash',
        ['color', 'size', 'fit type'],
        [12, 75],
      ),
      aisle(
        'Bottoms',
        'jeans, shorts, leggings, skirts, chinos, jogging pants, overalls, hiking pants, pajama pants',
        'elastic waist, high waist, machine wash, slim fit, wide leg, deep pockets, stretch fabric, drawstring closure, tummy control, relaxed fit, water resistant, daily wear',
        ['color', 'size'],
        [14, 85],
      ),
      aisle(
        'Shoes',
        'sneakers, sandals, ankle boots, loafers, slippers, running shoes, rain boots, walking shoes, ballet flats',
        'rubber sole, arch support, memory foam, slip resistant, water proof, genuine leather, breathable mesh, wide width, lace up, day comfort, vegan leather, ankle strap',
        ['color', 'shoe'],
        [18, 130],
      ),
      aisle(
        'Dresses & Sleepwear',
        'summer dresses, evening dresses, nightgowns, bathrobes, jumpsuits, kimonos, sleep shirts, wrap dresses, maxi dresses',
        'floral print, long sleeve, quality polyester, knee length, hand wash, side pockets, soft fleece, elastic waist, v neck, spaghetti strap, polka dot, everyday wear',
        ['color', 'size'],
        [16, 110],
      ),
      aisle(
        'Accessories',
        'backpacks, tote bags, wallets, belts, sunglasses, scarves, beanies, wrist watches, umbrellas',
        'genuine leather, water resistant, easy carry, gift box, adjustable strap, hand woven, metal buckle, wind proof, quick access, soft lining, stainless steel, uv protection',
        ['color', 'style'],
        [9, 140],
      ),
    ],
  },
  {
    category: 'garden',
    path: 'Home & Kitchen',
    aisles: [
      aisle(
        'Furniture',
        'console tables, bar stools, bookcases, office chairs, nightstands, coffee tables, folding chairs, shoe racks, storage benches',
        'solid wood, easy assemble, metal legs, living room, faux leather, height adjustable, space saving, storage space, heavy duty, mid century, scratch resistant, white finish',
        ['color', 'style'],
        [35, 420],
      ),
      aisle(
        'Bedding & Textiles',
        'throw blankets, pillow covers, duvet covers, bed sheets, bath towels, curtains, area rugs, table runners, mattress toppers',
        'machine washable, super soft, double sided, hypoallergenic filling, easy care, thermal insulated, non slip, organic cotton, hidden zipper, fade resistant, living room, quick drying',
        ['color', 'measure'],
        [11, 140],
      ),
      aisle(
        'Lighting & Decor',
        'table lamps, floor lamps, string lights, wall clocks, picture frames, vases, candles, wall mirrors, wall shelves',
        'hand painted, ready hang, energy saving, warm light, solid wood, battery powered, glass shade, living room, dining room, gift wrapped, dimmable light, easy install',
        ['color', 'measure', 'style'],
        [9, 150],
      ),
      aisle(
        'Kitchen',
        'frying pans, cutting boards, mixing bowls, water bottles, coffee mugs, storage jars, knife sets, tea kettles, lunch boxes',
        'dishwasher safe, bpa free, non stick, stainless steel, heat resistant, leak proof, easy clean, double walled, food grade, oven safe, space saving, soft grip',
        ['color', 'style'],
        [8, 120],
      ),
      aisle(
        'Garden & Patio',
        'planters, garden hoses, bird feeders, patio umbrellas, watering cans, outdoor cushions, garden gloves, fire pits, seed trays',
        'weather resistant, heavy duty, rust proof, easy clean, quick connect, drain holes, uv protection, powder coated, kink free, water repellent, hand painted, light weight',
        ['color', 'style', 'length'],
        [7, 180],
      ),
    ],
  },
  {
    category: 'grocery',
    path: 'Grocery & Gourmet Food',
    aisles: [
      aisle(
        'Snacks',
        'granola bars, potato chips, trail mixes, crackers, popcorns, pretzels, rice cakes, fruit snacks, nut butters',
        'gluten free, low sodium, non gmo, plant based, nut free, high protein, low sugar, individually wrapped, kettle cooked, dairy free, whole grain, resealable bag',
        ['flavor name', 'pack'],
        [4, 45],
      ),
      aisle(
        'Drinks',
        'green teas, herbal teas, coffee beans, instant coffees, fruit juices, sparkling waters, cocoa powders, protein shakes, lemonades',
        'caffeine free, fair trade, sugar free, usda organic, plant based, low calorie, medium roast, cold brew, soy free, real fruit, lactose free, single serve',
        ['flavor name', 'pack'],
        [5, 55],
      ),
      aisle(
        'Baking & Breakfast',
        'pancake mixes, cake mixes, breakfast cereals, oatmeals, flours, baking chocolates, food colorings, vanilla extracts, maple syrups',
        'gluten free, whole grain, easy prepare, kosher certified, artificial colors, high fiber, low carb, grain free, non gmo, stone ground, egg free, rich flavor',
        ['amount', 'flavor name'],
        [4, 40],
      ),
      aisle(
        'Pantry',
        'pasta sauces, olive oils, rice blends, dried beans, canned soups, spice blends, hot sauces, pasta shells, salad dressings',
        'ready eat, cold pressed, low sodium, keto friendly, msg free, usda organic, slow cooked, shelf stable, hand picked, sugar free, glass jar, family size',
        ['amount', 'pack'],
        [3, 42],
      ),
      aisle(
        'Sweets & Gifts',
        'chocolate bars, gummy candies, cookies, caramels, marshmallows, gift baskets, mints, fudges, cake toppers',
        'individually wrapped, gift box, dairy free, natural flavors, gluten free, hand made, cocoa butter, birthday party, nut free, valentine day, high quality, baby shower',
        ['flavor name', 'pack'],
        [5, 65],
      ),
    ],
  },
];

/** Makers, all of them invented. */
export const brands = list(
  'Alderby, Bramwell, Corvane, Dunmore & Vale, Elswick, Fennagh, Glenhollow, Harrowby, Ivenor, Juniper Lane, Kestrin, Lunabrook, Marloe, Northquay, Oakhesten, Pellwick, Quillmark, Ravensby, Solvara, Tindale, Umberfield, Vexley, Westerleigh, Yarrowdale',
);

/** What else a title says. */
export const occasions = list(
  'for Home and Travel, for Everyday Use, for Weekends and Holidays, for Women and Men, as a Gift for Friends and Family, for Beginners and Experts, for Small Homes, for All Seasons',
);

/** Sentences of descriptions; `{type}` is the type of product, `{first}` and `{second}` are attributes. */
export const sentences: readonly string[] = [
  'Our {type} come from a small workshop that has made little else for years, and every piece is checked by hand before it leaves the house.',
  'We chose {first} because that is what our customers asked for first, and {second} because it is what they thank us for later.',
  'Whether it is a busy morning or a slow evening, you will find that they do their work without asking for attention.',
  'The details are simple on purpose: fewer parts that can break, and nothing that has to be explained twice.',
  'Each order is packed with recycled paper and arrives ready to use, together with a card that says how to care for it.',
  'If something is not as you expected, write to us within sixty days and we will make it right.',
  'Please note that what you see on your screen may differ a little from what you hold in your hand.',
];

/** Bullets about an attribute. */
export const bulletSentences: readonly string[] = [
  '{attribute}: made so that you notice the difference from the first day',
  '{attribute} — tested in our own workshop and by two hundred customers',
  'Designed with {attribute} in mind, without any loss of comfort',
  'You get {attribute} at a price that is fair to everybody involved',
  'The feature most people ask for is {attribute}, and here it is standard',
];
