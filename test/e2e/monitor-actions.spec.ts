/** @file What the collapse monitor does to runs of a server with a real worker, and what its API says about it. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { RunEvent } from '@espalier/contracts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { callCli } from '../support/call-cli.js';
import { makeSprout, sproutSpec } from '../support/sprout.js';
import { startUp, type UpProcess } from '../support/start-up.js';

let up: UpProcess;
let model: string;
beforeAll(async () => {
  up = await startUp();
  model = await makeSprout(up.folder);
}, 120_000);
afterAll(() => up.close(), 120_000);

interface StoredEvent {
  readonly kind: string;
  readonly step: number;
  readonly body: Readonly<Record<string, unknown>>;
}

/** A run of few steps whose second epoch passes the limit of a rule, as any drift does. */
function drifting(name: string, response: object): string {
  const config = join(up.folder, `${name}.yaml`);
  const monitor = {
    patience: 1,
    rules: { 'update-drift': { warning: 1e-6, collapsed: null } },
    onWarning: response,
  };
  const spec = sproutSpec(model, {
    name,
    steps: 3,
    update: { epochs: 2 },
    validation: { every: 0, atStart: false, atEnd: false, episodes: 4 },
    checkpoint: { every: 1 },
    monitor,
  });
  writeFileSync(config, JSON.stringify(spec));
  return config;
}

async function eventsOf(id: string): Promise<readonly StoredEvent[]> {
  const response = await fetch(`${up.url}/api/v1/runs/${id}/events?first=500`, {
    headers: { authorization: `Bearer ${up.key}` },
  });
  expect(response.status).toBe(200);
  const { records } = (await response.json()) as { records: readonly StoredEvent[] };
  return records;
}

async function playToEnd(name: string, response: object) {
  const { id } = await up.json<{ id: string }>('run', 'create', drifting(name, response), '--name', name);
  const { code } = await up.cli('run', 'watch', name);
  const events = await eventsOf(id);
  const bodiesOf = (kind: string) =>
    events.filter((one) => one.kind === kind).map(({ step, body }) => ({ step, ...body }));
  const run = await up.json('run', 'show', name);
  return { code, run, bodiesOf };
}

describe('a run of a server that its monitor', () => {
  it('rolls back goes on from the restored step with the changed setting, and ends healthy', async () => {
    const change = { 'update.epochs': { to: 1 } };
    const { code, run, bodiesOf } = await playToEnd('returning', { action: 'rollBack', change });
    expect([code, run]).toEqual([
      0,
      expect.objectContaining({ state: 'finished', step: 3, health: 'healthy' }),
    ]);
    const [acted, restored, ...others] = bodiesOf('monitor');
    expect(acted).toMatchObject({ step: 1, state: 'warning', action: 'rollBack', restored: null });
    expect(restored).toMatchObject({
      step: 1,
      previous: 'warning',
      state: 'healthy',
      action: 'rollBack',
      restored: 0,
      changes: [{ path: 'update.epochs', from: 2, to: 1 }],
    });
    expect(others).toEqual([]);
    expect(bodiesOf('warning')).toContainEqual(expect.objectContaining({ code: 'monitor.rolled_back' }));
    const evidence = expect.stringContaining('back to step 0, update.epochs 2 → 1') as string;
    expect(bodiesOf('run-ended')).toMatchObject([
      { outcome: 'finished', health: { state: 'healthy', since: 1, evidence } },
    ]);
  }, 60_000);

  it.each([
    ['stop', 'collapsed', 'failed', 5],
    ['pause', 'paused', 'paused', 75],
  ])(
    'is to %s ends at once and says by which rule',
    async (action, outcome, state, exitCode) => {
      const { code, run, bodiesOf } = await playToEnd(action, { action });
      expect([code, run]).toEqual([exitCode, expect.objectContaining({ state, step: 1, health: 'warning' })]);
      expect(bodiesOf('monitor')).toMatchObject([
        {
          step: 1,
          state: 'warning',
          action,
          restored: null,
          changes: [],
          findings: [{ rule: 'update-drift', level: 'warning', limit: 1e-6, since: 1 }],
        },
      ]);
      const evidence = expect.stringContaining('update-drift: policy/approx_kl is ') as string;
      expect(bodiesOf('run-ended')).toMatchObject([
        { outcome, health: { state: 'warning', since: 1, evidence } },
      ]);
    },
    60_000,
  );
});

describe('the health of a run without a server', () => {
  it('is in the last line of train --json and in every line of show --json', async () => {
    const words = ['train', drifting('local', { action: 'alert' }), '--out', join(up.folder, 'local')];
    const { code, stdout } = await callCli([...words, '--json']);
    expect(code).toBe(0);
    const last = JSON.parse(stdout.trim().split('\n').at(-1) ?? '') as Extract<
      RunEvent,
      { kind: 'run-ended' }
    >;
    const health = {
      state: 'warning',
      since: 1,
      evidence: expect.stringContaining('update-drift') as string,
    };
    expect(last).toMatchObject({ kind: 'run-ended', outcome: 'finished', health });
    const shown = await callCli(['show', join(up.folder, 'local'), '--limit', '2', '--json']);
    const lines = shown.stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as object);
    expect(lines).toMatchObject([{ health }, { health }]);
  }, 60_000);
});
