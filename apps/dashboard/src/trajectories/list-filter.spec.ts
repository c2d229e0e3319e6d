import { expect, it } from 'vitest';
import { tagsOf, tellFilter } from './list-filter.js';

it('tells what an address narrows the list to, with its value as it is', () => {
  const search = new URLSearchParams(
    'least=-1&most=0.30000000000000004&text=a-b&label=no-op-loop&tag=my-lake&reason=low-variance&outcome=bogus&kept=yes&sort=worst&view=turns',
  );
  expect([...search.keys()].map((name) => tellFilter(search, name))).toEqual([
    'reward ≥ -1',
    'reward ≤ 0.3',
    'text a-b',
    'label no op loop',
    'environment my-lake',
    'dropped: low variance',
    // it narrows nothing
    undefined,
    'trained on: yes',
    undefined,
    undefined,
  ]);
});

it('knows the environments of a run of several from its metrics', () => {
  const metrics = ['tag/b/x', 'rollout/turns', 'tag/a/x/y', 'tag/b/z', 'tag', 'tag/c'];
  expect(tagsOf(undefined, metrics)).toEqual(['a', 'b']);
  // before the first metric
  const environments = { lake: {}, box: {} };
  expect(tagsOf({ environments, validation: { environments: { far: {} } } }, [])).toEqual([
    'box',
    'far',
    'lake',
  ]);
  expect(tagsOf({ environments, validation: {} }, ['tag/lake-level-1/x'])).toEqual([
    'box',
    'lake',
    'lake-level-1',
  ]);
  expect(tagsOf({ environment: { use: 'bandit' } }, [])).toEqual([]);
});
