/** @file The padding of an update: FrozenLake trajectories of the seedling, in the engine's micro-batches. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { applyOverrides, loadConfig, resolveRunSpec } from '@espalier/config';
import type { Trajectory } from '@espalier/contracts';
import { measurePadding } from '@espalier/engine';
import { discoverPlugins } from '@espalier/plugin-host';
import { createMemorySink } from '@espalier/recorder';
import { createTrainer, listLossPositions } from '@espalier/trainer';
import { type BenchItem, buildRow } from '../row.js';

const root = fileURLToPath(new URL('../../../..', import.meta.url));

/** Row: padded tokens over computed tokens of one update, in percent. */
export const frozenLakePadding: BenchItem = async ({ short, threads }) => {
  const folder = mkdtempSync(join(tmpdir(), 'espalier-bench-'));
  try {
    const registry = await discoverPlugins({ root });
    const overrides = [
      'steps=1',
      'validation.every=0',
      'validation.atStart=false',
      'validation.atEnd=false',
      `device.threads=${threads}`,
      ...(short ? ['rollout.promptsPerStep=2', 'rollout.groupSize=4'] : []),
    ];
    const { spec } = resolveRunSpec(
      applyOverrides(loadConfig(join(root, 'config/runs/frozen-lake-grpo.yaml')), overrides),
      registry,
    );
    const memory = createMemorySink();
    const kept: Trajectory[] = [];
    const trainer = await createTrainer(spec, {
      registry,
      folder: join(folder, 'run'),
      sink: {
        emit(event) {
          memory.emit(event);
          if (event.kind === 'trajectory' && event.kept) kept.push(event.trajectory);
        },
        flush: () => memory.flush(),
      },
    });
    await trainer.run(new AbortController().signal).finally(() => trainer.dispose());
    const requests = kept.map((trajectory) => ({
      tokens: trajectory.tokens,
      positions: listLossPositions(trajectory, spec.update.lossMask),
    }));
    const { share, placeShare, tokens, computedTokens, microBatches } = measurePadding(
      requests,
      spec.update.microBatchTokens,
    );
    const notes = `${kept.length} trajectories of ${tokens} tokens in ${microBatches.length} micro-batches; of the places that attention runs over ${(100 * placeShare).toFixed(1)} %`;
    const baseline = { name: 'tokens computed', value: computedTokens };
    const row = buildRow('padding/frozen-lake', 100 * share, '% of computed tokens', baseline, notes);
    return [{ ...row, ratio: Number(share.toPrecision(4)) }];
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
};
