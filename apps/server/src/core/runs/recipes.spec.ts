import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { readRecipes, Recipes } from './recipes.service.js';

const folder = mkdtempSync(join(tmpdir(), 'espalier-recipes-'));
afterAll(() => rmSync(folder, { recursive: true }));

it('have what the comments at the top of their files say', () => {
  mkdirSync(join(folder, 'deep'));
  const head =
    '# yaml-language-server: $schema=x\n# Two arms, p 0.9, one\n# better. No critic.\n#   npm run cli -- train x\n#   expect: 98 %,\n#   always\n';
  writeFileSync(join(folder, 'deep', 'b.yaml'), `${head}steps: 3 # few\n`);
  writeFileSync(join(folder, 'a.yaml'), 'steps: 1\n# not about the file\n');
  writeFileSync(join(folder, 'README.md'), '# none\n');
  expect(readRecipes(folder)).toEqual([
    { name: 'a', title: '', description: '', source: expect.any(String) as string, spec: { steps: 1 } },
    {
      name: 'deep/b',
      title: 'Two arms, p 0.9, one better.',
      description: 'No critic.\nexpect: 98 %, always',
      source: `${head}steps: 3 # few\n`,
      spec: { steps: 3 },
    },
  ]);
  expect(readRecipes(join(folder, 'nowhere'))).toEqual([]);
});

it('are those of the installation', () => {
  const recipes = new Recipes().list();
  expect(recipes.map(({ name }) => name)).toContain('bandit-starpo-s');
  expect(recipes.map(({ name }) => name)).toContain('collapse/epochs-grpo');
  for (const { name, title, spec } of recipes) {
    expect([name, title]).not.toEqual([name, '']);
    const { environment, environments } = spec as Record<string, unknown>;
    expect([name, environment ?? environments]).not.toEqual([name, undefined]);
  }
});
