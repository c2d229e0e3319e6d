import { existsSync, mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describeNewModel, parameterShapes } from '@espalier/model';
import { afterAll, describe, expect, it } from 'vitest';
import { warmStartLora } from '../../contracts/src/run-options.js';
import { requireDiskSpace, warmStartBytes } from './disk-space.js';

const config = describeNewModel({
  vocabularySize: 300,
  hiddenSize: 64,
  layerCount: 2,
  headCount: 2,
  keyValueHeadCount: 1,
  intermediateSize: 96,
  contextLength: 64,
  endOfTurn: 0,
  pad: 0,
});
const parameters = [...parameterShapes(config).values()].reduce(
  (sum, shape) => sum + shape.reduce((a, b) => a * b, 1),
  0,
);
const lora = warmStartLora.parse({ rank: 2 });

describe('the disk space of a warm start', () => {
  const folder = mkdtempSync(join(tmpdir(), 'warm-start-disk-'));
  afterAll(() => rmSync(folder, { recursive: true }));

  it('holds the start, two states with moments and two models; with adapters, states of these alone', () => {
    expect(warmStartBytes({ lora: undefined }, config)).toBe(32 * parameters);
    const adapted = warmStartBytes({ lora }, config);
    expect(adapted).toBeGreaterThan(8 * parameters);
    expect(adapted).toBeLessThan(12 * parameters);
  });

  it('is refused where it is not free, less what is there already (trainer.disk_full)', () => {
    const needed = warmStartBytes({ lora: undefined }, config);
    const missing = join(folder, 'none');
    expect(() => requireDiskSpace(missing, { lora: undefined }, config, needed)).not.toThrow();
    expect(() => requireDiskSpace(missing, { lora: undefined }, config, needed - 1)).toThrow(
      expect.objectContaining({
        code: 'trainer.disk_full',
        message: expect.stringMatching(
          /^warm start in ".*none": it needs about \d+ MiB, the disk has \d+ MiB free; train adapters \(lora: \{ rank: 16 \}\), free space, or choose a folder on another disk with --out$/,
        ) as string,
      }),
    );
    expect(existsSync(missing)).toBe(false);
    writeFileSync(join(folder, 'start'), '');
    truncateSync(join(folder, 'start'), 1000);
    expect(() => requireDiskSpace(folder, { lora: undefined }, config, needed - 1000)).not.toThrow();
    expect(() => requireDiskSpace(folder, { lora: undefined }, config, needed - 1500)).toThrow('free space');
  });
});
