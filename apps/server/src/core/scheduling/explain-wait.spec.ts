import { describe, expect, it } from 'vitest';
import { cpuSlots, gpus } from '../../../../../test/support/simulated-worker.js';
import { explainWait, type WaitContext, type WaitWorker } from './explain-wait.js';

const needs = { kind: 'gpu' as const, count: 2, memoryMb: 0, labels: [] as string[] };
const worker = (name: string, count: number, more: Partial<WaitWorker> = {}): WaitWorker => ({
  name,
  labels: [],
  devices: gpus(count),
  free: [],
  reserved: null,
  isDraining: false,
  conflicts: [],
  ...more,
});
const context = (more: Partial<WaitContext>): WaitContext => ({
  needs,
  workers: [worker('a', 8)],
  before: 3,
  reserved: null,
  quota: null,
  backoff: null,
  ...more,
});

describe('why a job waits that keeps plugins', () => {
  const conflicts = ['environment coin 2.0.0 (bb), the run began with 1.0.0 (aa)'];
  const other = worker('w2', 8, { free: gpus(8), conflicts });
  const acceptance = 'let it go on';
  const sentence =
    'The worker "w2" has environment coin 2.0.0 (bb), the run began with 1.0.0 (aa): install the plugins that the run started with there, or let it go on.';

  it('is that every worker has others', () => {
    expect(explainWait(context({ workers: [other], acceptance }))).toBe(sentence);
    const small = worker('w1', 1, { free: gpus(1) });
    expect(explainWait(context({ workers: [other, small], acceptance }))).toBe(sentence);
  });

  it('is that those with the same are busy, beside ones with others', () => {
    const told = explainWait(context({ workers: [other, worker('w1', 8)], acceptance }));
    expect(told).toBe(`All 8 GPUs are busy; 3 jobs are ahead of it. ${sentence}`);
  });
});

describe('why a job waits', () => {
  it('is that nobody is connected', () => {
    expect(explainWait(context({ workers: [] }))).toMatch(/^No worker is connected/);
  });

  it('is that no worker is large enough', () => {
    expect(explainWait(context({ workers: [worker('a', 1)] }))).toBe(
      'No worker has 2 GPUs; the largest has 1.',
    );
  });

  it('is that devices of the kind are missing altogether', () => {
    const cpu = worker('a', 0, { devices: cpuSlots(4), free: cpuSlots(4) });
    expect(explainWait(context({ workers: [cpu] }))).toBe('No worker has 2 GPUs; the largest has 0.');
  });

  it('is that devices have too little memory, and how much there is', () => {
    const large = { ...needs, memoryMb: 100_000 };
    expect(explainWait(context({ needs: large }))).toBe(
      'No worker has 2 GPUs with 100000 MiB each; the most is 80000 MiB.',
    );
  });

  it('is that the worker that would do has been silent', () => {
    const silent = worker('a', 8, { free: gpus(8), isSilent: true });
    expect(explainWait(context({ workers: [silent] }))).toMatch(/^The worker "a" would fit but is silent/);
    const busy = worker('b', 2);
    expect(explainWait(context({ workers: [silent, busy] }))).toBe(
      'All 2 GPUs are busy; 3 jobs are ahead of it.',
    );
  });

  it('is a label that nobody has', () => {
    expect(explainWait(context({ needs: { ...needs, labels: ['a100'] } }))).toBe(
      'No connected worker has the label "a100".',
    );
  });

  it('is that the only suitable device is busy', () => {
    const one = context({ needs: { ...needs, count: 1 }, workers: [worker('a', 1)], before: 0 });
    expect(explainWait(one)).toBe('The only GPU is busy; it is the next.');
  });

  it('is that all suitable devices are busy, and who is before it', () => {
    expect(explainWait(context({}))).toBe('All 8 GPUs are busy; 3 jobs are ahead of it.');
    expect(explainWait(context({ before: 0 }))).toBe('All 8 GPUs are busy; it is the next.');
  });

  it('is that free devices lie apart', () => {
    const apart = ['a', 'b'].map((name) => worker(name, 4, { free: gpus(1) }));
    expect(explainWait(context({ workers: apart, before: 1 }))).toBe(
      'No worker has 2 GPUs free at once; 2 of 8 are free in all, and 1 job is ahead of it.',
    );
  });

  it('is that devices are being kept for it, and how many of them are free', () => {
    const large = { ...needs, count: 8 };
    const workers = [worker('a', 8, { free: gpus(5) })];
    expect(explainWait(context({ needs: large, workers, reserved: { worker: 'a', free: 5 } }))).toBe(
      'It has waited long, so devices of worker "a" are reserved for it: 5 of the 8 GPUs it needs are free.',
    );
  });

  it('is that what is free is kept for a job before it', () => {
    const reserved = { jobId: 'job-7', devices: gpus(2) };
    expect(explainWait(context({ workers: [worker('a', 8, { reserved })], before: 1 }))).toBe(
      'Free devices of worker "a" are reserved for job job-7, which is ahead of it and has waited long; 1 job is ahead of it.',
    );
  });

  it('does not name a job of another project for which devices are kept', () => {
    const reserved = { jobId: null, devices: gpus(2) };
    expect(explainWait(context({ workers: [worker('a', 8, { reserved })], before: 1 }))).toMatch(
      /^Free devices of worker "a" are reserved for another project's job, which is ahead of it/,
    );
  });

  it('is maxRunning of the key that created it, which is not named', () => {
    const of = (running: number, limit: number): string =>
      explainWait(context({ quota: { running, limit } }));
    expect(of(2, 2)).toBe('The key that created it runs 2 of at most 2 jobs; one of them has to end first.');
    expect(of(1, 1)).toBe('The key that created it runs 1 of at most 1 job; one of them has to end first.');
  });

  it('is never the end of another job where maxRunning is 0', () => {
    expect(explainWait(context({ quota: { running: 0, limit: 0 } }))).toBe(
      'The key that created it may run no jobs (its maxRunning is 0); create it again with another key.',
    );
  });

  it('is a fault of the only device that would do', () => {
    const [first, second] = gpus(2);
    if (first === undefined || second === undefined) throw new Error('two GPUs expected');
    const devices = [first, { ...second, faults: ['XID 79: fallen off the bus'] }];
    expect(explainWait(context({ workers: [worker('a', 2, { devices, free: [first] })] }))).toBe(
      'The device "NVIDIA H200" (GPU-1) of worker "a" is drained because of XID 79: fallen off the bus.',
    );
  });

  it('is that the worker was drained by a person', () => {
    const drained = worker('a', 2, { free: gpus(2), isDraining: true });
    expect(explainWait(context({ workers: [drained] }))).toMatch(/^The worker "a" would fit but is drained/);
  });

  it('is a rest after a failure, until when', () => {
    const backoff = { until: '2026-11-21T14:00:00.000Z', reason: 'failure 1 of 3: no room' };
    expect(explainWait(context({ backoff }))).toBe(
      'It backs off until 2026-11-21T14:00:00.000Z: failure 1 of 3: no room',
    );
  });
});
