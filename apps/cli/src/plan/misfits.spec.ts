import { describe, expect, it } from 'vitest';
import { listMisfits, refuseMisfits, remediesOfRun, warmStartRemedies } from './misfits.js';

const GiB = 2 ** 30;
const machine = { memoryBytes: 8 * GiB, cores: 4, diskBytes: 16 * GiB };
const remedies = { memory: 'choose a smaller model', disk: 'free some space' };
const needs = { peakBytes: GiB, diskBytes: GiB };
const misfitsOf = (
  more: Partial<typeof needs>,
  device: { memoryMb?: number; provider?: 'cuda' } = {},
  gpuBytes?: number,
) => listMisfits({ provider: 'cpu', ...device }, { ...needs, ...more }, { ...machine, gpuBytes }, remedies);

describe('listMisfits', () => {
  it('has nothing to say at the limits', () => {
    expect(misfitsOf({ peakBytes: machine.memoryBytes, diskBytes: machine.diskBytes })).toEqual([]);
    expect(misfitsOf({}, { memoryMb: 1024 })).toEqual([]);
  });

  it('finds more memory than the machine has, or the GPU that computes, if one is there', () => {
    expect(misfitsOf({ peakBytes: 20 * GiB })).toEqual([
      'memory: about 20.0 GiB are needed, this machine has 8.0 GiB; choose a smaller model',
    ]);
    expect(misfitsOf({ peakBytes: 20 * GiB }, { provider: 'cuda' })).toEqual([]);
    expect(misfitsOf({ peakBytes: 20 * GiB }, { provider: 'cuda' }, 20 * GiB)).toEqual([]);
    expect(misfitsOf({ peakBytes: 5 * GiB }, { provider: 'cuda' }, 4 * GiB)).toEqual([
      'memory: about 5.0 GiB are needed, the GPU has 4.0 GiB; choose a smaller model',
    ]);
  });

  it('finds more memory than the run may use', () => {
    expect(misfitsOf({}, { memoryMb: 512 })).toEqual([
      'device.memoryMb: about 1.0 GiB are needed, the limit is 512 MiB, and a worker ends what uses more; raise it, or choose a smaller model',
    ]);
  });

  it('finds more than the disk has free', () => {
    expect(misfitsOf({ diskBytes: 20 * GiB })).toEqual([
      'disk: about 20.0 GiB are needed, 16.0 GiB are free; free some space',
    ]);
  });
});

describe('remediesOfRun', () => {
  const update = { recompute: 'auto' } as Parameters<typeof remediesOfRun>[0]['update'];
  const lora = (baseDtype: string) => ({ baseDtype }) as Parameters<typeof remediesOfRun>[0]['lora'];
  const parts = { modelBytes: 1, cacheBytes: 1, activationBytes: 1 };
  const memory = (run: Partial<Parameters<typeof remediesOfRun>[0]>, large: Partial<typeof parts>) =>
    remediesOfRun({ lora: undefined, update, ...run }, { ...parts, ...large }).memory;

  it('names what makes the largest part smaller', () => {
    expect(memory({}, { modelBytes: 9 })).toBe(
      'train adapters (lora: { rank: 16 }), or choose a smaller model',
    );
    expect(memory({ lora: lora('float32') }, { modelBytes: 9 })).toContain('lora.baseDtype: bfloat16');
    expect(memory({ lora: lora('int4') }, { modelBytes: 9 })).toBe('choose a smaller model');
    expect(memory({}, { cacheBytes: 9 })).toBe(
      'lower rollout.promptsPerStep or rollout.groupSize, or choose a smaller model',
    );
    const sizes = { peaksInValidation: true };
    expect(remediesOfRun({ lora: undefined, update }, { ...parts, cacheBytes: 9 }, sizes).memory).toBe(
      'lower validation.episodes, or choose a smaller model',
    );
    expect(memory({}, { activationBytes: 9 })).toMatch(/^lower update\.microBatchTokens, or train adapters/);
    expect(memory({ update: { ...update, recompute: 'off' } }, { activationBytes: 9 })).toContain(
      'leave update.recompute at auto',
    );
  });

  it('does not ask for smaller micro-batches of what has the smallest', () => {
    const isLeast = true;
    expect(
      remediesOfRun({ lora: undefined, update }, { ...parts, activationBytes: 9 }, { isLeast }).memory,
    ).toMatch(/^lower rollout\.contextTokens, or train adapters/);
    expect(warmStartRemedies({ lora: undefined }, { isLeast }).memory).toMatch(
      /^lower validation\.finalEpisodes, train adapters/,
    );
  });

  it('names adapters for a warm start of all weights only', () => {
    expect(warmStartRemedies({ lora: undefined }).memory).toContain('lora: { rank: 16 }');
    expect(warmStartRemedies({ lora: lora('float32') as never }).memory).not.toContain('lora');
  });
});

it('refuses what does not fit, with every finding (cli.over_budget)', () => {
  expect(() => refuseMisfits('a.yaml', [])).not.toThrow();
  expect(() => refuseMisfits('a.yaml', ['memory: x', 'disk: y'])).toThrow(
    expect.objectContaining({ code: 'cli.over_budget', message: 'plan a.yaml: memory: x\ndisk: y' }),
  );
});
