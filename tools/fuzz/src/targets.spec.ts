import { describe, expect, it } from 'vitest';
import { createInput } from './mutate.js';
import { runTarget } from './run-target.js';
import { type FuzzFailure, isClean } from './tally.js';
import { byteTargets, createTarget } from './targets.js';

describe('mutated input', () => {
  it.each(byteTargets)(
    'of %s meets a typed error or is read, in time, and leaves no memory behind',
    async (name) => {
      const target = await createTarget(name);
      const failures: string[] = [];
      const onFailure = ({ index, finding }: FuzzFailure): void => void failures.push(`${index}: ${finding}`);
      const report = await runTarget(target, { seed: 1, from: 0, inputs: 5000, onFailure });
      expect(failures).toEqual([]);
      expect(isClean(report), JSON.stringify(report)).toBe(true);
      // a mutator that breaks everything, or nothing, would prove nothing
      expect(report.accepted).toBeGreaterThan(50);
      if (name !== 'reply') expect(report.refused).toBeGreaterThan(500);
    },
    240_000,
  );

  it('starts from valid run configurations', async () => {
    const { corpus, read } = await createTarget('run-spec');
    for (const input of corpus) expect(() => read(input)).not.toThrow();
  });

  it('is the same for the same seed and number, and differs between numbers', async () => {
    const target = await createTarget('safetensors');
    expect(createInput(target, 3, 17)).toEqual(createInput(target, 3, 17));
    const inputs = new Set(Array.from({ length: 200 }, (_, k) => createInput(target, 3, k).join()));
    expect(inputs.size).toBeGreaterThan(150);
  });

  it('is reported when it throws another error, takes too long, or leaks memory', async () => {
    const kept: Uint8Array[] = [];
    const bad = {
      name: 'bad',
      corpus: [Uint8Array.of(1, 2, 3)],
      words: ['x'],
      read: (input: Uint8Array) => {
        kept.push(new Uint8Array(400_000).fill(1));
        if (input.length === 7) throw new TypeError('seven');
        const begin = process.cpuUsage();
        const used = (): number => process.cpuUsage(begin).user + process.cpuUsage(begin).system;
        while (input.length === 5 && used() < 300_000);
      },
    };
    const findings = new Set<string>();
    const onFailure = ({ finding }: FuzzFailure): void =>
      void findings.add(finding.replace(/\d+/, '#').slice(0, 10));
    const report = await runTarget(bad, { seed: 0, from: 0, inputs: 60, onFailure });
    expect([...findings].sort()).toEqual(['TypeError:', 'took # ms;']);
    expect([report.failures > 1, report.growthBytes > 8e6, isClean(report)]).toEqual([true, true, false]);
    expect(kept.length).toBe(60);
  });

  it('does not count buffers that are dropped', async () => {
    const read = (): void => void new Uint8Array(2 ** 20).fill(1);
    const target = { name: 'wasteful', corpus: [Uint8Array.of(1)], words: ['x'], read };
    const { growthBytes } = await runTarget(target, { seed: 1, from: 0, inputs: 20 });
    expect(growthBytes).toBeLessThan(2 ** 20);
  });
});
