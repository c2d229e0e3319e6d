/** @file Queries per second of WebShop's search over 1,000 products: the instruction of a goal as the query, a page as the answer. */
import type { EnvironmentInstance } from '@espalier/plugin-kit';
import { type BenchItem, buildRow } from '../row.js';
import { loadEnvironment } from './environments.js';
import { plainLoopRate } from './plain-loop.js';

/** Row `search/webshop`. */
export const webshopSearch: BenchItem = async ({ short }) => {
  const webshop = await loadEnvironment('webshop');
  const instance = webshop.create(webshop.params.parse({}));
  const queries = await listQueries(instance, short ? 50 : 2000);
  let found = 0;
  let searchMs = 0;
  for (let round = 0; searchMs < (short ? 200 : 3000); round += 1) {
    for (const [seed, query] of queries.entries()) {
      // every query is asked from the first page, and none twice in a row
      await instance.reset({ state: seed, noise: round });
      const begin = performance.now();
      await instance.step(query);
      searchMs += performance.now() - begin;
      found += 1;
    }
  }
  const baseline = { name: 'plain loop, 1e6 turns/s', value: plainLoopRate() };
  const words = queries.reduce((sum, query) => sum + query.split(' ').length, 0) / queries.length;
  const notes = `${queries.length} queries of ${words.toFixed(1)} words, 1,000 products, the page of results included`;
  return [buildRow('search/webshop', found / (searchMs / 1000), 'queries/s', baseline, notes)];
};

/** What customers ask for. */
async function listQueries(instance: EnvironmentInstance, count: number): Promise<string[]> {
  const queries: string[] = [];
  for (let seed = 0; seed < count; seed += 1) {
    await instance.reset({ state: seed, noise: 0 });
    queries.push(`search[${queryOf(instance.facts?.() ?? {})}]`);
  }
  return queries;
}

const queryOf = (facts: Readonly<Record<string, unknown>>): string =>
  (facts['goal'] as { readonly instruction: string }).instruction;
