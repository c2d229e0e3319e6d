import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { isAbsolute, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseConfig, resolveRunSpec } from '@espalier/config';
import { discoverPlugins } from '@espalier/plugin-host';
import { testAlgorithm, testEnvironment, testReward } from '@espalier/plugin-kit/testing';
import { afterAll, describe, expect, it } from 'vitest';
import { openEnvironment } from '../../apps/cli/src/local/open-environment.js';
import { serveEnvironment } from '../../apps/cli/src/openenv/serve-environment.js';
import { startChatServer } from '../../plugins/rewards/judge/src/testing/chat-server.js';
import { isLong } from '../support/long.js';

const root = fileURLToPath(new URL('../..', import.meta.url));
const registry = await discoverPlugins({ root });

/** A judge that is of one opinion. */
const judge = await startChatServer();
/** What others would offer: an environment of ours. */
const offered = await serveEnvironment(openEnvironment('frozen-lake', {}, registry), {
  host: '127.0.0.1',
  port: 0,
  sessions: 256,
  idleMs: 60_000,
});
afterAll(() => Promise.all([judge.close(), offered.close()]));
/** Options without which a plugin has nobody to ask. */
const needed: Readonly<Record<string, Record<string, unknown>>> = {
  judge: { baseUrl: judge.baseUrl, model: 'm', cache: false },
  openenv: { url: offered.url, successReward: 1 },
};
/** A shell starts a process for every action. */
const few: Readonly<Record<string, object>> = { harbor: { params: { maxCommands: 2 }, seeds: [0] } };
/** The specs of the plugins try twelve; here the guards around them are tried. */
const seeds = isLong ? {} : { seeds: [0, 1, 2, 3] };
/** A tool of Linux that a machine may lack. */
const hasBubblewrap = spawnSync('bwrap', ['--unshare-all', '--ro-bind', '/', '/', 'true']).status === 0;

describe('installed plugins', () => {
  it('are all usable', () => {
    expect(registry.broken().map(({ error }) => error.message)).toEqual([]);
  });

  it.each([
    [
      'environment',
      [
        'agent-program',
        'bandit',
        'code-repair',
        'countdown',
        'frozen-lake',
        'game-2048',
        'harbor',
        'household',
        'math-word-problems',
        'mcp',
        'openenv',
        'retail',
        'rubik',
        'search-qa',
        'sokoban',
        'sql',
        'sudoku',
        'webshop',
      ],
    ],
    [
      'reward',
      [
        'environment-return',
        'faithfulness',
        'format',
        'format-shaping',
        'judge',
        'length',
        'plan-consistency',
        'prediction',
        'repetition',
      ],
    ],
    [
      'algorithm',
      [
        'bi-level',
        'cispo',
        'dapo',
        'dr-grpo',
        'entropy-cov',
        'gigpo',
        'gmpo',
        'grpo',
        'gspo',
        'ipo',
        'mt-grpo',
        'ppo',
        'reinforce-plus-plus',
        'remax',
        'rlep',
        'rloo',
        'sapo',
        'starpo',
        'starpo-s',
      ],
    ],
  ])('have every %s that ships', (kind, ids) => {
    const installed = registry.list().filter((definition) => definition.kind === kind);
    expect(installed.map(({ id }) => id)).toEqual(expect.arrayContaining(ids));
  });

  it('let a tag choose groups with options of its own, as dapo does', () => {
    const lake = '{ environment: { use: frozen-lake }, select: { dropEqual: false } }';
    const resolve = (arms: string) =>
      resolveRunSpec(
        parseConfig(
          `algorithm: { use: dapo }\nenvironments: { lake: ${lake}, arms: { environment: { use: bandit }${arms} } }`,
          'mixed.yaml',
        ),
        registry,
      ).spec;
    const mixed = resolve('');
    expect(mixed.environments?.['lake']?.select).toEqual({ dropEqual: false });
    expect(mixed.rollout.resample).toBe(3);
    // nothing is dropped, so nothing is replaced
    expect(resolve(', select: { dropEqual: false }').rollout.resample).toBeUndefined();
    expect(() => resolve(', select: { dropEqal: false }')).toThrow('did you mean dropEqual?');
  });

  it('name the papers of every algorithm in its page and in the list of papers, with what differs', () => {
    const numbers = (text: string): string[] => text.match(/\d{4}\.\d{5}/g) ?? [];
    const papers = numbers(readFileSync(join(root, 'docs/reference/papers.md'), 'utf8'));
    for (const definition of registry.list()) {
      if (definition.kind !== 'algorithm') continue;
      const page = readFileSync(join(root, 'plugins/algorithms', definition.id, 'README.md'), 'utf8');
      const named = numbers(definition.source ?? '');
      expect(named.length, definition.id).toBeGreaterThan(0);
      expect(numbers(page), definition.id).toEqual(expect.arrayContaining(named));
      expect(papers, definition.id).toEqual(expect.arrayContaining(numbers(page)));
      expect(page).toMatch(/\*\*Equations\.\*\*/);
      expect(page).toMatch(/\*\*Differences from the papers?( and its code)?\*\*\n\n- /);
    }
  });

  it('describe their options as JSON Schema', () => {
    for (const { kind, id } of registry.list()) {
      const schema = registry.schema(kind, id);
      expect(schema).toMatchObject({ type: 'object', additionalProperties: false });
      expect(JSON.parse(JSON.stringify(schema))).toEqual(schema);
    }
  });
});

// the registry returns guarded plugins, so the guards pass the suites too
for (const definition of registry.list()) {
  switch (definition.kind) {
    case 'environment':
      describe.skipIf(definition.id === 'harbor' && !hasBubblewrap)('an environment', () =>
        testEnvironment(definition, { params: needed[definition.id] ?? {}, ...seeds, ...few[definition.id] }),
      );
      break;
    case 'reward':
      testReward(definition, { params: needed[definition.id] ?? {} });
      break;
    case 'algorithm':
      testAlgorithm(definition);
      break;
    case 'model':
      describe(`model ${definition.id}`, () => {
        it('points to a folder with a complete model', () => {
          const folder = definition.folder(definition.params.parse({}));
          expect(isAbsolute(folder)).toBe(true);
          for (const file of ['config.json', 'tokenizer.json', 'model.safetensors']) {
            expect(existsSync(join(folder, file)), `${file} in ${folder}`).toBe(true);
          }
        });
      });
  }
}
