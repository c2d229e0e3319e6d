/**
 * @file Costs of GraphQL fields relative to a plain one, which costs 1: by the size of their value or by the queries they
 * make. Declared as `complexity` of the field; docs/use/api.md lists them.
 */

/** characters of a large field that cost as much as a plain field */
const charactersPerCost = 100;

/** A field at the root is an operation of its own, which could be a request of its own. */
export const rootCost = 1000;

/** The schema describes itself in some hundred kilobytes, written while nothing else is answered. */
export const schemaCost = 12_000;

/** The spec of a run, or its source: each may have 64 KiB. */
export const specCost = Math.ceil((64 * 1024) / charactersPerCost);

/** The newest value of every metric of a run: about a hundred names with their values. */
export const latestCost = 40;

/** The result of an evaluation is read with its outcomes: up to 1000 of some 130 characters each. */
export const resultCost = 200;

/** A sentence that may grow to a page, such as the last output of a crashed process. */
export const messageCost = 10;

/** The results of a rating set: dozens of intervals, each by thousands of draws from up to a thousand items. */
export const ratingResultsCost = 5000;

/** A comment of up to 20,000 characters. */
export const commentCost = 50;

/** JSON of unknown size. */
export const jsonCost = 10;

/** A count over a whole list, such as `totalCount`. */
export const countCost = 100;

/** A twin is compared with its parent: all values of both are read. */
export const twinCost = 200;

/** A list within each row of another list: a query per row. */
export const listCost = 25;
