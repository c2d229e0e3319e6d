/**
 * @file WebShop's reward for a purchase, with its quirks: a type that may cost everything, and options whose comparison is
 * lenient for colours and strict for names that contain one.
 */
import { token_set_ratio } from 'fuzzball';
import { priceOf, type Product } from '../catalogue/product.js';
import type { Goal } from '../goals.js';
import { isColor, reduceColor } from './colors.js';
import type { NounFinder } from './nouns.js';

/** Similarity above which two texts are the same. */
const isSimilar = (left: string, right: string): boolean => token_set_ratio(left, right) > 85;

/** The parts of a reward. */
export interface RewardParts {
  /** between 0 and 1 */
  readonly total: number;
  readonly typeFactor: number;
  readonly queryMatch: boolean;
  readonly categoryMatch: boolean;
  readonly titleScore: number;
  /** attributes of the goal that the product has */
  readonly attributes: number;
  /** options of the goal that were chosen */
  readonly options: number;
  readonly price: boolean;
}

/** Scores a purchase: type · (attributes + options + price) ÷ (all attributes + all options + 1). */
export function scorePurchase(
  product: Product,
  chosen: readonly string[],
  goal: Goal,
  nounsOf: NounFinder,
): RewardParts {
  const type = scoreType(product, goal, nounsOf);
  const attributes = countAttributes(product, goal.attributes);
  const options = countOptions(chosen, goal);
  const price = goal.priceUpper > 0 && priceOf(product) <= goal.priceUpper;
  const total =
    ((attributes + options + (price ? 1 : 0)) / (goal.attributes.length + goal.options.length + 1)) *
    type.typeFactor;
  return { total, ...type, attributes, options, price };
}

/** How close the product's type is: a low score of the titles overrides equal queries and categories. */
function scoreType(
  product: Product,
  { product: wanted }: Goal,
  nounsOf: NounFinder,
): Pick<RewardParts, 'typeFactor' | 'queryMatch' | 'categoryMatch' | 'titleScore'> {
  const queryMatch = product.query === wanted.query;
  const path = categoriesOf(product.path);
  const shared = [...categoriesOf(wanted.path)].filter((category) => path.has(category));
  const categoryMatch = shared.length >= 2;
  const nouns = nounsOf(wanted);
  const bought = new Set(nounsOf(product));
  const common = [...new Set(nouns)].filter((noun) => bought.has(noun)).length;
  const titleScore = nouns.length === 0 ? 0.2 : common / nouns.length;
  const isSameKind = queryMatch || categoryMatch || titleScore > 0.2;
  const typeFactor = titleScore === 0 ? 0 : titleScore < 0.1 ? 0.1 : isSameKind ? 1 : 0.5;
  return { typeFactor, queryMatch, categoryMatch, titleScore };
}

const categoriesOf = (path: string): Set<string> => new Set(path.split('›').map((name) => name.trim()));

/** An attribute counts if the product has a similar one, or its texts contain it. */
function countAttributes(
  { attributes, title, bullets, description }: Product,
  wanted: readonly string[],
): number {
  const texts = [title, bullets.join(' '), description].map((text) => text.toLowerCase());
  return wanted.filter(
    (attribute) =>
      attributes.some((own) => isSimilar(own, attribute)) || texts.some((text) => text.includes(attribute)),
  ).length;
}

/** An option counts if any chosen value is similar to it. */
export function countOptions(
  chosen: readonly string[],
  { options, human }: Pick<Goal, 'options' | 'human'>,
): number {
  const reduced = chosen.map(reduceColor);
  return options.filter(({ name, value }) => {
    const wanted = human ? reduceColor(value) : wantedText(name, value);
    return reduced.some((own) => isSimilar(own, wanted));
  }).length;
}

/**
 * A generated goal compares the pair of name and value, of which only an exact colour is reduced. So `blue` counts for
 * `light blue`, and `r.brown2060`, once reduced to `brown`, does not count for itself.
 */
function wantedText(name: string, value: string): string {
  return isColor(value) ? value : isColor(name) ? name : `(${writeRepr(name)}, ${writeRepr(value)})`;
}

/** Python's `repr`, as far as a comparison sees it: a space that is no ordinary one becomes the letters of its code. */
const writeRepr = (text: string): string =>
  text.replace(/[\p{C}\p{Zl}\p{Zp}]|(?! )\p{Zs}/gu, (letter) => {
    const code = letter.codePointAt(0)!.toString(16);
    return code.length <= 2 ? `\\x${code.padStart(2, '0')}` : `\\u${code.padStart(4, '0')}`;
  });
