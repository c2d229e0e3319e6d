/** @file The larger built-in model as it ships: it plays, and a plan tells what it was not taught. */
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { loadConfig, resolveRunSpec, resolveWarmStartSpec } from '@espalier/config';
import { createEmbeddedEngine } from '@espalier/engine';
import { listUntaught } from '@espalier/imitation';
import { loadTokenizer } from '@espalier/model';
import { discoverPlugins } from '@espalier/plugin-host';
import { describe, expect, it } from 'vitest';
import { checkDemonstrations } from '../../libs/imitation/src/demonstration-check.js';
import { resolveDemonstrations } from '../../libs/imitation/src/demonstration.js';

const root = fileURLToPath(new URL('../..', import.meta.url));
const folder = `${root}/plugins/models/sapling/model`;
const registry = await discoverPlugins({ root });

describe('the sapling', () => {
  it('answers in the required form in every environment, with and without thoughts', async () => {
    const { spec } = resolveWarmStartSpec(loadConfig(`${root}/config/warm-start/sapling.yaml`), registry);
    const all = resolveDemonstrations(spec, registry);
    const ids = [...new Set(all.map(({ environment }) => environment.id))];
    expect(ids).toHaveLength(9);
    const first = (id: string, isSilent: boolean) =>
      all.find(
        ({ environment, prompt }) =>
          environment.id === id && (prompt.format.thinking === 'none') === isSilent,
      );
    const chosen = ids.flatMap((id) => [first(id, false), first(id, true)]);
    const engine = await createEmbeddedEngine({ folder, threads: 1 });
    try {
      const demonstrations = chosen.filter((one) => one !== undefined);
      expect(demonstrations).toHaveLength(18);
      const results = await checkDemonstrations(demonstrations, engine, loadTokenizer(folder), 2);
      expect(results.filter(({ format }) => format.value < 0.8)).toEqual([]);
      const success = results.reduce((sum, { success: { value } }) => sum + value, 0) / results.length;
      expect(success).toBeGreaterThan(0.1);
    } finally {
      await engine.dispose();
    }
  });

  it('has the figures that its card has wherever they are told', () => {
    const read = (path: string): string => readFileSync(`${root}/${path}`, 'utf8');
    const readmes = readdirSync(`${root}/plugins/environments`).flatMap((id) =>
      [...read(`plugins/environments/${id}/README.md`).matchAll(/`sapling` was taught .*?\. (?=`)/g)].map(
        ([text]) => `${id}: ${text}`,
      ),
    );
    const headers = readdirSync(`${root}/config/runs`, { withFileTypes: true })
      .filter((entry) => entry.isFile())
      .flatMap(({ name }) =>
        [...read(`config/runs/${name}`).matchAll(/^# .*model (?:succeeds|solves|wins) .*$/gm)].map(
          ([text]) => `${name}: ${text}`,
        ),
      );
    const card = read('plugins/models/sapling/model/README.md');
    const told = [...readmes, ...headers].flatMap((text) =>
      [...text.matchAll(/[\d.]+ % \[[\d.]+, [\d.]+\]/g)].map(([figure]) => ({ text, figure })),
    );
    expect(told.length).toBeGreaterThanOrEqual(12);
    expect(told.filter(({ figure }) => !card.includes(`| ${figure} |`))).toEqual([]);
  });

  it.each([
    ['countdown-grpo', []],
    ['frozen-lake-grpo', []],
    ['frozen-lake-r1-grpo', []],
    ['game-2048-grpo', []],
    ['household-grpo', []],
    ['rubik-grpo', []],
    ['sokoban-grpo', []],
    ['sudoku-grpo', []],
    ['webshop-grpo', []],
    ['search-qa-grpo', [/^environment\.use: .*not search-qa/]],
  ])('says what %s asks for that it was not taught', (name, expected) => {
    const config = loadConfig(`${root}/config/runs/${name}.yaml`);
    const { spec } = resolveRunSpec(config, registry);
    expect(listUntaught(folder, spec as Parameters<typeof listUntaught>[1])).toEqual(
      expected.map((text) => expect.stringMatching(text) as string),
    );
  });
});
