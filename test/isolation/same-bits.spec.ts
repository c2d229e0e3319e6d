/** @file A plugin in its own process gives the same results as in this process, bit for bit. */
import { fileURLToPath } from 'node:url';
import { discoverPlugins, isolatePlugins, type PluginRegistry } from '@espalier/plugin-host';
import { createStream } from '@espalier/random';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const root = fileURLToPath(new URL('../..', import.meta.url));
let inProcess: PluginRegistry;
let isolated: Awaited<ReturnType<typeof isolatePlugins>>;

beforeAll(async () => {
  inProcess = await discoverPlugins({ root });
  isolated = await isolatePlugins(inProcess, [
    { kind: 'environment', id: 'frozen-lake', isolation: 'process' },
    { kind: 'environment', id: 'bandit', isolation: 'process' },
    { kind: 'environment', id: 'countdown', isolation: 'process' },
    { kind: 'environment', id: 'webshop', isolation: 'process' },
    { kind: 'environment', id: 'sudoku', isolation: 'process' },
    { kind: 'environment', id: 'game-2048', isolation: 'process' },
    { kind: 'environment', id: 'rubik', isolation: 'process' },
    { kind: 'environment', id: 'household', isolation: 'process' },
    { kind: 'environment', id: 'math-word-problems', isolation: 'process' },
    { kind: 'environment', id: 'search-qa', isolation: 'process' },
    { kind: 'environment', id: 'code-repair', isolation: 'process' },
    { kind: 'environment', id: 'sql', isolation: 'process' },
    { kind: 'environment', id: 'mcp', isolation: 'process' },
    { kind: 'environment', id: 'retail', isolation: 'process' },
    { kind: 'reward', id: 'format', isolation: 'process' },
  ]);
});
afterAll(() => isolated.dispose());

/** Everything an episode can observe, for several seeds at once, as the engine plays them. */
async function playAll(
  registry: PluginRegistry,
  id: string,
  given: object,
  count: number,
): Promise<unknown[]> {
  const definition = registry.get('environment', id);
  const params = definition.params.parse(given);
  const play = async (seed: number): Promise<unknown[]> => {
    const environment = definition.create(params);
    const stream = createStream(seed);
    const first = await environment.reset({ state: seed, noise: seed + 1 });
    const seen: unknown[] = [first, environment.render(), environment.facts?.(), environment.oracle?.()];
    const picture = environment.picture?.();
    seen.push(picture === undefined ? 'none' : Buffer.from(picture).toString('base64'));
    for (let step = 0, done = false; step < 12 && !done; step++) {
      const action = environment.sampleAction?.(stream.word()) ?? stream.pick(first.actions ?? ['']);
      const result = await environment.step(action);
      seen.push(result, environment.render(), environment.facts?.(), environment.snapshot?.());
      done = result.done;
    }
    await environment.close?.();
    return seen;
  };
  const episodes = await Promise.all(Array.from({ length: count }, (_, seed) => play(seed)));
  return [definition.instruction(params), definition.limits(params), ...episodes];
}

describe('a plugin in its own process', () => {
  it.each([
    ['frozen-lake', {}],
    ['frozen-lake', { size: 6, p: 0.7, successRate: 0.5 }],
    ['bandit', {}],
    ['bandit', { arms: 'professions' }],
    ['countdown', {}],
    ['countdown', { variant: 'steps', operators: 'all' }],
    ['webshop', { observation: 'text_rich' }],
    ['sudoku', { size: 4 }],
    ['game-2048', {}],
    ['rubik', {}],
    ['household', {}],
    ['math-word-problems', {}],
    ['search-qa', { results: 2 }],
    ['code-repair', { tasks: { source: 'shipped', sets: ['javascript'] } }],
    ['sql', {}],
    ['mcp', {}],
    ['retail', {}],
  ])('plays %s %j as in this process', async (id, params) => {
    expect([inProcess.isolation('environment', id), isolated.isolation('environment', id)]).toEqual([
      'none',
      'process',
    ]);
    // each of its actions runs the tests of a program
    const count = id === 'code-repair' ? 4 : 24;
    expect(await playAll(isolated, id, params, count)).toStrictEqual(
      await playAll(inProcess, id, params, count),
    );
  });

  it('validates options as in this process and has the same schema', () => {
    for (const id of ['frozen-lake', 'bandit']) {
      const one = inProcess.get('environment', id).params;
      const other = isolated.get('environment', id).params;
      for (const options of [{}, { size: 'x' }, { nope: 1 }, { arms: 3 }, 7]) {
        const a = one.safeParse(options);
        const b = other.safeParse(options);
        expect(JSON.stringify(b.error?.issues)).toBe(JSON.stringify(a.error?.issues));
        expect(b.data).toEqual(a.data);
      }
      expect(isolated.schema('environment', id)).toEqual(inProcess.schema('environment', id));
    }
  });

  it('restores a snapshot and reports which hooks an instance has', async () => {
    const definition = isolated.get('environment', 'frozen-lake');
    const environment = definition.create(definition.params.parse({}));
    await environment.reset({ state: 3, noise: 4 });
    const snapshot: unknown = environment.snapshot?.();
    const before = environment.render();
    await environment.step('Down');
    environment.restore?.(snapshot);
    expect(environment.render()).toBe(before);
    const { id, params } = isolated.get('environment', 'bandit');
    const hooks = Object.keys(inProcess.get('environment', id).create(params.parse({}))).sort();
    const isolatedHooks = Object.keys(isolated.get('environment', id).create(params.parse({}))).sort();
    expect(isolatedHooks.filter((hook) => hook !== 'close')).toEqual(
      hooks.filter((hook) => hook !== 'close'),
    );
  });
});
