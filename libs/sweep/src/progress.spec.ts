import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createProgress, formatMinutes } from './progress.js';

describe('createProgress', () => {
  it('corrects what is predicted by what the runs before took, unless they ended early', () => {
    const folder = mkdtempSync(join(tmpdir(), 'espalier-progress-'));
    const config = join(folder, 'run.yaml');
    writeFileSync(config, 'environment: { use: bandit }\nalgorithm: { use: grpo }\nsteps: 2\n');
    const jobs = ['a', 'b', 'c', 'd'].map((label) => ({
      label,
      config,
      overrides: [],
      folder: join(folder, label),
      log: `${label}.log`,
    }));
    const lines: string[] = [];
    let minutes = 0;
    const progress = createProgress({
      write: (line) => lines.push(line),
      parallel: 1,
      secondsLeft: () => 60,
      now: () => 60_000 * minutes,
    });
    progress.begin(jobs, 4);
    // three minutes instead of one; the second ends after a step, which says nothing of a whole run
    for (const [index, taken, steps] of [
      [0, 3, 2],
      [1, 0.5, 1],
      [2, 5, 2],
    ] as const) {
      const job = jobs[index]!;
      progress.start(job);
      minutes += taken;
      for (let step = 1; step <= steps; step++) progress.step(job, step);
      progress.end(job, 'ended');
    }
    expect(lines.filter((line) => !line.includes('begins'))).toEqual([
      '4 runs, 0 finished already, 4 to go: about 4.0 min',
      'a: ended [3.0 min; all: 9.0 min left]',
      'b: ended [30 s; all: 6.0 min left]',
      // eight minutes instead of two
      'c: ended [5.0 min; all: 4.0 min left]',
    ]);
    rmSync(folder, { recursive: true });
  });
});

describe('formatMinutes', () => {
  it.each([
    [0, '0 s'],
    [0.1, '6 s'],
    [0.999, '1.0 min'],
    [9.5, '9.5 min'],
    [12, '12 min'],
    [61, '1 h 1 min'],
    [Number.NaN, '?'],
  ])('writes %d as %s', (minutes, text) => {
    expect(formatMinutes(minutes)).toBe(text);
  });
});
