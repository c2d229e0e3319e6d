import { listEnvironments, listLevels, listTrained, listValidated } from '@espalier/contracts/mixing';
import { describe, expect, it } from 'vitest';
import { failure, grid, plugins, registry, resolve } from './testing/small-registry.js';
import { resolveRunSpec } from './resolve-run-spec.js';

const ladder = [
  'environment: { use: grid, start: { row: 1 } }',
  'algorithm: { use: grpo }',
  'curriculum:',
  '  levels:',
  '    - { environment: { size: 3 }, maxTurns: 2 }',
  '    - { environment: { size: 4 } }',
  '    - {}',
].join('\n');
const messageOf = (text: string, sets: string[] = []): string => failure(() => resolve(text, sets)).message;
const levelsOf = (text: string, sets: string[] = []) => {
  const [only] = listTrained(resolve(text, sets).spec);
  return listLevels(only!).map(({ spec, path, level }) => ({
    level,
    path,
    environment: spec.environment,
    turns: spec.rollout.maxTurns,
  }));
};

describe('a curriculum', () => {
  it('is the environment with some options changed at each level', () => {
    const base = { use: 'grid', start: { row: 1 } };
    expect(levelsOf(ladder)).toEqual([
      { level: 1, path: 'curriculum.levels.0.environment', environment: { ...base, size: 3 }, turns: 2 },
      { level: 2, path: 'curriculum.levels.1.environment', environment: { ...base, size: 4 }, turns: 5 },
      { level: 3, path: 'curriculum.levels.2.environment', environment: { ...base, size: 6 }, turns: 5 },
    ]);
    expect(resolve(ladder).spec.curriculum).toMatchObject({
      start: 1,
      window: 16,
      promoteAt: 0.8,
      demoteBelow: 0.1,
      replay: 0.25,
    });
  });

  it('gives the same spec when it is resolved again, and names where a value is from', () => {
    const { spec, hash, sources } = resolve(ladder);
    expect(resolve(JSON.stringify(spec)).hash).toBe(hash);
    expect(spec.curriculum?.levels.map(({ environment }) => environment)).toEqual([
      { size: 3 },
      { size: 4 },
      {},
    ]);
    expect(sources.get('curriculum.levels.0.environment.size')).toBe('file');
    expect(sources.get('curriculum.window')).toBe('default');
  });

  it('follows the environment where a level does not differ', () => {
    expect(levelsOf(ladder, ['environment.size=9']).map(({ environment }) => environment['size'])).toEqual([
      3, 4, 9,
    ]);
    const { spec } = resolve(ladder);
    const again = resolve(JSON.stringify(spec), ['environment.start.row=7']);
    expect(listEnvironments(again.spec).map((one) => one.spec.environment['start'])).toEqual(
      Array(3).fill({ row: 7 }),
    );
  });

  it('takes a limit from the level, else from the run, else from the environment at that level', () => {
    const bySize = {
      ...grid,
      limits: (options: { size: number }) => ({ ...grid.limits(), maxTurns: options.size }),
    };
    const list = [bySize, ...plugins.filter((one) => one !== grid)] as typeof plugins;
    const turnsOf = (sets: object): number[] => {
      const written = {
        environment: { use: 'grid' },
        algorithm: { use: 'grpo' },
        curriculum: { levels: [{ environment: { size: 3 }, maxTurns: 2 }, { environment: { size: 4 } }, {}] },
        ...sets,
      };
      const { spec } = resolveRunSpec(written, { ...registry, list: () => list });
      const again = resolveRunSpec({ ...spec } as never, { ...registry, list: () => list });
      expect(again.spec).toEqual(spec);
      return listEnvironments(spec).map((one) => one.spec.rollout.maxTurns);
    };
    expect(turnsOf({})).toEqual([2, 4, 6]);
    expect(turnsOf({ rollout: { maxTurns: 8 } })).toEqual([2, 8, 8]);
  });

  it('is validated at its last level, or at all of them as tags', () => {
    const tagsOf = (sets: string[]) =>
      listValidated(resolve(ladder, sets).spec).map(({ tag, trained, spec }) => [
        tag,
        trained,
        spec.environment['size'],
      ]);
    expect(tagsOf([])).toEqual([[undefined, true, 6]]);
    expect(tagsOf(['validation.levels=all'])).toEqual([
      [undefined, true, 6],
      ['level-1', false, 3],
      ['level-2', false, 4],
    ]);
  });

  it('belongs to a tag of a run in several environments', () => {
    const mixed = [
      'algorithm: { use: grpo }',
      'environments:',
      '  small:',
      '    environment: { use: grid }',
      '    curriculum: { levels: [{ environment: { size: 2 } }, { environment: { size: 3 } }] }',
      '  big: { environment: { use: grid, size: 9 } }',
      'validation: { levels: all }',
    ].join('\n');
    const { spec, hash } = resolve(mixed);
    expect(resolve(JSON.stringify(spec)).hash).toBe(hash);
    expect(listEnvironments(spec).map(({ tag, level, path }) => [tag, level, path])).toEqual([
      ['small', 1, 'environments.small.curriculum.levels.0.environment'],
      ['small', 2, 'environments.small.curriculum.levels.1.environment'],
      ['big', undefined, 'environments.big.environment'],
    ]);
    expect(listValidated(spec).map(({ tag }) => tag)).toEqual(['small', 'big', 'small-level-1']);
    expect(messageOf(`${mixed}\ncurriculum: { levels: [{ maxTurns: 1 }, { maxTurns: 2 }] }`)).toContain(
      'with `environments`, write it below a tag: environments.<tag>.curriculum',
    );
    const taken = mixed.replace('big:', 'small-level-1:');
    expect(messageOf(taken)).toContain('the tag small-level-1 is that of a level; choose another name');
  });

  it.each<[string[], string]>([
    [
      ['curriculum.levels.1.environment.size=1'],
      '--set: curriculum.levels.1.environment.size is 1; expected at least 2',
    ],
    [
      ['curriculum.levels.1.environment={ sise: 5 }'],
      'unknown key curriculum.levels.1.environment.sise; did you mean size?',
    ],
    [
      ['curriculum.levels.1.environment.use=grid'],
      'curriculum.levels.1.environment.use: a level changes options of grid, not use; remove it, or train several environments',
    ],
    [['curriculum.levels.1.environment.isolation=process'], 'a level changes options of grid, not isolation'],
    [
      ['curriculum.levels=[{}]'],
      'curriculum.levels is [{}]; expected 2 to 20 levels; for one, set the options of the environment itself',
    ],
    [
      ['curriculum.levels.1.environment.size=3', 'curriculum.levels.1.maxTurns=2'],
      'levels 1 and 2 are the same',
    ],
    [['curriculum.window=0'], 'curriculum.window is 0; expected at least 1'],
    [
      ['curriculum.window=500'],
      'curriculum.window 500: the run has at most 400 groups at the level it starts at (50 steps of 8), so no level would ever change; choose fewer, or raise steps',
    ],
    [['curriculum.promoteAt=1.5'], 'curriculum.promoteAt is 1.5; expected at most 1'],
    [
      ['curriculum.promoteAt=0.5', 'curriculum.demoteBelow=0.5'],
      'curriculum.demoteBelow 0.5 and curriculum.promoteAt 0.5: the same success would promote and demote; choose demoteBelow less than promoteAt, or 0 for never',
    ],
    [['curriculum.start=4'], 'curriculum.start 4: there are 3 levels; choose at most 3'],
    [['curriculum.replay=1'], 'curriculum.replay is 1; expected at most 0.9'],
    [['curriculum.promote=1'], 'unknown key curriculum.promote; did you mean promoteAt?'],
    [['validation.levels=first'], 'validation.levels is "first"; expected one of "last", "all"'],
    [['curriculum.levels.1.maxResponseTokens=9'], 'unknown key curriculum.levels.1.maxResponseTokens'],
    [['environment.size=1'], 'environment.size is 1; expected at least 2'],
  ])('refuses %j', (sets, message) => {
    const text = messageOf(ladder, sets);
    expect(text).toContain(message);
    expect(text.split('\n')).toHaveLength(1);
  });

  it('has at most as many levels validated as there may be tags', () => {
    const levels = Array.from({ length: 13 }, (_, index) => `{ environment: { size: ${index + 2} } }`);
    const sets = [`curriculum.levels=[${levels.join(', ')}]`];
    expect(resolve(ladder, sets).spec.curriculum?.levels).toHaveLength(13);
    expect(
      messageOf(ladder, [
        ...sets,
        'validation.levels=all',
        'validation.environments.other={ environment: { use: grid } }',
      ]),
    ).toContain('validation.levels all: 13 tags and levels are validated; at most 12 are possible');
  });

  it('reports what has no effect', () => {
    const set = (text: string, sets: string[]) =>
      resolve(text, sets).inert.flatMap(({ path, set: isSet }) => (isSet ? [path] : []));
    const one = 'environment: { use: grid }\nalgorithm: { use: grpo }';
    expect(set(one, ['validation.levels=all'])).toEqual(['validation.levels']);
    expect(
      set(one, [
        'curriculum.levels=[{ environment: { size: 3 } }, { environment: { size: 4 } }]',
        'environment.size=9',
      ]),
    ).toEqual(['environment.size']);
  });
});

describe('a growing horizon', () => {
  const one = 'environment: { use: grid }\nalgorithm: { use: grpo }';

  it('grows to the budget of the run', () => {
    const { spec, hash } = resolve(one, ['rollout.horizon={ maxTurns: 2, steps: 10 }']);
    expect(spec.rollout.horizon).toEqual({ maxTurns: 2, steps: 10, every: 1 });
    expect(resolve(JSON.stringify(spec)).hash).toBe(hash);
  });

  it.each<[string, string]>([
    [
      '{ maxTurns: 5, steps: 10 }',
      'rollout.horizon.maxTurns 5: the full budget is 5, so nothing would grow; choose less than 5, raise maxTurns, or remove it',
    ],
    ['{ maxActions: 12, steps: 10 }', 'rollout.horizon.maxActions 12: the full budget is 10'],
    ['{ steps: 10 }', 'rollout.horizon is {"steps":10}; expected maxTurns, maxActions or both'],
    ['{ maxTurns: 2 }', 'rollout.horizon.steps is missing'],
    ['{ maxTurns: 2, steps: 0 }', 'rollout.horizon.steps is 0; expected at least 1'],
    ['{ maxTurns: 0, steps: 3 }', 'rollout.horizon.maxTurns is 0; expected at least 1'],
    ['{ maxTurns: 2, steps: 3, each: 1 }', 'unknown key rollout.horizon.each'],
  ])('refuses %s', (horizon, message) =>
    expect(messageOf(one, [`rollout.horizon=${horizon}`])).toContain(message),
  );

  it('is without effect where its first change comes after the last step', () => {
    const inertOf = (every: number): string[] =>
      resolve(one, [`rollout.horizon={ maxTurns: 2, steps: 40, every: ${every} }`, 'steps=5']).inert.flatMap(
        ({ path, set }) => (set ? [path] : []),
      );
    expect([inertOf(4), inertOf(5)]).toEqual([[], ['rollout.horizon.every']]);
  });

  it('stays below the budget of every level', () => {
    expect(messageOf(ladder, ['rollout.horizon={ maxTurns: 3, steps: 10 }'])).toContain(
      'rollout.horizon.maxTurns 3: the full budget is 2',
    );
  });
});
