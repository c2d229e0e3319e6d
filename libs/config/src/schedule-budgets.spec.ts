import { describe, expect, it } from 'vitest';
import { parseConfig, resolveRunSpec } from './index.js';
import { failure, limits, plugins, registry, resolve, smallest } from './testing/small-registry.js';

const withRollout = (rollout: string) => `${smallest}rollout: ${rollout}\n`;
const messageOf = (text: string, sets: string[] = []) => failure(() => resolve(text, sets)).message;

describe('the rollout schedule', () => {
  it('derives the age of replayed groups and what follows', () => {
    const { spec, derived, sources } = resolve(
      `${smallest}update: { epochs: 2, miniBatches: 2, replay: { groups: 4 } }\nrollout: { ahead: 1 }\n`,
    );
    expect(spec.update.replay).toEqual({ groups: 4, capacity: 64, maxAge: 16 });
    expect(sources.get('update.replay.maxAge')).toBe('derived');
    expect(derived.schedule).toEqual({ replayedGroupsPerStep: 4, replayIterations: 4, policyLag: 16 });
    expect(derived.trajectoriesPerMiniBatch).toBe(((8 + 4) * 16) / 2);
  });

  it('says how often a task is played, and nothing of a run without options', () => {
    const { derived } = resolve(withRollout('{ tasks: { count: 32 } }'));
    expect(derived.schedule).toEqual({ policyLag: 0, playsPerTask: (50 * 8) / 32 });
    expect(resolve(smallest).derived).not.toHaveProperty('schedule');
  });

  it('refuses an algorithm that learns from earlier groups where none are held, or for a tag alone', () => {
    const needs = () => ({ critic: false, reference: false, replay: true });
    const replaying = {
      ...registry,
      list: () => plugins.map((one) => (one.id === 'ppo' ? { ...one, needs } : one)) as typeof plugins,
    };
    const plan = (text: string) => resolveRunSpec(parseConfig(text, 'x.yaml'), replaying, () => ({ limits }));
    const run = smallest.replace('grpo', 'ppo');
    expect(failure(() => plan(run)).message).toContain(
      'update.replay: ppo learns from earlier groups again, but the run holds none; set it',
    );
    expect(plan(`${run}update: { replay: { groups: 4 } }\n`).spec.update.replay).toBeDefined();
    const tags =
      'algorithm: { use: grpo }\nmixing: { compare: per-tag }\nupdate: { replay: { groups: 2 } }\nenvironments:\n' +
      '  near: { environment: { use: grid }, groups: 3 }\n' +
      '  far: { environment: { use: grid }, groups: 2, algorithm: { use: ppo } }\n';
    expect(failure(() => plan(tags)).message).toContain(
      'environments.far.algorithm: ppo chooses which earlier groups of the run are learned from again',
    );
  });

  it.each([
    ['update: { miniBatches: 4, replay: { groups: 1, maxAge: 3 } }', 'choose at least 4'],
    ['update: { replay: { groups: 9, capacity: 8 } }', 'only 8 are held'],
    ['rollout: { tasks: { count: 7 } }', 'a step plays 8 different states'],
    ['rollout: { adaptive: { first: 1, most: 32 } }', 'choose at least 2'],
    ['rollout: { adaptive: { first: 16, most: 32 } }', 'nothing is left to give out'],
    ['rollout: { adaptive: { first: 4, most: 8 } }', 'rollout.adaptive.most 8'],
    ['rollout: { adaptive: { first: 4, most: 16 } }', 'every group would get 16'],
    ['rollout: { adaptive: { first: 4, most: 32, enough: 17 } }', 'choose at most 16'],
    [
      'rollout: { tasks: { count: 64 } }\ncurriculum: { levels: [{ environment: { size: 4 } }, {}] }',
      'a state is another one at each level',
    ],
  ])('refuses %s', (text, sentence) => {
    expect(messageOf(`${smallest}${text}\n`)).toContain(sentence);
  });

  it('refuses to learn late where the loss compares with no old policy', () => {
    const plain = plugins.map((plugin) =>
      plugin.id === 'grpo' ? { ...plugin, policyLoss: () => ({ columns: ['advantages'] }) } : plugin,
    );
    const late = (text: string) =>
      failure(() => resolveRunSpec({ ...base, ...JSON.parse(text) }, { ...registry, list: () => plain }))
        .message;
    const base = { environment: { use: 'grid' }, algorithm: { use: 'grpo' } };
    expect(late('{"update":{"replay":{"groups":1}}}')).toContain(
      'update.replay: the loss of grpo does not read the log-probabilities at sampling',
    );
    expect(late('{"rollout":{"ahead":1}}')).toContain('rollout.ahead 1: the loss of grpo');
  });

  it('names the options that the choice of tasks does not read, and clips that act on older groups', () => {
    const inert = (text: string) => resolve(text).inert.map(({ path }) => path);
    const tasks = inert(withRollout('{ tasks: { count: 32, choose: pools } }'));
    expect(tasks).toEqual(expect.arrayContaining(['rollout.tasks.target', 'rollout.tasks.memory']));
    expect(tasks).not.toContain('rollout.tasks.shares');
    expect(inert(smallest)).toContain('algorithm.clipRatio');
    expect(inert(withRollout('{ ahead: 1 }'))).not.toContain('algorithm.clipRatio');
  });
});
