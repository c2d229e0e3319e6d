/** @file Plugin code that never returns, exits or exhausts memory: the call fails, everything else continues. */
import { discoverPlugins, isolatePlugins, type PluginRegistry } from '@espalier/plugin-host';
import type { EnvironmentInstance } from '@espalier/plugin-kit';
import { sampleTrajectory, sampleTurn } from '@espalier/plugin-kit/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createHostileWorkspace, type Workspace } from '../support/hostile-workspace.js';

let workspace: Workspace;
let installed: PluginRegistry;
let short: Awaited<ReturnType<typeof isolatePlugins>>;

beforeAll(async () => {
  workspace = createHostileWorkspace();
  installed = await discoverPlugins({ root: workspace.folder });
  short = await isolatePlugins(installed, [
    { kind: 'environment', id: 'hostile', isolation: 'process', callTimeoutMs: 1000 },
    { kind: 'reward', id: 'hostile-score', isolation: 'process', callTimeoutMs: 1000 },
  ]);
});
afterAll(async () => {
  await short.dispose();
  workspace.remove();
});

const open = (params: object, registry: PluginRegistry = short): EnvironmentInstance => {
  const definition = registry.get('environment', 'hostile');
  return definition.create(definition.params.parse(params));
};

describe('a third-party package', () => {
  it('runs in its own process by default', async () => {
    expect(installed.isolation('environment', 'hostile')).toBe('process');
    const { text } = await open({ fault: 'tell' }, installed).reset({ state: 1, noise: 1 });
    expect(Number(/^try 0(\d+)/.exec(text)?.[1])).not.toBe(process.pid);
  });

  it('has its presets, and says which options have no effect', () => {
    const { presets, inert, reads, agent, params, limits } = installed.get('environment', 'hostile');
    expect(presets).toEqual({ rare: { options: { every: 100 }, limits: { maxTurns: 2 } } });
    const options = params.parse({});
    expect(inert?.(options, limits(options))).toEqual(['hook', 'every']);
    expect(inert?.(options, { ...limits(options), maxTurns: 1 })).toEqual([]);
    expect([reads, agent]).toEqual([undefined, undefined]);
  });

  it('inherits only locale, time zone and temporary folder from the environment', async () => {
    process.env['ESPALIER_TEST_SECRET'] = 'canary';
    const { text } = await open({ fault: 'tell' }).reset({ state: 1, noise: 1 });
    const names = text
      .split(' ')
      .slice(2)
      .join(' ')
      .replace(/^\S*\d+ ?/, '')
      .split(' ')
      .filter(Boolean);
    expect(names.filter((name) => !['LANG', 'LC_ALL', 'TZ', 'TMPDIR', 'SystemRoot'].includes(name))).toEqual(
      [],
    );
  });
});

describe('a call that never returns', () => {
  it.each([
    ['block', 'reset'],
    ['spin', 'step'],
    ['block', 'render'],
    ['block', 'facts'],
  ])('(%s) in %s fails with hook, seed and timeout', async (fault, hook) => {
    const environment = open({ fault, hook });
    const play = async (): Promise<unknown> => {
      await environment.reset({ state: 6, noise: 9 });
      return environment.step('Zero');
    };
    const requested = hook === 'step' ? 'step' : 'reset';
    await expect(play()).rejects.toMatchObject({
      code: 'plugin.timeout',
      message: expect.stringMatching(
        new RegExp(
          `environment "hostile", hook "${requested}" \\(step \\d, seed 6, noise 9\\): did not return within 1000 ms`,
        ),
      ) as string,
    });
  });

  it('in a synchronous hook fails too', async () => {
    const environment = open({ fault: 'block', hook: 'oracle' });
    await environment.reset({ state: 6, noise: 9 });
    expect(() => environment.oracle?.()).toThrow(/hook "oracle" .* did not return within 1000 ms/);
    expect(() => open({ fault: 'block', hook: 'create' })).toThrow(
      /hook "create": did not return within 1000 ms/,
    );
  });

  it('does not affect other episodes: they continue bit for bit', async () => {
    const play = async (params: object, registry: PluginRegistry): Promise<unknown[]> =>
      Promise.all(
        Array.from({ length: 12 }, async (_, seed) => {
          const environment = open(params, registry);
          const seen: unknown[] = [await environment.reset({ state: seed, noise: seed })];
          for (let step = 0; step < 3; step++)
            seen.push(await environment.step('Zero'), environment.facts?.());
          return seen;
        }).map((episode) => episode.catch((error: unknown) => (error as { code: string }).code)),
      );
    const disturbed = await play({ fault: 'block', hook: 'step', every: 6 }, short);
    const calm = await play({}, short);
    expect(disturbed.flatMap((episode, seed) => (episode === 'plugin.timeout' ? [seed] : []))).toEqual([
      0, 6,
    ]);
    expect(disturbed.filter((_, seed) => seed % 6 !== 0)).toEqual(calm.filter((_, seed) => seed % 6 !== 0));
  });

  it('that only awaits fails alone, without killing the process', async () => {
    const before = (await open({ fault: 'tell' }).reset({ state: 1, noise: 1 })).text;
    const environment = open({ fault: 'wait', hook: 'step' });
    await environment.reset({ state: 6, noise: 9 });
    await expect(environment.step('Zero')).rejects.toMatchObject({ code: 'plugin.timeout' });
    expect((await open({ fault: 'tell' }).reset({ state: 1, noise: 1 })).text).toBe(before);
  });

  it('in a reward ends with its signal, also one that has aborted before', async () => {
    const reward = installed.get('reward', 'hostile-score');
    const params = reward.params.parse({ fault: 'signal' });
    const trajectory = sampleTrajectory([sampleTurn(0)]);
    const controller = new AbortController();
    const waiting = reward.score(trajectory, params, controller.signal);
    setTimeout(() => controller.abort(), 50);
    await expect(waiting).rejects.toThrow('the signal has aborted');
    await expect(reward.score(trajectory, params, controller.signal)).rejects.toThrow(
      'the signal has aborted',
    );
  });

  it('in a reward fails with the trajectory and its seed', async () => {
    const reward = short.get('reward', 'hostile-score');
    const trajectory = sampleTrajectory([sampleTurn(0), sampleTurn(1)]);
    expect(await reward.score(trajectory, reward.params.parse({}))).toEqual({ perTurn: [1, 1] });
    await expect(reward.score(trajectory, reward.params.parse({ fault: 'block' }))).rejects.toMatchObject({
      code: 'plugin.timeout',
      message: expect.stringContaining(
        'reward "hostile-score", hook "score" (turns 2, trajectory train/1/0/0, seed 1)',
      ) as string,
    });
  });
});

describe('a plugin that exits or exhausts memory', () => {
  it('fails with the exit code, and the next call gets a new process', async () => {
    const environment = open({ fault: 'exit', hook: 'step' });
    await environment.reset({ state: 6, noise: 9 });
    await expect(environment.step('Zero')).rejects.toMatchObject({
      code: 'plugin.failed',
      message: expect.stringMatching(
        /hook "step" \(step 1, seed 6, noise 9\): its process exited by itself \(exit code 7\)/,
      ) as string,
    });
    expect((await open({}).reset({ state: 1, noise: 1 })).stateKey).toBe('0');
  });

  it.runIf(process.platform === 'linux')(
    'is killed when it exceeds the memory limit',
    async () => {
      const generous = await isolatePlugins(installed, [
        { kind: 'environment', id: 'hostile', isolation: 'process', callTimeoutMs: 60_000 },
      ]);
      const environment = open({ fault: 'memory', hook: 'reset' }, generous);
      const before = process.memoryUsage().rss;
      await expect(environment.reset({ state: 0, noise: 0 })).rejects.toThrow(
        /its process used \d+ MiB of memory; the limit is 1024 MiB/,
      );
      expect(process.memoryUsage().rss - before).toBeLessThan(200 * 2 ** 20);
      await generous.dispose();
    },
    60_000,
  );
});
