/** @file The page for authors of algorithms names all that credit is given of a trajectory. */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const read = (path: string): string =>
  readFileSync(fileURLToPath(new URL(`../../${path}`, import.meta.url)), 'utf8');

it('names every field of a credited trajectory', () => {
  const source = read('libs/objective/src/trajectory-credit.ts');
  const declared = source.match(/interface CreditedTrajectory \{([^}]*)\}/)?.[1] ?? '';
  const fields = [...declared.matchAll(/^ {2}readonly (\w+)\??:/gm)].map(([, name]) => name ?? '');
  expect(fields).toEqual(expect.arrayContaining(['group', 'rewards', 'stateKeys', 'referenceGaps']));
  const page = read('docs/use/writing-an-algorithm.md');
  const paragraph = page.match(/\*\*What credit sees\.\*\*[\s\S]*?\n\n/)?.[0] ?? '';
  const named = [...paragraph.matchAll(/`(\w+)/g)].map(([, name]) => name ?? '');
  expect(fields.filter((name) => !named.includes(name))).toEqual([]);
});
