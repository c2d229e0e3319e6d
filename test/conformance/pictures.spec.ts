/** @file The pictures of environments in docs/pictures, which READMEs show, are those that the environments draw. */
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { EnvironmentDefinition } from '@espalier/plugin-kit';
import { describe, expect, it } from 'vitest';

const root = fileURLToPath(new URL('../..', import.meta.url));
/** Named after environment and seed; the others show the page. */
const names = readdirSync(`${root}/docs/pictures`).filter((name) => /-\d+\.png$/.test(name));

describe('docs/pictures', () => {
  it('has one of each environment with pictures', () => {
    expect(names.map((name) => name.replace(/-\d+\.png$/, '')).sort()).toEqual([
      'frozen-lake',
      'game-2048',
      'rubik',
      'sokoban',
      'sudoku',
      'webshop',
    ]);
  });

  it.each(names)('%s is the initial state of its seed', async (name) => {
    const [, id = '', seed = ''] = /^(.+)-(\d+)\.png$/.exec(name) ?? [];
    const { default: definition } = (await import(`@espalier/environment-${id}`)) as {
      default: EnvironmentDefinition<unknown>;
    };
    const instance = definition.create(definition.params.parse({}));
    await instance.reset({ state: Number(seed), noise: Number(seed) });
    const drawn = Buffer.from(instance.picture!());
    expect(drawn.equals(readFileSync(`${root}/docs/pictures/${name}`))).toBe(true);
    const readme = readFileSync(`${root}/plugins/environments/${id}/README.md`, 'utf8');
    expect(readme).toContain(`](../../../docs/pictures/${name})`);
  });
});
