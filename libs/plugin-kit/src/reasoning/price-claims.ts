/** @file Claims about money: what the product or a result costs, what may be spent, whether one is within the other. */
import { type Claim, deny } from './claim.js';
import { type Clause, isDenied, numberOf, type Token } from './clauses.js';

const has = (tokens: readonly Token[], words: readonly string[]): boolean =>
  tokens.some(({ text }) => words.includes(text));

const limitWords = [
  'budget',
  'limit',
  'maximum',
  'max',
  'afford',
  'spend',
  'most',
  'less',
  'instruction',
  'wants',
  'asks',
  'asked',
  'goal',
  'need',
  'needs',
  'cap',
];
const costWords = ['costs', 'cost', 'price', 'priced', 'costing', 'for', 'at'];
const isMoney = (tokens: readonly Token[], at: number): boolean =>
  tokens[at - 1]?.text === '$' ||
  ['dollars', 'dollar', 'usd', 'bucks', '$'].includes(tokens[at + 1]?.text ?? '');

/** Finds what a clause says about money. */
export function priceClaims({ tokens }: Pick<Clause, 'tokens'>): Claim[] {
  const amounts = [...tokens.keys()].filter(
    (at) => numberOf(tokens[at]) !== undefined && /^\d/.test(tokens[at]?.text ?? ''),
  );
  const isPriced = has(tokens, [
    'price',
    'priced',
    'costs',
    'cost',
    'costing',
    'budget',
    'limit',
    '$',
    'dollars',
  ]);
  const claims = amounts
    .filter((at) => isMoney(tokens, at) || (isPriced && /price|cost|budget|limit/.test(nearby(tokens, at))))
    .map((at) => amountClaim(tokens, at));
  return [
    ...claims,
    ...withinClaims(
      tokens,
      claims.some(({ key }) => key.includes('limit')),
    ),
  ];
}

/** The words before an amount, nearest first matters: the last of them that says what it is. */
const nearby = (tokens: readonly Token[], at: number): string =>
  tokens
    .slice(Math.max(0, at - 6), at)
    .map(({ text }) => text)
    .join(' ');

function amountClaim(tokens: readonly Token[], at: number): Claim {
  const amount = numberOf(tokens[at]) ?? 0;
  const before = tokens
    .slice(0, at)
    .findLast(
      ({ text }) =>
        limitWords.includes(text) || costWords.includes(text) || ['under', 'below', 'than'].includes(text),
    );
  const after = tokens.slice(at + 1, at + 4);
  const isLimit =
    (before !== undefined &&
      (limitWords.includes(before.text) || ['under', 'below', 'than'].includes(before.text))) ||
    (has(after, ['budget', 'limit', 'maximum']) &&
      !has(after, ['over', 'above', 'within', 'under', 'below', 'in', 'fits', 'exceeds', 'meets']));
  const place = { start: tokens[Math.max(0, at - 2)]?.start ?? 0, end: tokens[at]?.end ?? 0 };
  const isEqual = (price: number | undefined): boolean =>
    price !== undefined && Math.abs(price - amount) < 0.005;
  const claim: Claim = isLimit
    ? {
        ...place,
        kind: 'price',
        key: `limit ${amount}`,
        holds: ({ prices }) => (prices.limit === undefined ? undefined : isEqual(prices.limit)),
        chance: () => 0.02,
      }
    : {
        ...place,
        kind: 'price',
        key: `price ${amount}`,
        holds: ({ prices }) => {
          if (prices.product !== undefined) return isEqual(prices.product);
          return prices.results.length === 0 ? undefined : prices.results.some(isEqual);
        },
        chance: () => 0.02,
      };
  return isDenied(tokens, 0, at) ? deny(claim) : claim;
}

/** "it is within the budget", "too expensive": of the product shown. */
function withinClaims(tokens: readonly Token[], namesLimit: boolean): Claim[] {
  const at = tokens.findIndex(({ text }) =>
    ['budget', 'limit', 'expensive', 'affordable', 'cheap'].includes(text),
  );
  if (at < 0 || namesLimit) return [];
  const isOver =
    tokens[at]?.text === 'expensive' ||
    has(tokens, ['over', 'above', 'exceeds', 'exceed', 'beyond', 'outside']);
  const isWithin =
    ['affordable', 'cheap'].includes(tokens[at]?.text ?? '') ||
    has(tokens, ['within', 'under', 'below', 'inside', 'fits', 'in']);
  if (isOver === isWithin) return [];
  const claim: Claim = {
    start: tokens[0]?.start ?? 0,
    end: tokens[at]?.end ?? 0,
    kind: 'price',
    key: isOver ? 'over the limit' : 'within the limit',
    holds: ({ prices: { product, limit } }) =>
      product === undefined || limit === undefined ? undefined : isOver ? product > limit : product <= limit,
    chance: () => 0.5,
  };
  // "within budget: no"
  const end = tokens[at + 1]?.text === ':' ? at + 3 : at + 2;
  return [isDenied(tokens, Math.max(0, at - 4), end) ? deny(claim) : claim];
}
