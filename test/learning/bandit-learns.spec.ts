import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { applyOverrides, loadConfig, resolveRunSpec } from '@espalier/config';
import { discoverPlugins } from '@espalier/plugin-host';
import { createMemorySink } from '@espalier/recorder';
import { createTrainer } from '@espalier/trainer';
import { removeFolder } from '@espalier/testing';
import { afterAll, describe, expect, it } from 'vitest';

const root = fileURLToPath(new URL('../..', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'espalier-learning-'));
afterAll(() => removeFolder(folder));

describe('learning', () => {
  it('turns the shipped seedling towards the better arm, by training alone', async () => {
    const registry = await discoverPlugins({ root });
    const config = loadConfig(join(root, 'config/runs/bandit-starpo-s.yaml'));
    const { spec } = resolveRunSpec(
      applyOverrides(config, [
        'steps=8',
        'seed=7',
        'validation.every=0',
        'validation.episodes=128',
        'checkpoint.every=0',
      ]),
      registry,
    );
    const sink = createMemorySink();
    const trainer = await createTrainer(spec, { registry, sink, folder: join(folder, 'run') });
    try {
      const { outcome } = await trainer.run(new AbortController().signal);
      expect(outcome).toBe('finished');
    } finally {
      await trainer.dispose();
    }
    const success = sink.events.flatMap((event) =>
      event.kind === 'metrics' && 'validation/success_rate' in event.values
        ? [event.values['validation/success_rate'] ?? Number.NaN]
        : [],
    );
    const [before = Number.NaN, after = Number.NaN] = success;
    // 128 states: a difference of 0.2 is more than three standard errors.
    expect(after - before).toBeGreaterThan(0.2);
  }, 240_000);
});
