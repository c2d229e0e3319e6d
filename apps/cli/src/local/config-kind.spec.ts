import { parseConfig } from '@espalier/config';
import { expect, it } from 'vitest';
import { requireKind } from './config-kind.js';

it('names the command for a file of the other kind, and leaves mistakes to the schema', () => {
  const run = parseConfig('{ environment: { use: bandit }, steps: 2 }', 'run.yaml');
  const sweep = parseConfig('{ title: T, config: run.yaml, seeds: [1] }', 'sweep.yaml');
  expect(() => requireKind(sweep, 'run')).toThrow(
    /open sweep\.yaml: it is the file of a sweep, not of a run; use .* sweep sweep\.yaml$/,
  );
  expect(() => requireKind(run, 'sweep')).toThrow(/the file of a run, .* train run\.yaml$/);
  for (const text of ['{ stepz: 2 }', '{ environment: { use: bandit }, grid: {} }'])
    expect(() => requireKind(parseConfig(text, 'odd.yaml'), 'run')).not.toThrow();
});
