/** @file What RAGEN appends to each page: its advice and the list of actions. */

/** The two versions of RAGEN. */
export const versions = ['r1', 'r2'] as const;
export type RagenVersion = (typeof versions)[number];

const advice = [
  "We must buy a product within 10 actions. It doesn't have to match perfectly with description.",
  'Search term should not include details like size, color.',
  'Never search for more than 2 times.',
  "Do not be too strict about the description, it's more important to buy one that is close enough within action limit.",
  'Prioritize click a product in the current page over going to next page.',
  'Almost never click[next >] for more than 2 times.',
  'Almost never click[< prev] unless you are sure the product is on one of the previous pages.',
  'If you have less than 3 actions left, just buy the first product you see in the current page.',
  "If an matching option exists, make sure to click[size] then click[color], one at a time, before click[buy now], but don't have to if only 1 action left, in that case you just click[buy now]. Never click description.",
];

const separate = advice.join('\n');
// the first version lacks a comma in its list, so two lines are one
const fused = separate.replace('2 times.\nAlmost never', '2 times.Almost never');

/** Appends the advice of a version and the actions. */
export function withRules(page: string, version: RagenVersion, actions: readonly string[]): string {
  return `${page}.${version === 'r1' ? fused : separate}\n You must choose from these actions:${actions.join(', ')}.`;
}
