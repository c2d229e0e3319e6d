import type { RunSummary } from '@espalier/trainer';
import { describe, expect, it } from 'vitest';
import type { Console } from '../console.js';
import { exitCodeOfRun, reportRun } from './report-run.js';

const summary = (outcome: RunSummary['outcome'], reason: RunSummary['reason']): RunSummary => ({
  outcome,
  reason,
  message: 'nothing to learn from at step 5 of 20; raise something',
  step: 5,
  checkpoint: 'runs/a-1/checkpoints/step-000005',
});

function linesOf(run: RunSummary): string[] {
  const lines: string[] = [];
  const console = { line: (text: string) => void lines.push(text) } as unknown as Console;
  reportRun(run, { folder: 'runs/a-1', resume: 'espalier train a --resume', validations: [] }, console);
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
    expect(linesOf(summary('interrupted', 'stop-request'))).toEqual([
      where,
      'interrupted at step 5; resume with: espalier train a --resume',
    ]);
  });
});

describe('exitCodeOfRun', () => {
  it('is 0 only for a run that did all its steps', () => {
    const codes = (['finished', 'no-signal', 'interrupted'] as const).map((outcome) =>
      exitCodeOfRun({ outcome }),
    );
    expect(codes).toEqual([0, 5, 75]);
  });
});
