import { describe, expect, it } from 'vitest';
import { type JudgedRun, judgeRun, scoreRuns } from './judge.js';
import { loadRecord, type RecordedRun } from './record.js';

const times = (count: number, value: number): number[] => Array<number>(count).fill(value);

/** A run with this success, whose replies lose their format from step 9 on where `decays`. */
function runOf(success: readonly number[], decays = false): RecordedRun {
  const format = success.map((_, index) => (decays && index >= 8 ? 0.1 : 1));
  return {
    family: 'made',
    half: 'tuning',
    seed: 1,
    config: '',
    set: [],
    metrics: { 'rollout/success_rate': success, 'rollout/format_valid_share': format },
  };
}

const healthy = [...times(4, 0.4), ...times(16, 0.8)];
// the mean of three is 0.8, 0.53, 0.27, 0 from step 14 on
const collapsing = [...times(14, 0.8), ...times(6, 0)];

describe('the outcome of a run', () => {
  it('is what success says: kept, halved for good, or lost and found again', () => {
    expect(judgeRun(runOf(healthy))).toMatchObject({ outcome: 'healthy', halvedAt: undefined });
    expect(judgeRun(runOf(collapsing))).toMatchObject({ outcome: 'collapsing', halvedAt: 16 });
    const dip = [...times(8, 0.8), ...times(4, 0.1), ...times(8, 0.8)];
    expect(judgeRun(runOf(dip))).toMatchObject({ outcome: 'neither', halvedAt: undefined });
  });

  it('does not depend on the monitor', () => {
    expect(judgeRun(runOf(healthy, true)).outcome).toBe('healthy');
  });
});

describe('the score of a set of runs', () => {
  it('counts alarms that were right and came in time', () => {
    const runs = [runOf(healthy), runOf(healthy, true), runOf(collapsing), runOf(collapsing, true)].map(
      judgeRun,
    );
    // the format at 0.1 makes means of 0.7 and 0.4, so its rule fires at steps 9 and 10; success alone is below 60 % in means of
    // five from step 17 on, after it has halved at 16, which is too late
    expect(scoreRuns(runs, 'warning')).toMatchObject({
      precision: 1 / 2,
      recall: 1 / 2,
      medianLead: 6,
      falseAlarmsPer100Steps: 2.5,
      healthy: 2,
      collapsing: 2,
      neither: 0,
    });
  });
});

/** What the rules reach on the stored runs; a change of the rules may raise these numbers, never lower them. */
const reached = [
  { name: 'tuning', half: 'tuning', precision: 38 / 43, recall: 1, falseAlarms: 5 / 14, lead: 3 },
  { name: 'held back', half: 'held-back', precision: 38 / 41, recall: 1, falseAlarms: 0.242, lead: 5 },
  // before later seeds were added
  {
    name: 'held back, the first two seeds',
    half: 'held-back',
    below: 23,
    precision: 23 / 25,
    recall: 1,
    falseAlarms: 2 / 5.6,
    lead: 3,
  },
] as const;

describe('the corpus', () => {
  const judged = loadRecord().map(judgeRun);

  it('has enough runs of either kind, half of them held back', () => {
    for (const half of ['tuning', 'held-back'] as const) {
      const own = judged.filter(({ run }) => run.half === half);
      expect(own.filter(({ outcome }) => outcome === 'healthy').length).toBeGreaterThanOrEqual(24);
      expect(own.filter(({ outcome }) => outcome === 'collapsing').length).toBeGreaterThanOrEqual(24);
    }
  });

  it.each(reached)('is told apart no worse than before: $name', (floor) => {
    const isOwn = ({ run }: JudgedRun): boolean =>
      run.half === floor.half && (!('below' in floor) || run.seed < floor.below);
    const { precision, recall, falseAlarmsPer100Steps, medianLead } = scoreRuns(
      judged.filter(isOwn),
      'warning',
    );
    expect(medianLead).toBeGreaterThanOrEqual(floor.lead);
    expect(precision).toBeGreaterThanOrEqual(floor.precision);
    expect(recall).toBeGreaterThanOrEqual(floor.recall);
    expect(falseAlarmsPer100Steps).toBeLessThanOrEqual(floor.falseAlarms);
  });
});
