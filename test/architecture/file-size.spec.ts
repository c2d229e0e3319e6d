import { describe, expect, it } from 'vitest';
import { publicNames } from './public-names.js';
import { sourceFiles } from './source-files.js';

/** Maximum number of lines; longer files are split by subject (CONTRIBUTING.md, "How code is written"). */
function limitOf(path: string): number {
  if (path.endsWith('.spec.ts') || path.startsWith('test/') || path.includes('/src/testing/')) return 600;
  if (path.startsWith('plugins/')) return 300;
  return 400;
}

const files = sourceFiles().filter((file) => !file.path.includes('/generated/'));

describe('file sizes', () => {
  it('stay below the limit', () => {
    const long = files
      .filter((file) => file.lines > limitOf(file.path))
      .map((file) => `${file.path}: ${file.lines}`);
    expect(long).toEqual([]);
  });

  it('have a median under 150 lines', () => {
    const lines = files
      .filter((file) => !file.path.endsWith('.spec.ts'))
      .map((file) => file.lines)
      .sort((a, b) => a - b);
    expect(lines[Math.floor(lines.length / 2)]).toBeLessThan(150);
  });
});

/**
 * Five libraries may export more names: graph, where each operator is a name; contracts, whose types all libraries
 * share; protocol, with the messages between server, worker and client; objective, where each estimator and each term is
 * a name; and the kit, which is all that a plugin may import (CONTRIBUTING.md, "How code is written").
 */
const higherLimits: Readonly<Record<string, number>> = {
  graph: 120,
  contracts: 60,
  protocol: 70,
  objective: 70,
  'plugin-kit': 50,
};

describe('public names', () => {
  const libraries = files.flatMap(({ path }) => /^libs\/([a-z-]+)\/src\/index\.ts$/.exec(path)?.[1] ?? []);

  it.each(libraries)('of %s stay below the limit', (library) => {
    const names = publicNames(`libs/${library}/src/index.ts`);
    expect(names.size).toBeGreaterThan(0);
    expect(names.size, [...names].join(' ')).toBeLessThanOrEqual(higherLimits[library] ?? 40);
  });

  it('include those of `export *` and export lists', () => {
    const names = publicNames('libs/testing/src/index.ts');
    expect(names).toContain('goldenFolder');
    expect(publicNames('libs/graph/src/index.ts')).toContain('rmsNorm');
  });
});
