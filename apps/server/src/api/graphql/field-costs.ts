/**
 * @file What fields of GraphQL cost beside a plain one, which costs 1: by what they may hold, or by the queries they
 * take. Declared as `complexity` of the field; docs/use/api.md lists them.
 */

/** characters of a large field that cost as much as a plain field */
const charactersPerCost = 100;

/** The spec of a run, or its source: each may have 64 KiB. */
export const specCost = Math.ceil((64 * 1024) / charactersPerCost);

/** The newest value of every metric of a run: about a hundred names with their values. */
export const latestCost = 40;

/** What an evaluation found: with the outcome of each episode up to 1000, some 130 characters each; a quarter of that. */
export const resultCost = 300;

/** A sentence that may grow to a page, as the last words of a crash do. */
export const messageCost = 10;

/** JSON that somebody else decides on. */
export const jsonCost = 10;

/** A count over a whole list, such as `totalCount`. */
export const countCost = 100;

/** A list within each row of another one: a query of its own. */
export const listCost = 25;
