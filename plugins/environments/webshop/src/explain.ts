/** @file Why an action: a short sentence that is true of the page, as a warm start teaches it. */
import { priceTag } from './catalogue/product.js';
import type { Goal } from './goals.js';
import { parseAction } from './actions.js';
import type { Planner } from './oracle.js';
import type { PageContent } from './page-nodes.js';

const cut = (text: string, most: number): string =>
  text.length > most ? `${text.slice(0, most - 1)}…` : text;

const searches = {
  attributes: 'I search for the attributes and the type.',
  sentence: 'I search for the words of the task.',
  title: 'No words of the task find it, so I search for its title.',
};

/** Explains the first action of a plan. */
export function explainPlan(
  action: string,
  { visit, product, shown }: PageContent,
  goal: Goal,
  { fits, kindOf }: Planner,
): string {
  const { name, argument } = parseAction(action) ?? { name: '', argument: '' };
  if (name === 'search') return searches[kindOf(argument) ?? 'sentence'];
  const clicked = shown.find(({ asin }) => asin.toLowerCase() === argument);
  if (clicked !== undefined) {
    const price = priceTag(clicked);
    return fits(clicked)
      ? `${cut(clicked.title, 100)} for ${price} fits.`
      : `I look at ${cut(clicked.title, 100)} for ${price}.`;
  }
  if (product !== undefined && visit.page === 'item') {
    const chosen = new Map(visit.chosen);
    const missing = goal.options.filter(({ name: option, value }) => chosen.get(option) !== value);
    if (argument === 'buy now')
      return missing.length === 0 ? 'All options are chosen.' : 'I buy it as it is.';
    const wanted = missing.find(({ value }) => value === argument);
    if (wanted !== undefined) return `It has to be ${cut(wanted.value, 100)}.`;
  }
  return shown.length > 0 && shown.some(fits) ? 'I look elsewhere.' : 'I look further.';
}
