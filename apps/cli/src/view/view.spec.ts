import { clean } from '../console.js';
import type { RunEvent, RunSpec, Trajectory } from '@espalier/contracts';
import pc from 'picocolors';
import { describe, expect, it } from 'vitest';
import { plainLine } from './create-view.js';
import { drawFrame } from './draw-frame.js';
import { addStepTime, estimateRemaining, formatDuration, noStepTimes } from './eta.js';
import { formatBytes } from './numbers.js';
import { advance, recallProgress, startProgress } from './run-progress.js';
import { drawSample } from './sample-lines.js';
import { drawBar, drawSparkline } from './sparkline.js';

const colors = pc.createColors(false);
const title = {
  folder: 'runs/bandit-ppo-1',
  model: 'seedling',
  spec: { environment: { use: 'bandit' }, algorithm: { use: 'ppo' } } as unknown as RunSpec,
};
const trajectory = {
  id: 'train/3/0/0',
  split: 'train',
  step: 3,
  stopReason: 'success',
  turns: [
    {
      index: 0,
      observation: 'a\nb',
      render: '#P#\n#O#',
      think: 'box\u001b[2J below',
      answer: 'Down',
      response: '<think>box\u001b[2J below</think><answer>Down</answer>',
      reward: 1,
      formatValid: true,
    },
  ],
} as unknown as Trajectory;
const row = (step: number, values: Record<string, number>): RunEvent => ({
  kind: 'metrics',
  time: step * 1000,
  step,
  values,
});

function fold(steps: number) {
  const events: RunEvent[] = [{ kind: 'run-started', time: 0, runId: 'r', attempt: 1, step: 0, steps: 100 }];
  events.push(
    row(0, { 'validation/success_rate': 0.5, 'validation/success_low': 0.4, 'validation/success_high': 0.6 }),
  );
  for (let step = 1; step <= steps; step++)
    events.push(
      row(step, { 'rollout/success_rate': step / 100, 'rollout/entropy': 1, 'rollout/reward_mean': 0.25 }),
    );
  events.push({ kind: 'trajectory', time: 0, step: 3, trajectory, kept: true });
  return events.reduce(advance, startProgress);
}

describe('drawFrame', () => {
  it.each([
    [80, 24],
    [200, 50],
    [40, 12],
  ])('fits %i × %i', (columns, rows) => {
    const lines = drawFrame(title, fold(20), { columns, rows }, colors);
    expect(lines.length).toBeLessThan(rows);
    for (const line of lines) expect([...line].length).toBeLessThan(Math.max(columns, 41));
  });

  it('shows steps, curves, validation and a sample that cannot command the terminal', () => {
    const text = drawFrame(title, fold(20), { columns: 80, rows: 24 }, colors).join('\n');
    expect(text).toContain('step 20/100');
    expect(text).toContain('success    20.0 %');
    expect(text).toContain('validation  50.0 % [40.0, 60.0] at step 0');
    expect(text).toContain('#O#');
    expect(text).toContain('think  box [2J below');
    expect(text).not.toContain('\u001b');
  });

  it('shows each reward, as their sum can rise while one of them falls', () => {
    const values = {
      'rollout/success_rate': 1,
      'reward/environment-return': 0.5,
      'reward/format': -0.1,
      'reward/format/invalid_turns': 0.2,
    };
    const progress = advance(fold(3), row(4, values));
    const lines = drawFrame(title, progress, { columns: 80, rows: 24 }, colors);
    expect(lines.find((line) => line.startsWith('rewards'))).toMatch(
      / environment-return 0\.5\d* {3}format -0\.1\d*$/,
    );
  });

  it('shows as many of the last turns as there is room for', () => {
    const [turn] = trajectory.turns;
    const turns = [0, 1, 2].map((index) => ({
      ...turn,
      index,
      think: `thought ${index}`,
      response: `<think>thought ${index}</think><answer>Down</answer>`,
    }));
    const progress = { ...fold(20), sample: { ...trajectory, turns } as unknown as Trajectory };
    const thoughts = (rows: number) =>
      drawFrame(title, progress, { columns: 80, rows }, colors)
        .join('\n')
        .match(/turns? .* of 3|thought \d/g);
    expect(thoughts(40)).toEqual(['turns 1 to 3 of 3', 'thought 0', 'thought 1', 'thought 2']);
    expect(thoughts(24)).toEqual(['turns 2 to 3 of 3', 'thought 1', 'thought 2']);
    expect(thoughts(18)).toEqual(['turn 3 of 3', 'thought 2']);
  });

  it('keeps the time that is left to itself before ten steps', () => {
    expect(drawFrame(title, fold(9), { columns: 80, rows: 24 }, colors).join('\n')).not.toContain('left');
    expect(drawFrame(title, fold(10), { columns: 80, rows: 24 }, colors).join('\n')).toContain(
      '1 min 21 s – 1 min 39 s left',
    );
  });
});

describe('the health of a run', () => {
  const health = (progress: ReturnType<typeof fold>) =>
    drawFrame(title, progress, { columns: 80, rows: 30 }, colors).filter((line) => line.startsWith('health'));
  const monitor = {
    kind: 'monitor',
    time: 1,
    step: 20,
    state: 'warning',
    previous: 'healthy',
    action: 'alert',
    restored: null,
    changes: [],
    findings: [],
    message: 'entropy-rise: entropy 0.6',
  } as const;

  it('is shown with the rule that fired, until a row of metrics says otherwise', () => {
    expect(health(fold(20))).toEqual([]);
    const warned = advance(fold(20), monitor);
    expect(health(warned)).toEqual(['health  warning entropy-rise: entropy 0.6']);
    const stateAfter = (state: number) =>
      health(advance(warned, row(21, { 'rollout/success_rate': 0.5, 'monitor/state': state })));
    expect(stateAfter(1)).toEqual(['health  warning entropy-rise: entropy 0.6']);
    expect(stateAfter(2)).toEqual(['health  collapsed']);
  });

  it('is a line where there is no live view', () => {
    expect(plainLine(monitor)).toBe('step 20  healthy → warning: entropy-rise: entropy 0.6');
    const two = { ...monitor, message: 'entropy-rise: entropy 0.6; invalid-format: 0.5' };
    expect(plainLine(two)).toBe(
      'step 20  healthy → warning:\n  entropy-rise: entropy 0.6\n  invalid-format: 0.5',
    );
    const again = {
      kind: 'warning',
      time: 1,
      step: 20,
      code: 'monitor.warning',
      message: two.message,
    } as const;
    expect(plainLine(again)).toBeUndefined();
  });
});

describe('a run that ends', () => {
  const frame = (progress: ReturnType<typeof fold>) =>
    drawFrame(title, progress, { columns: 80, rows: 30 }, colors).join('\n');

  it('says how, and never a range that begins at nothing', () => {
    const ended = advance(fold(20), {
      kind: 'run-ended',
      time: 0,
      step: 20,
      outcome: 'finished',
      message: 'all steps done',
    });
    expect(frame(ended)).toContain('  finished');
    expect(frame(fold(99))).toContain('less than 1 s left');
  });

  it('shows every validation once there are three', () => {
    const rows = [0.2, 0.4, 0.9].map((rate, index) =>
      row(index, {
        'validation/success_rate': rate,
        'validation/success_low': 0,
        'validation/success_high': 1,
      }),
    );
    expect(frame(rows.reduce(advance, startProgress))).toContain('▂▄█  20.0 40.0 90.0 %');
  });

  it('goes on with the curves of an earlier start, without its times', () => {
    const rows = [1, 2, 3].map((step) => ({
      step,
      time: step * 1e6,
      attempt: 1,
      values: { 'rollout/success_rate': step / 4 },
    }));
    const recalled = recallProgress(startProgress, rows);
    expect([recalled.step, recalled.success, recalled.times.count]).toEqual([3, [0.25, 0.5, 0.75], 0]);
  });
});

describe('drawSample', () => {
  it('shows the raw reply where its parts leave something out', () => {
    const [turn] = trajectory.turns;
    const lines = (response: string) =>
      drawSample(
        {
          ...trajectory,
          turns: [{ ...turn, think: 'up', answer: 'Down', response }],
        } as unknown as Trajectory,
        60,
        20,
        colors,
      ).join('\n');
    expect(lines('<think>up</think> <answer>Down</answer>')).toMatch(/think {2}up\nanswer Down/);
    expect(lines('<think>up</think><answer>Down</answer> or not')).toContain(
      'reply  <think>up</think><answer>Down</answer> or not',
    );
  });
});

describe('estimateRemaining', () => {
  it('widens with the spread of step times', () => {
    const even = Array.from({ length: 12 }, () => 1000).reduce(addStepTime, noStepTimes);
    const uneven = Array.from({ length: 12 }, (_, i) => (i % 2) * 2000).reduce(addStepTime, noStepTimes);
    const width = (range: readonly [number, number] | undefined) =>
      range === undefined ? 0 : range[1] - range[0];
    expect(width(estimateRemaining(uneven, 10))).toBeGreaterThan(width(estimateRemaining(even, 10)));
    expect(estimateRemaining(even, 0)).toBeUndefined();
  });

  it('writes durations in two units', () => {
    expect([41_600, 190_000, 7_500_000, 86_399_000, 277_200_000].map(formatDuration)).toEqual([
      '42 s',
      '3 min 10 s',
      '2 h 5 min',
      '23 h 59 min',
      '3 d 5 h',
    ]);
  });
});

describe('formatBytes', () => {
  it('turns to GiB at 1024 MiB', () => {
    expect([1, 1023 * 2 ** 20, 2 ** 30, 2.5 * 2 ** 30].map(formatBytes)).toEqual([
      '1 MiB',
      '1023 MiB',
      '1.0 GiB',
      '2.5 GiB',
    ]);
  });
});

describe('drawSparkline', () => {
  it('uses the whole height and leaves gaps for values that are no number', () => {
    expect(drawSparkline([0, 0.5, Number.NaN, 1], 8, [0, 1])).toBe('▁▅ █');
    expect(drawSparkline([1, 2, 3, 4], 2)).toBe('▁█');
    expect(drawBar(0.5, 4)).toBe('██░░');
  });
});

describe('plainLine', () => {
  it('gives one line per step and one per validation', () => {
    expect(plainLine(row(3, { 'rollout/success_rate': 0.5, 'rollout/entropy': 0.2 }))).toBe(
      'step 3  success 50.0 %  reward –  entropy 0.2  gradient –',
    );
    expect(
      plainLine(
        row(0, {
          'validation/success_rate': 0.5,
          'validation/success_low': 0.4,
          'validation/success_high': 0.6,
        }),
      ),
    ).toBe('step 0  validation success 50.0 % [40.0, 60.0]');
  });

  it('gives none for what a fork begins with, which is no step of its own', () => {
    const begun = row(3, { 'total/episodes': 24, 'update/policy_steps': 3 });
    expect(plainLine(begun)).toBeUndefined();
    expect(advance(fold(3), begun)).toEqual(fold(3));
  });

  it('names no step where a warning is of none', () => {
    const warning = { kind: 'warning', time: 0, step: -1, code: 'run.idle_devices', message: 'why' } as const;
    expect(plainLine(warning)).toBe('warning run.idle_devices: why');
    expect(plainLine({ ...warning, step: 2 })).toBe('step 2  warning run.idle_devices: why');
  });
});

describe('a run that fails', () => {
  it('leaves the reason to the error that is printed after it', () => {
    const event = {
      kind: 'run-ended',
      time: 0,
      step: 3,
      outcome: 'failed',
      message: 'a long story',
    } as const;
    expect(plainLine(event)).toBe('failed at step 3');
    expect(advance(fold(3), event).notice).toBe('');
  });
});

describe('clean', () => {
  it('removes what a terminal could obey', () => {
    expect(clean('a\u001b[31mb\u0007\u202ec')).toBe('a [31mb c');
  });
});
