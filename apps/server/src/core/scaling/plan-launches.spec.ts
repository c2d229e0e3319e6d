import { describe, expect, it } from 'vitest';
import { cpuSlots } from '../../../../../test/support/simulated-worker.js';
import { type LauncherOptions, launcherOptions } from '../../config/launcher-options.js';
import { type LaunchContext, planLaunches, type PlanLauncher, type WaitingJob } from './plan-launches.js';

type Given = Partial<Omit<LauncherOptions, 'worker'>> & { worker?: object };

const launcher = (given: Given, workers: Partial<PlanLauncher['workers'][number]>[] = []): PlanLauncher => ({
  options: launcherOptions.parse([
    { name: 'a', driver: 'local', maximum: 3, ...given },
  ])[0] as LauncherOptions,
  isClosed: false,
  workers: workers.map((worker, index) => ({
    name: `a-${index}`,
    project: 'p',
    isComing: false,
    isLeaving: false,
    ...worker,
  })),
});
const job = (needs: Partial<WaitingJob['needs']> = {}, more: Partial<WaitingJob> = {}): WaitingJob => ({
  project: 'p',
  createdBy: 'k',
  needs: { kind: 'cpu', count: 1, memoryMb: 0, labels: [], ...needs },
  ...more,
});
const plan = (given: Partial<LaunchContext>): string[] =>
  planLaunches({ launchers: [], free: [], waiting: [], quotaOf: () => null, ...given }).launches.map(
    ({ launcher: name, project }) => `${name} for ${project}`,
  );

describe('how many workers are started', () => {
  it('is one for each job that fits no free worker, up to the maximum', () => {
    expect(plan({ launchers: [launcher({})], waiting: [job(), job()] })).toEqual(['a for p', 'a for p']);
    expect(plan({ launchers: [launcher({})], waiting: Array.from({ length: 9 }, () => job()) })).toHaveLength(
      3,
    );
    expect(plan({ launchers: [launcher({}, [{}, {}])], waiting: [job(), job()] })).toHaveLength(1);
  });

  it('is none where free devices or workers to come suffice', () => {
    const free = [{ id: 'w', labels: [], free: cpuSlots(1) }];
    expect(plan({ launchers: [launcher({})], free, waiting: [job()] })).toEqual([]);
    expect(plan({ launchers: [launcher({})], free, waiting: [job(), job()] })).toHaveLength(1);
    const coming = launcher({ worker: { count: 2 } }, [{ isComing: true }]);
    expect(plan({ launchers: [coming], waiting: [job(), job()] })).toEqual([]);
    expect(plan({ launchers: [coming], waiting: [job(), job(), job()] })).toHaveLength(1);
  });

  it('counts a worker that leaves for the maximum, and not as one to come', () => {
    const leaving = { isComing: true, isLeaving: true };
    expect(plan({ launchers: [launcher({ maximum: 1 }, [leaving])], waiting: [job()] })).toEqual([]);
    expect(plan({ launchers: [launcher({ maximum: 2 }, [leaving])], waiting: [job()] })).toHaveLength(1);
  });

  it('puts several small jobs on one worker', () => {
    const two = launcher({ worker: { count: 2 } });
    expect(plan({ launchers: [two], waiting: [job(), job(), job()] })).toHaveLength(2);
  });

  it('takes the first launcher that fits: kind, number, memory and labels', () => {
    const launchers = [
      launcher({ name: 'small', worker: { kind: 'gpu', memoryMb: 1000 } }),
      launcher({ name: 'large', worker: { kind: 'gpu', count: 2, labels: ['h200'] } }),
    ];
    const one = (needs: Partial<WaitingJob['needs']>): string[] => plan({ launchers, waiting: [job(needs)] });
    expect(one({ kind: 'gpu', memoryMb: 1000 })).toEqual(['small for p']);
    expect(one({ kind: 'gpu', memoryMb: 1001 })).toEqual(['large for p']);
    expect(one({ kind: 'gpu', count: 2 })).toEqual(['large for p']);
    expect(one({ kind: 'gpu', labels: ['h200'] })).toEqual(['large for p']);
    expect(one({ kind: 'gpu', count: 3 })).toEqual([]);
    expect(one({ kind: 'cpu' })).toEqual([]);
    expect(one({ kind: 'gpu', labels: ['other'] })).toEqual([]);
  });

  it('respects the limit per project, the quota of a key, and a launcher that backs off', () => {
    const limited = launcher({ perProject: 1 }, [{ project: 'p' }]);
    const waiting = [job(), job({}, { project: 'q' })];
    expect(plan({ launchers: [limited], waiting })).toEqual(['a for q']);
    const quotaOf = (createdBy: string): number | null => (createdBy === 'k' ? 1 : null);
    const jobs = [job(), job(), job({}, { createdBy: 'other' })];
    expect(plan({ launchers: [launcher({})], waiting: jobs, quotaOf })).toHaveLength(2);
    expect(plan({ launchers: [{ ...launcher({}), isClosed: true }], waiting })).toEqual([]);
    const next = [{ ...launcher({}), isClosed: true }, launcher({ name: 'b' })];
    expect(plan({ launchers: next, waiting: [job()] })).toEqual(['b for p']);
  });

  it('names workers to come that no job needs any more, beyond the minimum', () => {
    const unneeded = (given: Given, waiting: WaitingJob[]): readonly string[] => {
      const launchers = [launcher(given, [{}, { isComing: true }, { isComing: true }])];
      return planLaunches({ launchers, free: [], waiting, quotaOf: () => null }).unneeded;
    };
    expect(unneeded({}, [])).toEqual(['a-2', 'a-1']);
    expect(unneeded({}, [job()])).toEqual(['a-2']);
    expect(unneeded({}, [job(), job()])).toEqual([]);
    expect(unneeded({ minimum: 2 }, [])).toEqual(['a-2']);
    expect(unneeded({ minimum: 3 }, [])).toEqual([]);
  });

  it('fills up to the minimum without jobs, for no project', () => {
    expect(plan({ launchers: [launcher({ minimum: 2 })] })).toEqual(['a for ', 'a for ']);
    expect(plan({ launchers: [launcher({ minimum: 2 }, [{}, { isLeaving: true }])] })).toEqual(['a for ']);
    // a worker of the minimum serves a job that waits
    expect(plan({ launchers: [launcher({ minimum: 1 })], waiting: [job()] })).toEqual(['a for ']);
  });
});
