/**
 * @file A made-up world: towns, rivers, people, books and companies, a document of a few sentences about each, and questions
 * that need one to three of them. All names are made from syllables.
 */
import { createStream, deriveSeed, type RandomStream } from '@espalier/plugin-kit';
import type { Document } from './corpus.js';

/** A question with the way to its answer. */
export interface Question {
  readonly question: string;
  readonly answers: readonly string[];
  /** ids of documents that lead to the answer, in order; may be empty */
  readonly supporting: readonly string[];
  /** words to search for, each known from the question or the document before; titles of `supporting` where absent */
  readonly queries?: readonly string[] | undefined;
}

export interface World {
  readonly documents: readonly Document[];
  readonly questions: readonly Question[];
}

interface Town {
  readonly name: string;
  readonly river: string;
  readonly region: string;
  readonly year: number;
}
interface Person {
  readonly name: string;
  readonly town: Town;
  readonly profession: string;
  readonly year: number;
}
interface Work {
  readonly name: string;
  readonly person: Person;
  readonly year: number;
  readonly town: Town;
}

/** So many that a list of some of them is seldom right. */
const professions =
  'actor architect astronomer baker banker barber blacksmith bookbinder botanist brewer butcher carpenter chemist clockmaker composer cook dancer dentist diplomat engineer farmer fisher gardener geologist glazier historian journalist judge lawyer librarian mason miller miner painter physician pilot potter printer sailor sculptor shepherd singer surveyor tailor tanner teacher translator weaver writer zoologist'.split(
    ' ',
  );
const firsts =
  'ba be bo da de do fa fi ga go ha hi ka ke ko la le lo ma me mo na ne no pa pe ra re ri ro sa se ta te to va ve vo'.split(
    ' ',
  );
const middles = 'l n r s lm nd rn st th v'.split(' ');
const ends = {
  town: ['burg', 'ford', 'mouth', 'stead', 'wick'],
  person: ['a', 'an', 'en', 'ick', 'o'],
  river: ['e', 'is', 'une'],
  company: ['ex', 'ium', 'on'],
} as const;
const colors =
  'Amber Blue Broken Crimson Distant Empty Frozen Golden Hidden Last Pale Quiet Silver Stolen Winter'.split(
    ' ',
  );
const nouns =
  'Bridge Clock Door Garden Harbor Island Key Lantern Letter Mirror River Road Song Tower Window'.split(' ');

/** Names that differ. */
class Names {
  readonly #used = new Set<string>();

  constructor(readonly stream: RandomStream) {}

  word(kind: keyof typeof ends): string {
    const { stream } = this;
    return this.unique(() => {
      const stem = `${stream.pick(firsts)}${stream.pick(middles)}${stream.int(2) === 0 ? '' : stream.pick(firsts)}`;
      const joined = /[aeio]$/.test(stem) && /^[aeiou]/.test(ends[kind][0]) ? `${stem}n` : stem;
      const name = joined + stream.pick(ends[kind]);
      return name[0]!.toUpperCase() + name.slice(1);
    });
  }

  person(): string {
    return this.unique(() => `${this.part()} ${this.part()}`);
  }

  title(): string {
    const { stream } = this;
    return this.unique((round) => {
      const name = `The ${stream.pick(colors)} ${stream.pick(nouns)}`;
      return round < 20 ? name : `${name} of ${this.part()}`;
    });
  }

  private part(): string {
    const name = `${this.stream.pick(firsts)}${this.stream.pick(middles)}${this.stream.pick(ends.person)}`;
    return name[0]!.toUpperCase() + name.slice(1);
  }

  private unique(make: (round: number) => string): string {
    for (let round = 0; ; round++) {
      // after many tries a numeral tells namesakes apart
      const name = round < 100 ? make(round) : `${make(round)} ${round - 98}`;
      if (this.#used.has(name)) continue;
      this.#used.add(name);
      return name;
    }
  }
}

/** Makes a world of about so many documents. */
export function makeWorld(seed: number, documents: number): World {
  const stream = createStream(deriveSeed('search-qa', 'world', seed));
  const names = new Names(stream);
  const list = <T>(share: number, make: () => T): T[] =>
    Array.from({ length: Math.max(2, Math.round(documents * share)) }, make);
  const year = (first: number): number => first + stream.int(120);
  const rivers = list(0.05, () => names.word('river'));
  const regions = list(0.02, () => `${names.word('river')} Valley`);
  const towns = list(0.15, (): Town => ({
    name: names.word('town'),
    river: stream.pick(rivers),
    region: stream.pick(regions),
    year: year(1400),
  }));
  const people = list(0.4, (): Person => ({
    name: names.person(),
    town: stream.pick(towns),
    profession: stream.pick(professions),
    year: year(1800),
  }));
  const work = (name: string): Work => {
    const person = stream.pick(people);
    return { name, person, year: person.year + 20 + stream.int(51), town: stream.pick(towns) };
  };
  const books = list(0.25, () => work(names.title()));
  const companies = list(0.15, () => work(`${names.word('company')} Works`));
  return {
    documents: stream.shuffle([
      ...rivers.map((name) => document(name, `${name} is a river.`)),
      ...towns.map(({ name, river, region, year: founded }) =>
        document(
          name,
          `${name} is a town in the ${region}. It lies on the river ${river}. It was founded in ${founded}.`,
        ),
      ),
      ...people.map(({ name, town, profession, year: born }) =>
        document(
          name,
          `${name} was born in ${born} in the town of ${town.name} and worked as ${/^[aeiou]/.test(profession) ? 'an' : 'a'} ${profession}.`,
        ),
      ),
      ...books.map(({ name, person, year: published }) =>
        document(name, `${name} is a novel. It was written by ${person.name} and published in ${published}.`),
      ),
      ...companies.map(({ name, person, year: founded, town }) =>
        document(
          name,
          `${name} is a company with its headquarters in ${town.name}. ${person.name} founded it in ${founded}.`,
        ),
      ),
    ]),
    questions: [
      ...towns.flatMap(askTown),
      ...books.flatMap((book) => askWork(book, `the author of ${book.name}`)),
      ...companies.flatMap((company) => [
        ...askWork(company, `the founder of ${company.name}`),
        ask(
          `On which river does the town lie where ${company.name} has its headquarters?`,
          company.town.river,
          [company.name, company.town.name],
        ),
      ]),
      ...people.slice(1).map((person, place) => askBoth(person, people[place]!)),
    ],
  };
}

const document = (title: string, text: string): Document => ({ id: title, title, text });

/** A question whose supporting documents are those with these titles. */
const ask = (question: string, answer: string, supporting: readonly string[]): Question => ({
  question,
  answers: [answer],
  supporting,
  queries: supporting,
});

const askTown = ({ name, river, year }: Town): Question[] => [
  ask(`In which year was the town of ${name} founded?`, String(year), [name]),
  ask(`On which river does ${name} lie?`, river, [name]),
];

const askWork = ({ name, person, year }: Work, who: string): Question[] => [
  ask(`Which year is given for ${name}?`, String(year), [name]),
  ask(`In which town was ${who} born?`, person.town.name, [name, person.name]),
  ask(`What was the profession of ${who}?`, person.profession, [name, person.name]),
  ask(`On which river does the town lie where ${who} was born?`, person.town.river, [
    name,
    person.name,
    person.town.name,
  ]),
];

const askBoth = (left: Person, right: Person): Question =>
  ask(`Was ${left.name} born before ${right.name}?`, left.year < right.year ? 'yes' : 'no', [
    left.name,
    right.name,
  ]);
