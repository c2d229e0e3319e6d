import { describe, expect, it } from 'vitest';
import {
  assessHealth,
  type Health,
  type HealthSettings,
  noteInput,
  parseHealth,
  startHealth,
} from './health.js';
import { type HealthInput, noMemory, remember } from './observation.js';
import { healthRules } from './rules.js';

const settings: HealthSettings = { patience: 2, recovery: 3, rules: {} };
type Series = Partial<Record<HealthInput, readonly number[]>>;

/** Checks a run whose inputs take these values, one after the other. */
function watch(series: Series, given: Partial<HealthSettings> = {}) {
  const count = Math.max(...Object.values(series).map((values) => values.length));
  let health: Health = startHealth;
  return Array.from({ length: count }, (_, index) => {
    const values = Object.fromEntries(
      Object.entries(series).flatMap(([name, all]) => (all[index] === undefined ? [] : [[name, all[index]]])),
    );
    const verdict = assessHealth(health, { step: index + 1, values }, { ...settings, ...given });
    health = verdict.health;
    return verdict;
  });
}
const statesOf = (series: Series, given?: Partial<HealthSettings>) =>
  watch(series, given).map(({ health }) => health.state);
const rulesOf = (series: Series) =>
  watch(series).map(({ findings }) => findings.map(({ rule, level }) => `${rule} ${level}`));
const times = (count: number, value: number): number[] => Array<number>(count).fill(value);

describe('a rule', () => {
  const flat = { success: times(12, 0.4) };
  // each case: the series, and what fires at its last check
  it.each<[string, Series, string[]]>([
    ['a drift of 0.2 nats warns', { updateDrift: [0, 0.4] }, ['update-drift warning']],
    ['a drift of 0.35 nats collapses', { updateDrift: [0.3, 0.4] }, ['update-drift collapsed']],
    // baseline 1, window (0.3 + 0.3 + 0.3)/3
    [
      'deviation at 0.3 of its start warns',
      { success: times(4, 0.4), rewardDeviation: [1, 0.3, 0.3, 0.3] },
      ['reward-deviation warning'],
    ],
    [
      'deviation at 0.1 of its start collapses',
      { success: times(4, 0.4), rewardDeviation: [1, 0.1, 0.1, 0.1] },
      ['reward-deviation collapsed'],
    ],
    [
      'deviation that falls while success rises is learning',
      { success: [0.4, 0.8, 0.8, 0.8], rewardDeviation: [1, 0.1, 0.1, 0.1] },
      [],
    ],
    [
      'deviation that is gone because everything succeeds is learning',
      { success: times(4, 0.95), rewardDeviation: [1, 0, 0, 0] },
      [],
    ],
    [
      'ten deviations below a tenth of the first ten',
      // the window of three falls to 0.09 / 1, below the limit of reward-deviation too
      { success: times(20, 0.4), rewardDeviation: [...times(10, 1), ...times(10, 0.09)] },
      ['reward-deviation collapsed', 'deviation-lost collapsed'],
    ],
    [
      'nine of them are not ten',
      { success: times(20, 0.4), rewardDeviation: [...times(11, 1), ...times(9, 0.09)] },
      ['reward-deviation collapsed'],
    ],
    ['entropy at 0.3', { ...flat, entropy: [1, 0.3, 0.3, 0.3] }, ['entropy-fall warning']],
    ['entropy at 5', { ...flat, entropy: [1, 5, 5, 5] }, ['entropy-rise warning']],
    ['entropy at 9', { ...flat, entropy: [1, 9, 9, 9] }, ['entropy-rise collapsed']],
    // median of 1, 1, 1, 1, 1
    ['a gradient of 16 after five of 1', { gradientNorm: [...times(5, 1), 16] }, ['gradient-spike warning']],
    ['a gradient of 14 after five of 1', { gradientNorm: [...times(5, 1), 14] }, []],
    ['a small gradient after smaller ones', { gradientNorm: [...times(5, 0.01), 2] }, []],
    ['a gradient that is gone', { ...flat, gradientNorm: [1, 0, 0, 0] }, ['gradient-lost warning']],
    ['reasoning at 0.4', { ...flat, reasoningLength: [10, 4, 4, 4] }, ['short-reasoning warning']],
    ['reasoning at 0.1', { ...flat, reasoningLength: [10, 1, 1, 1] }, ['short-reasoning collapsed']],
    ['reasoning at 2.5', { ...flat, reasoningLength: [10, 25, 25, 25] }, ['long-reasoning warning']],
    ['reasoning at 4', { ...flat, reasoningLength: [10, 40, 40, 40] }, ['long-reasoning collapsed']],
    [
      'reasoning that is gone, whatever is left of the replies',
      { ...flat, reasoningLength: [10, 0, 0, 0], replyLength: [15, 8, 8, 8] },
      ['short-reasoning collapsed'],
    ],
    [
      'replies at 2.5 where nobody reasons at the start',
      { ...flat, reasoningLength: [0, 0, 0.5, 30], replyLength: [10, 25, 25, 25] },
      ['long-reasoning warning'],
    ],
    ['format at 0.7', { validFormat: [1, 0.7, 0.7, 0.7] }, ['invalid-format warning']],
    ['format at 0.5', { validFormat: [1, 0.5, 0.5, 0.5] }, ['invalid-format collapsed']],
    ['few phrases', { ...flat, distinct: [0.5, 0.1, 0.1, 0.1] }, ['few-phrases warning']],
    // baseline 2, mean of two 0.5
    [
      'a reasoning that fits any prompt',
      { ...flat, information: [2, 0.6, 0.4] },
      ['template-collapse warning'],
    ],
    ['a reasoning that tells less', { ...flat, information: [2, 1.2, 0.8] }, []],
    ['a policy far from its start', { ...flat, probeDrift: [0.01, 1.2] }, ['policy-drift warning']],
    [
      'a policy far from its start that has learned',
      { success: [0.4, 0.4, 0.9, 0.9, 0.9], probeDrift: times(5, 2) },
      [],
    ],
    ['one text for all', { ...flat, difference: [0.6, 0.1, 0.1, 0.1] }, ['one-answer-for-all warning']],
    // where texts are alike from the start, half as unlike is chance
    ['one text for all from the start', { ...flat, difference: [0.06, 0.01, 0.01, 0.01] }, []],
    // sums of 5.5 and 3.7, above 4 and 1
    [
      'success and deviation that go on falling',
      { success: [...times(5, 0.4), 0.3, 0.3], rewardDeviation: [...times(5, 1), 0.9, 0.9] },
      ['success-decline warning'],
    ],
    [
      'the same a step before',
      { success: [...times(5, 0.4), 0.3], rewardDeviation: [...times(5, 1), 0.9] },
      [],
    ],
    ['success that falls alone', { success: [...times(5, 0.4), 0.3, 0.3], rewardDeviation: times(7, 1) }, []],
    // best mean of five 0.8, now 0.3: the difference is beyond the noise of neighbours, sqrt(0.25/9/2) · 3 · sqrt(2/5) = 0.22
    [
      'success at 0.375 of its best',
      { success: [...times(5, 0.8), ...times(5, 0.3)] },
      ['success-drop warning'],
    ],
    // best (0.9 + 0.1 + 0.9 + 0.1 + 0.9)/5 = 0.58, now 0.26; neighbours differ by 0.8: noise 0.5 · 3 · sqrt(2/5) = 0.95
    ['success that jumps', { success: [0.9, 0.1, 0.9, 0.1, 0.9, 0.1, 0.9, 0.1, 0.1, 0.1] }, []],
    ['five validations below 1 %', { validationSuccess: times(5, 0.005) }, ['validation-lost collapsed']],
    ['four of them', { validationSuccess: times(4, 0.005) }, []],
  ])('%s', (_what, series, expected) => {
    expect(rulesOf(series).at(-1)).toEqual(expected);
  });

  it('says what it was computed from', () => {
    const findings = watch({ success: times(5, 0.4), rewardDeviation: [1, 0.5, 0.3, 0.3, 0.3] }).at(
      -1,
    )?.findings;
    // baseline (1 + 0.5) / 2
    expect(findings).toEqual([
      {
        rule: 'reward-deviation',
        input: 'rewardDeviation',
        level: 'warning',
        measure: expect.closeTo(0.4, 12) as number,
        limit: 0.4,
        value: expect.closeTo(0.3, 12) as number,
        baseline: 0.75,
        since: 4,
        history: [1, 0.5, 0.3, 0.3, 0.3],
      },
    ]);
  });

  it('has other limits, or none, where the settings say so', () => {
    const drift = { updateDrift: times(4, 0.2) };
    expect(statesOf(drift, { rules: { 'update-drift': { warning: 0.5 } } }).at(-1)).toBe('healthy');
    expect(statesOf(drift, { rules: { 'update-drift': { collapsed: 0.15 } } }).at(-1)).toBe('collapsed');
    const off = { 'update-drift': { warning: null, collapsed: null } };
    expect(statesOf({ updateDrift: times(4, 9) }, { rules: off }).at(-1)).toBe('healthy');
  });

  it('names a source', () => {
    for (const { source } of Object.values(healthRules))
      expect(source).toMatch(/RAGEN|PPO|Li et al|docs|definition/);
  });
});

describe('the state of a run', () => {
  it('changes when a rule has fired as often as patience asks, and back after calm checks', () => {
    const drift = { updateDrift: [0.2, 0.2, 0, 0, 0, 0, 0] };
    // means of two: 0.2 0.2 0.1 0 0 0 0; above 0.1 at the first two
    expect(statesOf(drift)).toEqual([
      'healthy',
      'warning',
      'warning',
      'warning',
      'healthy',
      'healthy',
      'healthy',
    ]);
    expect(statesOf(drift, { patience: 3 })).toEqual(times(7, 0).map(() => 'healthy'));
    expect(statesOf(drift, { patience: 1, recovery: 1 }).slice(0, 3)).toEqual([
      'warning',
      'warning',
      'healthy',
    ]);
  });

  it('counts values of an input, not checks without one', () => {
    // a value at every third check: the fourth one, at the tenth check, is the first that is compared
    let health: Health = startHealth;
    const states = Array.from({ length: 8 }, (_, index) => {
      const values = {
        success: 0.4,
        ...(index % 3 === 0 ? { validFormat: index === 0 ? 1 : 0.2 } : {}),
      };
      health = assessHealth(health, { step: index + 1, values }, settings).health;
      return health.state;
    });
    expect(states).toEqual(times(8, 0).map(() => 'healthy'));
    for (let step = 10; step <= 13; step += 1)
      health = assessHealth(
        health,
        { step, values: step % 3 === 1 ? { validFormat: 0.2 } : {} },
        settings,
      ).health;
    expect([health.state, health.streaks['invalid-format']]).toEqual([
      'collapsed',
      { since: 10, count: 5, warned: 2, collapsed: 2 },
    ]);
  });

  it('says since when, and on what evidence', () => {
    const [first, second, , , last] = watch({ updateDrift: [0.2, 0.2, 0, 0, 0] }).map(({ health }) => health);
    expect(first).toMatchObject({ state: 'healthy', since: 0, evidence: '' });
    expect(second).toMatchObject({
      state: 'warning',
      since: 2,
      evidence: 'update-drift: policy/approx_kl is 0.2: 0.2 nats, mean of 2, above 0.1 since step 1',
    });
    expect(last).toMatchObject({ state: 'healthy', since: 5, evidence: 'no rule fires any more' });
  });

  it('writes 0 for what rounding has left of it', () => {
    const same = { rewardDeviation: [...times(5, 0.4), ...times(5, 1.4e-17)], success: times(10, 0.1) };
    const found = watch(same).at(-1)?.health.evidence;
    expect(found).toMatch(
      /^reward-deviation: rollout\/reward_std is 0, was 0\.4: 0 of its start, mean of 3, below 0\.15/,
    );
  });

  it('says how far success has declined in words of its own', () => {
    const declining = {
      success: [...times(5, 0.4), 0.3, 0.3],
      rewardDeviation: [...times(5, 1), 0.9, 0.9],
    };
    expect(watch(declining).at(-1)?.health.evidence).toBe(
      'success-decline: success was 0.4 at the start and is now 0.3, and its shortfalls add up to 5.5 standard deviations, above 4 since step 7',
    );
  });

  it('is a collapse when success has halved and a rule about something else warns', () => {
    const drop = { success: [...times(5, 0.8), ...times(7, 0.3)] };
    expect(statesOf(drop).at(-1)).toBe('warning');
    // the deviation of rewards falls with success
    const dull = { ...drop, rewardDeviation: [...times(5, 0.4), ...times(7, 0.15)] };
    expect(
      watch(dull)
        .at(-1)
        ?.findings.map(({ rule }) => rule),
    ).toEqual(['reward-deviation', 'success-decline', 'success-drop']);
    expect(statesOf(dull).at(-1)).toBe('warning');
    expect(statesOf({ ...drop, validFormat: [...times(5, 1), ...times(7, 0.7)] }).at(-1)).toBe('collapsed');
  });

  it('does not change for a gradient alone, which healthy runs have too', () => {
    const spike = { gradientNorm: [...times(5, 1), 40] };
    expect(statesOf(spike).at(-1)).toBe('healthy');
    const both = { ...spike, updateDrift: [...times(4, 0), 0.3, 0.3] };
    expect(
      watch(both)
        .at(-1)
        ?.findings.map(({ rule }) => rule),
    ).toEqual(['update-drift', 'gradient-spike']);
    expect(statesOf(both).at(-1)).toBe('warning');
  });

  it('does not get better while a rule still fires', () => {
    const drift = { updateDrift: [0.5, 0.5, 0.5, 0.2, 0.2, 0.2, 0.2, 0.2, 0.2] };
    expect(statesOf(drift).at(-1)).toBe('collapsed');
  });

  it('is the same when it is stored and read in between', () => {
    const series = { success: [0.5, 0.4, 0.1, 0, 0], rewardDeviation: [0.4, 0.31, 0.1, 0.01, 0] };
    const whole = watch(series).at(-1)?.health;
    const half = watch({
      success: series.success.slice(0, 3),
      rewardDeviation: series.rewardDeviation.slice(0, 3),
    });
    let health = parseHealth(JSON.parse(JSON.stringify(half.at(-1)?.health))) ?? startHealth;
    for (const index of [3, 4]) {
      const values = {
        success: series.success[index] ?? 0,
        rewardDeviation: series.rewardDeviation[index] ?? 0,
      };
      health = assessHealth(health, { step: index + 1, values }, settings).health;
    }
    expect(health).toEqual(whole);
  });

  it.each<[string, unknown]>([
    ['no object', 'healthy'],
    ['another state', { ...startHealth, state: 'fine' }],
    ['an input without its values', { ...startHealth, inputs: { success: { first: [1] } } }],
    [
      'a streak without its start',
      { ...startHealth, streaks: { 'update-drift': { warned: 1, collapsed: 0 } } },
    ],
  ])('is not read from %s', (_what, stored) => expect(parseHealth(stored)).toBeUndefined());

  it('forgets lengths of reasoning that were of replies, as earlier versions mixed them', () => {
    const lengths = { reasoningLength: remember(noMemory, 12), success: remember(noMemory, 0.5) };
    const replyLength = remember(noMemory, 20);
    const inputsOf = (inputs: object) => Object.keys(parseHealth({ ...startHealth, inputs })?.inputs ?? {});
    expect(inputsOf(lengths)).toEqual(['success']);
    expect(inputsOf({ ...lengths, replyLength })).toEqual(['reasoningLength', 'success', 'replyLength']);
  });

  it('remembers what is measured between checks', () => {
    const { inputs } = noteInput(startHealth, 'validationSuccess', 0.25);
    expect(inputs.validationSuccess?.recent).toEqual([0.25]);
  });
});

describe('the step at which a run was no longer healthy', () => {
  // a warning at step 3, a collapse at 6, and calm from 9 on
  const series: Series = { updateDrift: [0, 0.3, 0.2, 0.2, 0.5, 0.5, 0.5, ...times(6, 0)] };
  const verdicts = watch(series).map(({ health }) => health);

  it('stays when a warning becomes a collapse, and goes when the run is healthy again', () => {
    const changes = verdicts.map(({ state, since, unhealthySince }) => [state, since, unhealthySince]);
    const distinct = [...new Set(changes.map((one) => JSON.stringify(one)))];
    expect(distinct.map((one) => JSON.parse(one) as unknown)).toEqual([
      ['healthy', 0, null],
      ['warning', 3, 3],
      ['collapsed', 6, 3],
      ['healthy', 11, null],
    ]);
  });

  it('is read from what is stored; earlier versions stored the last change only', () => {
    const collapsed = verdicts.find(({ state }) => state === 'collapsed') as Health;
    expect(parseHealth(JSON.parse(JSON.stringify(collapsed)))).toEqual(collapsed);
    const { unhealthySince: _, ...older } = collapsed;
    expect(parseHealth(older)).toMatchObject({ since: 6, unhealthySince: 6 });
    expect(parseHealth(startHealth)).not.toHaveProperty('unhealthySince');
    expect(parseHealth({ ...collapsed, unhealthySince: 'early' })).toBeUndefined();
  });
});
