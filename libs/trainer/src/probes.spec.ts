import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { RunEvent } from '@espalier/contracts';
import { writeManifest } from '@espalier/files';
import { afterAll, describe, expect, it } from 'vitest';
import { estimateDrift } from './probes.js';
import { trainTiny } from './testing/tiny-run.js';

const root = mkdtempSync(join(tmpdir(), 'espalier-probes-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));

const spec = {
  steps: 6,
  validation: { every: 0, atStart: false, atEnd: false },
  checkpoint: { every: 1, keep: 9 },
  optimizer: { learningRate: 0.1 },
  monitor: { probes: { every: 2, prompts: 3 } },
};
const driftIn = (events: readonly RunEvent[]) =>
  events.flatMap((event) =>
    event.kind === 'metrics' ? [[event.step, event.values['monitor/probe_kl']] as const] : [],
  );
const codesIn = (events: readonly RunEvent[]) =>
  events.flatMap((event) => (event.kind === 'warning' ? [event.code] : []));
const probesAt = (folder: string, step: number): string =>
  join(folder, 'checkpoints', `step-00000${step}`, 'probes.json');

describe('estimateDrift', () => {
  it('is the mean of r − 1 − log r, and of the changes', () => {
    // log-probabilities fell by log 2 and rose by log 3
    const found = estimateDrift([-Math.log(2), Math.log(3)]);
    expect(found['monitor/probe_kl']).toBeCloseTo((0.5 - 1 + Math.log(2) + (3 - 1 - Math.log(3))) / 2, 12);
    expect(found['monitor/probe_logprob_change']).toBeCloseTo((Math.log(2) + Math.log(3)) / 2, 12);
    expect(estimateDrift([0, 0])).toEqual({ 'monitor/probe_kl': 0, 'monitor/probe_logprob_change': 0 });
  });

  it('is never below zero', () => {
    for (let change = -8; change <= 8; change += 0.25)
      expect(estimateDrift([change])['monitor/probe_kl']).toBeGreaterThanOrEqual(0);
  });
});

describe('drift on probes', () => {
  it('is measured at its cadence, against the start, and grows as the weight moves', async () => {
    const { events, folder } = await trainTiny(root, { folder: 'plain', spec });
    const drift = driftIn(events);
    expect(drift.map(([step, value]) => [step, value !== undefined])).toEqual([
      [1, true],
      [2, false],
      [3, true],
      [4, false],
      [5, true],
      [6, false],
    ]);
    const [first = 0, , third = 0, , fifth = 0] = drift.map(([, value]) => value);
    expect(first).toBeGreaterThan(0);
    expect(third).not.toBe(first);
    expect(fifth).not.toBe(third);
    const probes = JSON.parse(readFileSync(probesAt(folder, 6), 'utf8')) as unknown[];
    expect(probes).toHaveLength(3);
  });

  it('is the same, bit for bit, in a run that was stopped and resumed', async () => {
    const whole = await trainTiny(root, { folder: 'whole', spec });
    for (const steps of [1, 4]) {
      const folder = `part-${steps}`;
      const first = await trainTiny(root, { folder, spec: { ...spec, steps } });
      const second = await trainTiny(root, { folder, spec, resume: true });
      expect([...driftIn(first.events), ...driftIn(second.events)]).toEqual(driftIn(whole.events));
      expect(readFileSync(probesAt(second.folder, 6))).toEqual(readFileSync(probesAt(whole.folder, 6)));
    }
  });

  it('is a recorded skip where a checkpoint has no probes, and the run goes on', async () => {
    const off = { ...spec, steps: 2, monitor: { probes: { every: 0 } } };
    const { folder, events: before } = await trainTiny(root, { folder: 'late', spec: off });
    expect(existsSync(probesAt(folder, 2))).toBe(false);
    expect(codesIn(before)).toEqual([]);
    const { events, summary } = await trainTiny(root, { folder: 'late', spec, resume: true });
    expect(summary?.outcome).toBe('finished');
    expect(driftIn(events).map(([, value]) => value)).toEqual(new Array(4).fill(undefined));
    expect(events).toContainEqual(
      expect.objectContaining({
        code: 'monitor.no_probes',
        message: expect.stringContaining('the checkpoint of step 2 has no probes') as string,
      }),
    );
  });

  it('refuses a checkpoint whose probes are damaged', async () => {
    const { folder } = await trainTiny(root, { folder: 'damaged', spec: { ...spec, steps: 1 } });
    writeFileSync(probesAt(folder, 1), '[{"tokens": [1, 2], "start": 1, "logprobs": []}]');
    writeManifest(join(folder, 'checkpoints', 'step-000001'));
    await expect(trainTiny(root, { folder: 'damaged', spec, resume: true })).rejects.toThrow(
      '"probes.json" lacks tokens or log-probabilities',
    );
  });
});
