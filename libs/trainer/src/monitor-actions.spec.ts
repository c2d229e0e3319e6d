import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { AppError, type RunEvent, runLayout } from '@espalier/contracts';
import { isRepeatable } from '@espalier/contracts/metric';
import { afterAll, describe, expect, it } from 'vitest';
import { exploding, fragileEngine, rollBack } from './testing/fragile-run.js';
import { trainTiny } from './testing/tiny-run.js';
import type { TrainerState } from './trainer-state.js';

const root = mkdtempSync(join(tmpdir(), 'espalier-actions-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));

const monitorEvents = (events: readonly RunEvent[]) =>
  events.flatMap((event) => (event.kind === 'monitor' ? [event] : []));
/** What equal runs have in common. */
const traceOf = (events: readonly RunEvent[]): object[] =>
  events.flatMap((event): object[] => {
    if (event.kind === 'monitor') return [{ ...event, time: 0 }];
    if (event.kind !== 'metrics') return [];
    const values = Object.entries(event.values).filter(([name]) => isRepeatable(name));
    return [{ step: event.step, values: Object.fromEntries(values) }];
  });

describe('a roll-back', () => {
  it('returns to a checkpoint from before the collapse, with other settings, and the run goes on', async () => {
    const { events, folder, summary, engine } = await trainTiny(root, {
      folder: 'back',
      engine: fragileEngine(),
      spec: exploding(rollBack),
    });
    expect(summary).toMatchObject({ outcome: 'finished', step: 14 });
    const [acted, ...others] = monitorEvents(events).filter(({ action }) => action === 'rollBack');
    const restored = monitorEvents(events).filter((event) => event.restored !== null);
    expect(acted).toMatchObject({
      previous: expect.stringMatching(/healthy|warning/) as string,
      state: 'collapsed',
    });
    expect(others).toHaveLength(1);
    expect(restored).toMatchObject([
      {
        previous: 'collapsed',
        state: 'healthy',
        changes: [{ path: 'optimizer.learningRate', from: 4, to: 0.04 }],
      },
    ]);
    expect(restored[0]?.restored).toBeLessThan(acted?.step ?? 0);
    // it plays again, and learns with the new rate
    const last = events.findLast((event) => event.kind === 'metrics');
    expect(last?.values).toMatchObject({ 'rollout/format_valid_share': 1, 'policy/learning_rate': 0.04 });
    expect(Math.abs(engine.weight() - 0.5)).toBeLessThan(1);
    const codes = events.flatMap((event) => (event.kind === 'warning' ? [event.code] : []));
    expect(codes).toContain('monitor.rolled_back');
    // the spec of the run stays what it was
    const { optimizer } = JSON.parse(readFileSync(join(folder, 'spec.json'), 'utf8')) as {
      optimizer: { learningRate: number };
    };
    expect(optimizer.learningRate).toBe(4);
  });

  it('does the same in a run that ended at any step around it and resumed', async () => {
    const spec = exploding(rollBack);
    const whole = await trainTiny(root, { folder: 'whole', engine: fragileEngine(), spec });
    const at = monitorEvents(whole.events).find(({ restored }) => restored !== null)?.step ?? 0;
    expect(at).toBeGreaterThan(2);
    for (const steps of [at - 1, at, at + 1]) {
      const folder = `part-${steps}`;
      const first = await trainTiny(root, { folder, engine: fragileEngine(), spec: { ...spec, steps } });
      const second = await trainTiny(root, { folder, engine: fragileEngine(), spec, resume: true });
      expect([...traceOf(first.events), ...traceOf(second.events)]).toEqual(traceOf(whole.events));
      expect(second.engine.weight()).toBe(whole.engine.weight());
    }
  });

  it('restores every byte of weights and moments, and what the monitor remembered', async () => {
    const { events, folder } = await trainTiny(root, {
      folder: 'exact',
      engine: fragileEngine(),
      spec: exploding(rollBack, {
        algorithm: { use: 'tiny', critic: true, critics: 2 },
        criticOptimizer: { learningRate: 1e-3 },
        checkpoint: { every: 1, keep: 20 },
      }),
    });
    const event = monitorEvents(events).find(({ restored }) => restored !== null);
    const at = (step: number, file: string): string =>
      readFileSync(join(folder, 'checkpoints', runLayout.stepName(step), file), 'utf8');
    const [from, to] = [event?.restored ?? 0, event?.step ?? 0];
    expect(to).toBeGreaterThan(from);
    for (const file of ['model.safetensors', 'optimizer.json'])
      for (const model of ['policy', 'critic', 'critic-2'])
        expect(at(to, `${model}/${file}`)).toBe(at(from, `${model}/${file}`));
    const [then, now] = [from, to].map((step) => JSON.parse(at(step, 'state.json')) as TrainerState);
    expect(now?.health).toEqual({
      ...then?.health,
      since: to,
      evidence: expect.stringMatching(
        /^back to step \d+, optimizer.learningRate 4 → 0.04; roll-back 1/,
      ) as string,
      calm: 0,
    });
    expect(now).toMatchObject({
      step: to,
      recovery: { rollBacks: 1, pending: null, settings: { 'optimizer.learningRate': 0.04 } },
    });
    // what was done stays counted, and no state is played twice
    expect(now?.episodes).toBe(to * 12);
    expect(now?.criticSteps).toBe(to);
    const states = events.flatMap((one) => (one.kind === 'trajectory' ? [one.trajectory.seeds.state] : []));
    expect(new Set(states).size).toBe(states.length / 4);
  });

  it('returns to an older checkpoint where the newest is damaged', async () => {
    const engine = fragileEngine();
    const folder = join(root, 'damaged');
    const spec = exploding(rollBack, { steps: 30, optimizer: { learningRate: 0.4 } });
    const plain = await trainTiny(root, { folder: 'undamaged', engine: fragileEngine(), spec });
    const expected = monitorEvents(plain.events).find(({ restored }) => restored !== null);
    const damaged = expected?.restored ?? 0;
    expect(damaged).toBeGreaterThan(0);
    const save = engine.policy.save.bind(engine.policy);
    Object.assign(engine.policy, {
      save: async (to: string, options: { optimizer: boolean }) => {
        await save(to, options);
        const file = join(folder, 'checkpoints', runLayout.stepName(damaged), 'state.json');
        if (existsSync(file)) writeFileSync(file, '{}');
      },
    });
    const { events, summary } = await trainTiny(root, { folder: 'damaged', engine, spec });
    const done = monitorEvents(events).find(({ restored }) => restored !== null);
    expect(done?.step).toBe(expected?.step);
    expect(done?.restored).toBeLessThan(damaged);
    expect(summary?.outcome).toBe('finished');
  });

  it('takes back the level of a curriculum, and says so', async () => {
    const { events, folder } = await trainTiny(root, {
      folder: 'level',
      engine: fragileEngine(),
      spec: exploding(rollBack, {
        checkpoint: { every: 1, keep: 20 },
        curriculum: {
          levels: [{ environment: {} }, { environment: {} }],
          start: 2,
          window: 3,
          promoteAt: 1,
          demoteBelow: 0.7,
          replay: 0,
        },
      }),
    });
    const done = monitorEvents(events).find(({ restored }) => restored !== null);
    expect(events).toContainEqual(expect.objectContaining({ kind: 'level', from: 2, to: 1 }));
    expect(done?.changes).toContainEqual({ path: 'environment.curriculum level', from: 1, to: 2 });
    const file = join(folder, 'checkpoints', runLayout.stepName(done?.step ?? 0), 'state.json');
    const { levels } = JSON.parse(readFileSync(file, 'utf8')) as TrainerState;
    expect(levels?.['']).toMatchObject({ level: 2, demotions: 0 });
  });

  it('to the start takes back the scale of the critic, which the start has not', async () => {
    const { events, folder } = await trainTiny(root, {
      folder: 'start',
      engine: fragileEngine(),
      spec: exploding(rollBack, {
        algorithm: { use: 'tiny', critic: true },
        criticOptimizer: { learningRate: 1e-3 },
        update: { maxSkipped: 0, valueNormalization: { use: 'running' } },
        checkpoint: { every: 20, keep: 2 },
      }),
    });
    const done = monitorEvents(events).find(({ restored }) => restored !== null);
    expect(done?.restored).toBe(0);
    const rows = events.flatMap((event) => (event.kind === 'metrics' ? [event] : []));
    expect(rows.find(({ step }) => step === done?.step)?.values).toHaveProperty('critic/return_mean');
    const file = join(folder, 'checkpoints', runLayout.stepName(done?.step ?? 0), 'state.json');
    const state = JSON.parse(readFileSync(file, 'utf8')) as TrainerState;
    expect(state.recovery.rollBacks).toBe(1);
    expect(state.returns).toBeUndefined();
  });

  it('leaves the end of a learning-rate schedule where it was when it changes the epochs', async () => {
    const schedule = { kind: 'linear', warmupSteps: 0 };
    const { events } = await trainTiny(root, {
      folder: 'schedule',
      engine: fragileEngine(),
      spec: exploding(
        { onCollapse: { action: 'rollBack', change: { 'update.epochs': { to: 1 } } } },
        { update: { maxSkipped: 0, epochs: 4 }, optimizer: { learningRate: 1, schedule }, steps: 20 },
      ),
    });
    const at = monitorEvents(events).find(({ restored }) => restored !== null)?.step ?? 0;
    expect(at).toBeGreaterThan(0);
    // 4 steps are planned for each iteration before, 1 for each after; iterations without signal make none
    const planned = at * 4 + (20 - at);
    let made = 0;
    for (const one of events) {
      const rate = one.kind === 'metrics' ? one.values['policy/learning_rate'] : undefined;
      if (one.kind !== 'metrics' || rate === undefined) continue;
      // the rate of the last step of the iteration
      made += one.step > at ? 1 : 4;
      expect(rate).toBeCloseTo(1 - (made - 1) / (one.step > at ? planned : 80), 9);
    }
    expect(made).toBeGreaterThan(4);
  });

  it('stops the run where it has been done as often as it may', async () => {
    const monitor = { maxRollBacks: 1, onCollapse: { action: 'rollBack', change: {} } };
    const { events, summary } = await trainTiny(root, {
      folder: 'again',
      engine: fragileEngine(),
      spec: exploding(monitor, { steps: 40 }),
    });
    expect(summary).toMatchObject({ outcome: 'collapsed', reason: 'collapse' });
    expect(events).toContainEqual(
      expect.objectContaining({
        code: 'monitor.cannot_roll_back',
        message: expect.stringContaining('as often as it may, 1 times (monitor.maxRollBacks)') as string,
      }),
    );
  });

  it('is refused where its checkpoint is gone, and the run stops', async () => {
    const folder = join(root, 'gone');
    const engine = fragileEngine();
    const { summary, events } = await trainTiny(root, {
      folder: 'gone',
      engine: {
        ...engine,
        policy: new Proxy(engine.policy, {
          get(target, name) {
            if (name === 'save')
              return async (to: string, options: { optimizer: boolean }) => {
                await target.save(to, options);
                // as if somebody tidied up
                for (const old of existsSync(join(folder, 'checkpoints'))
                  ? readdirSync(join(folder, 'checkpoints'))
                  : [])
                  if (/^step-/.test(old)) rmSync(join(folder, 'checkpoints', old), { recursive: true });
              };
            return Reflect.get(target, name) as unknown;
          },
        }),
      },
      spec: exploding(rollBack),
    });
    expect(summary?.outcome).toBe('collapsed');
    expect(events).toContainEqual(
      expect.objectContaining({
        code: 'monitor.cannot_roll_back',
        message: expect.stringContaining('no healthy checkpoint is left') as string,
      }),
    );
  });
});

describe('the other actions', () => {
  it('pause: the run saves, ends and goes on when it is resumed', async () => {
    const spec = exploding({ onCollapse: { action: 'pause' } });
    const paused = await trainTiny(root, { folder: 'pause', engine: fragileEngine(), spec });
    expect(paused.summary).toMatchObject({ outcome: 'paused', reason: 'pause' });
    expect(paused.events.at(-1)).toMatchObject({ kind: 'run-ended', outcome: 'paused' });
    const resumed = await trainTiny(root, { folder: 'pause', engine: fragileEngine(), spec, resume: true });
    expect(resumed.summary).toMatchObject({ outcome: 'finished', step: 14 });
  });

  it('stop: the run saves and ends, and a collapse out of health is no less than a warning', async () => {
    const spec = exploding({ onWarning: { action: 'stop' } });
    const { summary, folder } = await trainTiny(root, { folder: 'stop', engine: fragileEngine(), spec });
    expect(summary).toMatchObject({ outcome: 'collapsed' });
    expect(existsSync(summary?.checkpoint ?? join(folder, 'none'))).toBe(true);
  });

  it('stop: the run is measured as it ends, also when the measuring is stopped and resumed', async () => {
    const spec = exploding(
      { onWarning: { action: 'stop' } },
      { validation: { every: 0, atStart: false, episodes: 4 } },
    );
    const measuredAt = (events: readonly RunEvent[]): number[] =>
      events.flatMap((event) =>
        event.kind === 'metrics' && 'validation/success_rate' in event.values ? [event.step] : [],
      );
    const { summary, events } = await trainTiny(root, { folder: 'measured', engine: fragileEngine(), spec });
    expect([summary?.outcome, measuredAt(events)]).toEqual(['collapsed', [summary?.step]]);
    const stop = new AbortController();
    const stopped = await trainTiny(root, {
      folder: 'measured-later',
      engine: fragileEngine(),
      spec,
      signal: stop.signal,
      onEvent: (event) => {
        if (event.kind === 'phase' && event.phase === 'validate') stop.abort();
      },
    });
    expect([stopped.summary?.reason, measuredAt(stopped.events)]).toEqual(['stop-request', []]);
    const resumed = await trainTiny(root, {
      folder: 'measured-later',
      engine: fragileEngine(),
      spec,
      resume: true,
    });
    expect([resumed.summary?.outcome, measuredAt(resumed.events)]).toEqual(['collapsed', [summary?.step]]);
  });

  it('stop: a run that cannot be measured ends as collapsed all the same, and says so', async () => {
    const engine = fragileEngine();
    let isEnding = false;
    const { summary, events } = await trainTiny(root, {
      folder: 'unmeasured',
      engine: {
        ...engine,
        policy: new Proxy(engine.policy, {
          get(target, name) {
            if (name === 'sample' && isEnding) throw new AppError('runtime.run_failed', 'run session: no');
            return Reflect.get(target, name) as unknown;
          },
        }),
      },
      spec: exploding(
        { onWarning: { action: 'stop' } },
        { validation: { every: 0, atStart: false, episodes: 4 } },
      ),
      onEvent: (event) => {
        if (event.kind === 'phase' && event.phase === 'validate') isEnding = true;
      },
    });
    expect([summary?.outcome, summary?.reason]).toEqual(['collapsed', 'collapse']);
    expect(events).toContainEqual(
      expect.objectContaining({
        code: 'trainer.validation_failed',
        message: expect.stringContaining('where the monitor ends the run') as string,
      }),
    );
  });

  it('alert: the run goes on', async () => {
    const { summary, events } = await trainTiny(root, {
      folder: 'alert',
      engine: fragileEngine(),
      spec: exploding({}),
    });
    expect(summary?.outcome).toBe('finished');
    expect(new Set(monitorEvents(events).map(({ action }) => action))).toEqual(new Set(['alert']));
  });
});
