/**
 * docs/examples/to_wandb.py, with the real package. `npm run check:peers -- --only wandb` installs it and names its
 * interpreter in WANDB_PYTHON; without it the test is skipped, as Python is no part of this project.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createMetricSink } from '@espalier/recorder';
import { goldenFolder, removeFolder } from '@espalier/testing';
import { afterAll, describe, expect, it } from 'vitest';

const python = process.env['WANDB_PYTHON'] ?? '';
const folder = mkdtempSync(join(tmpdir(), 'espalier-wandb-'));
afterAll(() => removeFolder(folder));

describe.skipIf(!existsSync(python))('Weights & Biases (npm run check:peers -- --only wandb)', () => {
  it(
    'has the metrics of a run in an offline file, those of a resumed step once',
    { timeout: 60_000 },
    async () => {
      const sink = createMetricSink(join(folder, 'metrics.jsonl'));
      const rows = [
        [1, { 'train/loss': 0.5, 'rollout/reward': -1 }],
        [2, { 'train/loss': 0.25 }],
        [2, { 'train/loss': 0.125, 'rollout/reward': Number.NaN }],
      ] as const;
      for (const [step, values] of rows) sink.emit({ kind: 'metrics', time: Date.now(), step, values });
      await sink.flush();
      sink.close();
      writeFileSync(join(folder, 'spec.json'), '{"name": "lake", "steps": 2}');
      const program = resolve('docs/examples/to_wandb.py');
      execFileSync(python, [program, folder, 'mazes'], {
        cwd: folder,
        env: { ...process.env, WANDB_SILENT: 'true' },
      });
      const [run = ''] = readdirSync(join(folder, 'wandb')).filter((name) => name.startsWith('offline-run-'));
      const [file = ''] = readdirSync(join(folder, 'wandb', run)).filter((name) => name.endsWith('.wandb'));
      const reader = join(goldenFolder('trackers'), 'read_wandb.py');
      const read = JSON.parse(
        execFileSync(python, [reader, join(folder, 'wandb', run, file)], { encoding: 'utf8' }),
      ) as { history: Record<string, number>[] };
      expect(read).toMatchObject({ project: 'mazes', config: { name: 'lake', steps: 2 } });
      expect(
        read.history.map(({ _step: step, 'train/loss': loss, 'rollout/reward': reward }) => [
          step,
          loss,
          reward,
        ]),
      ).toEqual([
        [1, 0.5, -1],
        [2, 0.125, undefined],
      ]);
    },
  );
});
