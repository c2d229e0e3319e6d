import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { RunSpec } from '@espalier/contracts';
import type { RunSummary } from '@espalier/trainer';
import { afterAll, describe, expect, it } from 'vitest';
import type { Console } from '../console.js';
import { exitCodeOfRun, generalizationLines, reportRun } from './report-run.js';

const summary = (outcome: RunSummary['outcome'], reason: RunSummary['reason']): RunSummary => ({
  outcome,
  reason,
  message: 'nothing to learn from at step 5 of 20; raise something',
  step: 5,
  checkpoint: 'runs/a-1/checkpoints/step-000005',
});

function linesOf(run: RunSummary, folder = 'runs/a-1'): string[] {
  const lines: string[] = [];
  const console = { line: (text: string) => void lines.push(text) } as unknown as Console;
  const spec = {
    environment: { use: 'bandit' },
    optimizer: { learningRate: 0.003 },
  } as unknown as RunSpec;
  const report = {
    folder,
    spec,
    resume: 'espalier train a --resume',
    validations: [],
    latest: {},
  };
  reportRun(run, report, console);
  return lines;
}

describe('reportRun', () => {
  it('says why a run ended early, and how to go on after a stop', () => {
    const where = 'run runs/a-1, model runs/a-1/checkpoints/step-000005';
    expect(linesOf(summary('finished', 'steps'))).toEqual([where]);
    expect(linesOf(summary('no-signal', 'no-signal'))).toEqual([
      where,
      'ended early: nothing to learn from at step 5 of 20; raise something',
    ]);
    expect(linesOf(summary('collapsed', 'collapse'))).toEqual([
      where,
      'ended early: nothing to learn from at step 5 of 20; raise something',
    ]);
    expect(linesOf(summary('paused', 'pause'))).toEqual([
      where,
      'ended early: nothing to learn from at step 5 of 20; raise something',
      'resume with: espalier train a --resume',
    ]);
    expect(linesOf(summary('interrupted', 'stop-request'))).toEqual([
      where,
      'interrupted at step 5; resume with: espalier train a --resume',
    ]);
  });
});

describe('reportRun after a collapse', () => {
  const folder = mkdtempSync(join(tmpdir(), 'espalier-report-'));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it('says what health was, also without signal, and how to go on from the last healthy checkpoint', () => {
    const change = { kind: 'monitor', step: 9, state: 'collapsed', message: 'bad' };
    writeFileSync(join(folder, 'events.jsonl'), `${JSON.stringify(change)}\n`);
    const lines = linesOf({ ...summary('no-signal', 'no-signal'), healthyStep: 3 }, folder);
    expect(lines[0]).toBe('health: collapsed since step 9: bad');
    expect(lines).toContainEqual(
      expect.stringMatching(/such as: .*train --fork .*@3 --set optimizer\.learningRate=0\.0003$/),
    );
    expect(linesOf(summary('collapsed', 'collapse'), folder)).toContainEqual(
      expect.stringMatching(/ {2}anew, .*train .*spec\.json --set optimizer\.learningRate=0\.0003$/),
    );
  });
});

describe('exitCodeOfRun', () => {
  it('is 0 only for a run that did all its steps', () => {
    const codes = (['finished', 'no-signal', 'collapsed', 'paused', 'interrupted'] as const).map((outcome) =>
      exitCodeOfRun({ outcome }),
    );
    expect(codes).toEqual([0, 5, 5, 75, 75]);
  });
});

describe('generalizationLines', () => {
  const tag = { environment: { use: 'bandit' } };
  const spec = {
    environments: { lake: tag, arms: tag },
    rollout: { promptsPerStep: 2 },
    validation: { episodes: 9, environments: { boxes: tag, never: tag } },
  } as unknown as RunSpec;
  const row = (step: number, rates: Record<string, number>) => {
    const values = Object.entries(rates).flatMap(([name, rate]) =>
      [rate, rate - 0.1, rate + 0.1].map((value, index) => [
        `tag/${name}/validation/success_${['rate', 'low', 'high'][index]}`,
        value,
      ]),
    );
    return {
      kind: 'metrics' as const,
      time: 0,
      step,
      values: Object.fromEntries(values) as Record<string, number>,
    };
  };

  it('shows the first and the last measurement of each tag, and never a number that was not measured', () => {
    const lines = generalizationLines(spec, [
      row(0, { lake: 0.2, arms: 0.5 }),
      row(4, { lake: 0.4, arms: 0.6, boxes: 0.3 }),
      row(8, { lake: 0.6 }),
    ]);
    expect(lines).toEqual([
      '  lake   trained      20.0 % [10.0, 30.0] at step 0 → 60.0 % [50.0, 70.0] at step 8',
      '  arms   trained      50.0 % [40.0, 60.0] at step 0 → 60.0 % [50.0, 70.0] at step 4',
      '  boxes  not trained  30.0 % [20.0, 40.0] at step 4',
      '  never  not trained  never measured',
    ]);
    expect(lines.join('')).not.toContain('NaN');
  });
});
