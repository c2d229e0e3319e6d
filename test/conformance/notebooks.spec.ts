/** @file The programs of docs/use/notebooks.md read a recorded run. */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { readMetrics, readTrajectories } from '@espalier/recorder';
import { expect, it } from 'vitest';

const root = fileURLToPath(new URL('../..', import.meta.url));
const run = join(root, 'test/golden/iterations/starpo-s');
const page = readFileSync(join(root, 'docs/use/notebooks.md'), 'utf8');
const program = join(root, 'docs/examples/read-run.mjs');

it('shows the program that it names', () => {
  expect(page).toContain(readFileSync(program, 'utf8'));
});

it('reads metrics and trajectories with nothing but Node, as the library does', () => {
  const lines = execFileSync(process.execPath, [program, run], { encoding: 'utf8' }).split('\n');
  const last = readMetrics(join(run, 'metrics.jsonl')).at(-1);
  const trajectories = readTrajectories(join(run, 'trajectories'), { step: 3 });
  const kept = trajectories.filter((trajectory) => trajectory.kept);
  expect(lines).toContain(
    `3  ${last?.values['rollout/reward_mean']?.toFixed(3)}  ${last?.values['policy/gradient_norm']?.toFixed(3)}`,
  );
  expect(lines).toContain('1  1.321  no update'); // the critic warms up
  expect(lines).toContain(
    `step-000003.jsonl.gz: ${trajectories.length} trajectories, ${kept.length} of them learned from`,
  );
  const [{ logprobs, spans }] = trajectories as [(typeof trajectories)[number]];
  const { start, end } = spans.find(({ kind }) => kind === 'think')!;
  const sum = logprobs.subarray(start, end).reduce((total, logprob) => total + logprob, 0);
  expect(lines).toContain(`turn 0  think  ${end - start} tokens, log-probability ${sum.toFixed(2)}`);
});
