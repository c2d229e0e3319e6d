import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { sourceFiles } from './source-files.js';

/** Has a long form that a service of its own runs: `npm run check:slurm`. */
const elsewhere = ['test/e2e/slurm.spec.ts'];

const longForms = sourceFiles()
  .filter(({ path, text }) => path.endsWith('.spec.ts') && /isLong\b|\['TEST_LONG'\]/.test(text))
  .map(({ path }) => path)
  .filter((path) => path !== 'test/architecture/long-forms.spec.ts');

describe('the long forms of specs', () => {
  const command = readFileSync('tools/test-long.mjs', 'utf8');
  const [, specs = ''] = /const specs = \[([^\]]+)\]/.exec(command) ?? [];
  const listed = [...specs.matchAll(/'([^']+)'/g)].map(([, name = '']) => name);

  it('are run by npm run test:long, all of them', () => {
    expect(longForms.length).toBeGreaterThan(20);
    const lost = longForms.filter((path) => !listed.some((name) => path.startsWith(name)));
    expect(lost.filter((path) => !elsewhere.includes(path))).toEqual([]);
  });

  it('are there for every name that the command has', () => {
    expect(listed.filter((name) => !longForms.some((path) => path.startsWith(name)))).toEqual([]);
  });
});
