/**
 * @file The catalogue for small models: products of a few words, such as `soft striped lamp`. Every combination of a type and
 * two of its attributes is a family whose members differ in price or colours.
 */
import { createStream, deriveSeed, type RandomStream } from '@espalier/plugin-kit';
import type { Product, ProductOption } from './product.js';

interface ShortAisle {
  readonly category: string;
  readonly name: string;
  readonly types: readonly string[];
  readonly attributes: readonly string[];
}

const words = (text: string): readonly string[] => text.split(' ');

const aisles: readonly ShortAisle[] = [
  {
    category: 'garden',
    name: 'Rooms',
    types: words('lamp chair table mirror rug shelf'),
    attributes: words('round wooden folding tall white heavy painted narrow'),
  },
  {
    category: 'fashion',
    name: 'Wardrobe',
    types: words('shirt dress coat scarf boots gloves'),
    attributes: words('soft warm striped long woollen light loose lined'),
  },
  {
    category: 'electronics',
    name: 'Devices',
    types: words('speaker radio charger camera clock keyboard'),
    attributes: words('small wireless quiet fast robust bright silver cordless'),
  },
  {
    category: 'grocery',
    name: 'Pantry',
    types: words('tea coffee bread honey soup nuts'),
    attributes: words('organic dark sweet fresh salted mild spicy roasted'),
  },
  {
    category: 'beauty',
    name: 'Bath',
    types: words('soap shampoo cream brush perfume towel'),
    attributes: words('gentle herbal creamy vegan floral dry mineral foaming'),
  },
];

const colors = words('red blue green black white pink');
const sizes = words('small medium large');
/** Prices, so far apart that a limit tells two members of a family apart. */
const prices: readonly number[] = [5, 15, 25, 35, 45];

/** Makes a short catalogue; ids count from 100. */
export function generateShort(seed: number, count: number): readonly Product[] {
  const stream = createStream(deriveSeed('webshop', 'short catalogue', seed));
  const families = stream.shuffle(
    aisles.flatMap(({ attributes, ...aisle }) =>
      aisle.types.flatMap((type) =>
        pairsOf(attributes).map((pair) => ({ ...aisle, type, pair: stream.shuffle(pair) })),
      ),
    ),
  );
  const products: Omit<Product, 'asin'>[] = [];
  for (let round = 0; products.length < count; round++) {
    const { category, name, type, pair } = families[round % families.length]!;
    const options = drawOptions(stream);
    for (const price of stream.shuffle(prices).slice(0, 1 + stream.int(2))) {
      if (products.length >= count) break;
      products.push({
        title: `${pair.join(' ')} ${type}`,
        description: '',
        bullets: [],
        category,
        query: type,
        path: [category, name, type].join(' › '),
        pricing: [price],
        options,
        attributes: pair,
        nouns: [type],
        instruction: { text: `Find me ${pair.join(', ')} ${type}`, attributes: pair },
      });
    }
  }
  return stream.shuffle(products).map((product, place) => ({ ...product, asin: `B${place + 100}` }));
}

function pairsOf(attributes: readonly string[]): readonly (readonly string[])[] {
  return attributes.flatMap((first, place) => attributes.slice(place + 1).map((second) => [first, second]));
}

/** Colours, sizes, both or nothing. */
function drawOptions(stream: RandomStream): readonly ProductOption[] {
  const kind = stream.int(4);
  const some = (values: readonly string[], count: number): readonly string[] => {
    const kept = new Set(stream.shuffle(values).slice(0, count));
    return values.filter((value) => kept.has(value));
  };
  return [
    ...(kind % 2 === 1 ? [{ name: 'color', values: some(colors, 3) }] : []),
    ...(kind >= 2 ? [{ name: 'size', values: some(sizes, 2) }] : []),
  ];
}
