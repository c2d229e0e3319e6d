import { runSpecSchema } from '@espalier/contracts';
import { describe, expect, it } from 'vitest';
import { listPlanWarnings } from './plan-warnings.js';

const machine = { memoryBytes: 8 * 2 ** 30, cores: 4, diskBytes: 2 ** 34 };
const run = { peakBytes: 2 ** 30, checkpointsBytes: 2 ** 30, hasCritic: false };
const calm = runSpecSchema.shape.optimizer.parse({});

function warningsOf(changed: object, more: Partial<typeof run> = {}): string[] {
  const device = { provider: 'cpu' as const, precision: 'float32' as const, sampling: 'float32' as const };
  const spec = { device, optimizer: calm, criticOptimizer: calm, ...changed };
  return listPlanWarnings({ spec, derived: { optimizerSteps: 20 } }, { ...run, ...more }, machine);
}

const rate = (learningRate: number) => ({ ...calm, learningRate });
const warmUp = (warmupSteps: number) => ({ ...calm, schedule: { ...calm.schedule, warmupSteps } });

describe('listPlanWarnings', () => {
  it('has nothing to say at the limits', () => {
    const device = { provider: 'cpu' as const, precision: 'float32' as const, threads: 4 };
    expect(warningsOf({ device, optimizer: warmUp(20) }, { peakBytes: machine.memoryBytes })).toEqual([]);
    expect(warningsOf({ optimizer: rate(0.1) })).toEqual([]);
  });

  it('warns of more memory than the machine has', () => {
    expect(warningsOf({}, { peakBytes: 20 * 2 ** 30 })).toEqual([
      expect.stringMatching(/^memory: about 20\.0 GiB are needed, this machine has 8\.0 GiB; lower/),
    ]);
  });

  it('warns of more memory than the run may use', () => {
    const device = { provider: 'cpu' as const, precision: 'float32' as const, memoryMb: 512 };
    expect(warningsOf({ device }, { peakBytes: 512 * 2 ** 20 })).toEqual([]);
    expect(warningsOf({ device })).toEqual([
      expect.stringMatching(/^device\.memoryMb: about 1\.0 GiB are needed, the limit is 512 MiB, .*raise/),
    ]);
  });

  it('warns of checkpoints that do not fit the disk', () => {
    expect(warningsOf({}, { checkpointsBytes: machine.diskBytes })).toEqual([]);
    expect(warningsOf({}, { checkpointsBytes: 20 * 2 ** 30 })).toEqual([
      expect.stringMatching(
        /^disk: the checkpoints need about 20\.0 GiB, the disk has 16\.0 GiB free; lower/,
      ),
    ]);
  });

  it('warns of more threads than cores', () => {
    expect(
      warningsOf({ device: { provider: 'cpu', precision: 'float32', sampling: 'float32', threads: 5 } }),
    ).toEqual([expect.stringMatching(/^device\.threads: 5 threads share 4 available cores/)]);
  });

  it('warns of a warm-up that outlasts the run', () => {
    expect(warningsOf({ optimizer: warmUp(21) })).toEqual([
      expect.stringMatching(/^optimizer\.schedule\.warmupSteps: 21 steps of warm-up, but the run has 20/),
    ]);
  });

  it('warns of a learning rate that destroys the model, of the critic only where there is one', () => {
    expect(warningsOf({ optimizer: rate(0.5) })).toEqual([
      expect.stringMatching(/^optimizer\.learningRate: 0\.5 is above 0\.1/),
    ]);
    expect(warningsOf({ criticOptimizer: rate(2) })).toEqual([]);
    expect(warningsOf({ criticOptimizer: rate(2) }, { hasCritic: true })).toEqual([
      expect.stringMatching(/^criticOptimizer\.learningRate: 2 /),
    ]);
  });
});
