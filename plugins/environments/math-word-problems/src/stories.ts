/** @file Stories with numbers, each with the calculations that answer it. Names and things change nothing about the numbers. */
import { type RandomStream } from '@espalier/plugin-kit';

/** A story, its question and how to answer it. */
export interface Story {
  readonly text: string;
  /** such as `12 + 5 = 17.`; the last result is the answer */
  readonly calculations: readonly string[];
  readonly answer: number;
}

interface Scene {
  readonly stream: RandomStream;
  readonly name: string;
  readonly other: string;
  readonly things: string;
  /** a number from 2 to the highest */
  readonly number: () => number;
  /** a number from 2 to 9, at most the highest */
  readonly few: () => number;
}

interface StoryKind {
  readonly fewest: number;
  readonly most: number;
  readonly tell: (scene: Scene, steps: number) => Story;
}

const names = 'Ada Ben Carla Dan Eva Finn Gita Hugo Iris Jon Kira Liam Mia Noah Olga Paul'.split(' ');
const things = 'apples books buttons cards coins cookies marbles pencils shells stamps stickers stones'.split(
  ' ',
);

const story = (text: string, calculations: readonly string[], answer: number): Story => ({
  text,
  calculations,
  answer,
});

/** A number of things that grows and shrinks. */
const chain: StoryKind = {
  fewest: 1,
  most: 4,
  tell: ({ stream, name, other, things: kind, number, few }, steps) => {
    let value = number();
    const sentences = [`${name} has ${value} ${kind}.`];
    const calculations: string[] = [];
    const move = (sentence: string, sign: string, by: number, result: number): void => {
      sentences.push(sentence);
      calculations.push(`${value} ${sign} ${by} = ${result}.`);
      value = result;
    };
    for (let step = 0; step < steps; step++) {
      const by = number();
      const times = 2 + stream.int(2);
      const parts = few();
      const choice = value % parts === 0 && value > parts ? 0 : 1 + stream.int(3);
      if (choice === 0)
        move(
          `${name} shares them out equally among ${parts} bags and keeps one bag.`,
          '/',
          parts,
          value / parts,
        );
      else if (choice === 1 && value < 100)
        move(`The number of ${kind} ${times === 2 ? 'doubles' : 'triples'}.`, '*', times, value * times);
      else if (choice === 2 && by < value)
        move(`${name} gives ${by} of them to ${other}.`, '-', by, value - by);
      else move(`${other} gives ${name} ${by} more.`, '+', by, value + by);
    }
    return story(`${sentences.join(' ')} How many ${kind} does ${name} have now?`, calculations, value);
  },
};

/** Boxes of equal size, and what is left over. */
const boxes: StoryKind = {
  fewest: 1,
  most: 2,
  tell: ({ name, things: kind, number, few }, steps) => {
    const [count, each, left] = [few(), number(), number()];
    const packed = count * each;
    const rest = steps === 1 ? '' : ` ${left} ${kind} are left over.`;
    return story(
      `${name} fills ${count} boxes with ${each} ${kind} each.${rest} How many ${kind} are there altogether?`,
      [
        `${count} * ${each} = ${packed}.`,
        ...(steps === 1 ? [] : [`${packed} + ${left} = ${packed + left}.`]),
      ],
      steps === 1 ? packed : packed + left,
    );
  },
};

/** A purchase: several things, one more, the change. */
const shop: StoryKind = {
  fewest: 1,
  most: 3,
  tell: ({ name, things: kind, number, few }, steps) => {
    const [count, price, bag] = [few(), number(), number()];
    const paid = count * price;
    const total = steps === 1 ? paid : paid + bag;
    const note = 10 * (Math.floor(total / 10) + 1);
    const sentences = [
      `A pack of ${kind} costs $${price}.`,
      `${name} buys ${count} packs${steps === 1 ? '' : ` and a bag for $${bag}`}.`,
      steps === 3
        ? `${name} pays with $${note}. How many dollars does ${name} get back?`
        : 'How many dollars is that?',
    ];
    const calculations = [
      `${count} * ${price} = ${paid}.`,
      `${paid} + ${bag} = ${paid + bag}.`,
      `${note} - ${total} = ${note - total}.`,
    ];
    return story(sentences.join(' '), calculations.slice(0, steps), steps === 3 ? note - total : total);
  },
};

/** Two people, one of whom has more. */
const together: StoryKind = {
  fewest: 2,
  most: 2,
  tell: ({ stream, name, other, things: kind, number }) => {
    const first = number();
    const times = 2 + stream.int(3);
    const more = number();
    const isTimes = stream.int(2) === 0;
    const second = isTimes ? first * times : first + more;
    return story(
      `${name} has ${first} ${kind}. ${other} has ${isTimes ? `${times} times as many` : `${more} more than ${name}`}. How many ${kind} do they have together?`,
      [
        `${first} ${isTimes ? `* ${times}` : `+ ${more}`} = ${second}.`,
        `${first} + ${second} = ${first + second}.`,
      ],
      first + second,
    );
  },
};

/** A journey at a constant speed. */
const journey: StoryKind = {
  fewest: 1,
  most: 2,
  tell: ({ name, number, few }, steps) => {
    const [speed, hours, more] = [number(), few(), number()];
    const distance = speed * hours;
    return story(
      `${name} travels ${speed} miles per hour for ${hours} hours${steps === 1 ? '' : `, and then ${more} more miles`}. How many miles is that?`,
      [
        `${speed} * ${hours} = ${distance}.`,
        ...(steps === 1 ? [] : [`${distance} + ${more} = ${distance + more}.`]),
      ],
      steps === 1 ? distance : distance + more,
    );
  },
};

/** A price that falls by a percentage. */
const sale: StoryKind = {
  fewest: 3,
  most: 3,
  tell: ({ stream, name, number }) => {
    const price = 20 * number();
    const percent = stream.pick([5, 10, 20, 25, 50]);
    const hundredfold = price * percent;
    const off = hundredfold / 100;
    return story(
      `A coat costs $${price}. ${name} buys it on sale for ${percent}% less. How many dollars does ${name} pay?`,
      [
        `${price} * ${percent} = ${hundredfold}.`,
        `${hundredfold} / 100 = ${off}.`,
        `${price} - ${off} = ${price - off}.`,
      ],
      price - off,
    );
  },
};

/** A number that was, from the one that is. */
const backward: StoryKind = {
  fewest: 1,
  most: 2,
  tell: ({ name, other, things: kind, number, few }, steps) => {
    const [first, more, times] = [number(), number(), few()];
    const before = steps === 1 ? first : first * times;
    return story(
      steps === 1
        ? `${name} had some ${kind}. ${other} gave ${name} ${more} more, and now ${name} has ${before + more}. How many ${kind} did ${name} have at first?`
        : `${name} had ${times} bags with equally many ${kind}. ${other} gave ${name} ${more} more, and now ${name} has ${before + more}. How many ${kind} were in a bag?`,
      [
        `${before + more} - ${more} = ${before}.`,
        ...(steps === 1 ? [] : [`${before} / ${times} = ${first}.`]),
      ],
      first,
    );
  },
};

const kinds: readonly StoryKind[] = [chain, boxes, shop, together, journey, sale, backward];

/** Tells a story that is answered in so many calculations (1 to 4). */
export function tellStory(stream: RandomStream, steps: number, highest: number): Story {
  const { tell } = stream.pick(kinds.filter(({ fewest, most }) => fewest <= steps && steps <= most));
  const [name = '', other = ''] = stream.shuffle(names);
  return tell(
    {
      stream,
      name,
      other,
      things: stream.pick(things),
      number: () => 2 + stream.int(highest - 1),
      few: () => 2 + stream.int(Math.min(9, highest) - 1),
    },
    steps,
  );
}
