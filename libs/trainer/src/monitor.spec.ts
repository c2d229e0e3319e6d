import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { RunEvent, TrajectoryGroup } from '@espalier/contracts';
import { afterAll, describe, expect, it } from 'vitest';
import { measureText } from './monitor.js';
import { tinyEngine, trainTiny } from './testing/tiny-run.js';

const root = mkdtempSync(join(tmpdir(), 'espalier-monitor-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));

const groupOf = (...thoughts: string[]): TrajectoryGroup =>
  ({ trajectories: thoughts.map((think) => ({ turns: [{ think, response: `${think}!` }] })) }) as never;

describe('what is said to different prompts', () => {
  it('is compared between groups, member by member', () => {
    // first members "a b c" and "a b d": bigrams ab bc ab bd, 3 of 4 distinct; second members are the same
    const values = measureText([groupOf('a b c', 'x y'), groupOf('a b d', 'x y')]);
    expect(values['monitor/distinct_2']).toBeCloseTo((3 / 4 + 1 / 2) / 2, 12);
    // precisions 2/3, 1/2 and, smoothed, 1/2 either way; equal texts have 1
    expect(values['monitor/self_bleu']).toBeCloseTo((Math.cbrt((2 / 3) * (1 / 2) * (1 / 2)) + 1) / 2, 12);
  });

  it('is the reply where nothing is reasoned, and nothing where there is one prompt or none', () => {
    expect(measureText([groupOf(''), groupOf('')])).toEqual({ 'monitor/self_bleu': 1 });
    expect(measureText([groupOf('a b')])).toEqual({ 'monitor/distinct_2': 1 });
    expect(measureText([])).toEqual({});
  });
});

/** An engine whose replies lose their format from the second update on. */
function decayingEngine() {
  let learned = 0;
  return tinyEngine({
    onLearn: () => void (learned += 1),
    say: (draw) => (learned < 3 || draw < 0.2 ? `${draw < 0.5 ? 'Left' : 'Right'}</answer><end>` : 'ah<end>'),
  });
}
const spec = { steps: 9, validation: { every: 0, atStart: false, atEnd: false } };
const monitorEvents = (events: readonly RunEvent[]) =>
  events.flatMap((event) => (event.kind === 'monitor' ? [event] : []));
const statesIn = (events: readonly RunEvent[]) =>
  events.flatMap((event) => (event.kind === 'metrics' ? [event.values['monitor/state']] : []));

describe('a run that loses its format', () => {
  it('is found to do so in each environment of several', async () => {
    const own = { environment: { use: 'guess' }, maxTurns: 3, maxActions: 3, maxActionsPerTurn: 1 };
    const environments = { near: { ...own, groups: 2 }, far: { ...own, groups: 2 } };
    const { events } = await trainTiny(root, {
      folder: 'tags',
      engine: decayingEngine(),
      spec: { ...spec, environment: undefined, environments },
    });
    const findings = monitorEvents(events).flatMap((event) => event.findings);
    for (const input of ['validFormat', 'tag/near/validFormat', 'tag/far/validFormat'])
      expect(findings.map((finding) => finding.input)).toContain(input);
    expect(monitorEvents(events).at(-1)?.message).toContain('invalid-format in near: ');
  });

  it('is warned of and called collapsed, with the rule, in metrics, events and alerts', async () => {
    const { events } = await trainTiny(root, { folder: 'decay', engine: decayingEngine(), spec });
    expect(statesIn(events)).toEqual([0, 0, 0, 0, 1, 2, 2, 2, 2]);
    expect(monitorEvents(events)).toMatchObject([
      { step: 5, previous: 'healthy', state: 'warning' },
      {
        step: 6,
        previous: 'warning',
        state: 'collapsed',
        findings: expect.arrayContaining([
          expect.objectContaining({ rule: 'invalid-format', level: 'collapsed', since: 4, limit: 0.6 }),
        ]) as unknown,
      },
    ]);
    const codes = events.flatMap((event) => (event.kind === 'warning' ? [event.code] : []));
    expect(codes).toEqual(['monitor.warning', 'monitor.collapsed']);
    const last = events.findLast((event) => event.kind === 'metrics');
    expect(last?.values).toMatchObject({ 'monitor/rule_invalid_format': 2, 'monitor/rule_update_drift': 0 });
  });

  it('is called the same when it was stopped and resumed in between', async () => {
    const whole = await trainTiny(root, { folder: 'whole', engine: decayingEngine(), spec });
    // the engine counts its updates, so both halves share one
    const engine = decayingEngine();
    await trainTiny(root, { folder: 'half', engine, spec: { ...spec, steps: 5 } });
    const resumed = await trainTiny(root, { folder: 'half', engine, resume: true, spec });
    expect(statesIn(resumed.events)).toEqual(statesIn(whole.events).slice(5));
    expect(monitorEvents(resumed.events)).toEqual(
      monitorEvents(whole.events)
        .slice(1)
        .map((event) => ({ ...event, time: expect.any(Number) as number })),
    );
  });

  it('is checked as often as its settings say, or not at all', async () => {
    const rare = await trainTiny(root, {
      folder: 'rare',
      engine: decayingEngine(),
      spec: { ...spec, monitor: { every: 4 } },
    });
    expect(statesIn(rare.events).flatMap((state, index) => (state === undefined ? [] : [index + 1]))).toEqual(
      [4, 8],
    );
    const off = await trainTiny(root, {
      folder: 'off',
      engine: decayingEngine(),
      spec: { ...spec, monitor: { every: 0 } },
    });
    expect(statesIn(off.events)).toEqual(new Array(9).fill(undefined));
    expect(monitorEvents(off.events)).toEqual([]);
  });
});

describe('a healthy run', () => {
  it('stays silent, and counts validations', async () => {
    const { events, folder } = await trainTiny(root, { folder: 'fine', spec: { steps: 6 } });
    expect(new Set(statesIn(events).filter((state) => state !== undefined))).toEqual(new Set([0]));
    cpSync(folder, join(root, 'again'), { recursive: true });
    const { events: none } = await trainTiny(root, { folder: 'again', resume: true, spec: { steps: 6 } });
    expect(monitorEvents(none)).toEqual([]);
  });
});
