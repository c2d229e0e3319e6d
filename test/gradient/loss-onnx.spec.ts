/**
 * @file Loss terms and whole algorithms in ONNX Runtime, in float32 as a run computes them, against an independent
 * implementation in float64, on 50 of the 1,000 ragged batches of test/golden/loss.
 */
import { describe, expect, it, vi } from 'vitest';
import { type AlgorithmName, algorithmNames, composeStep } from './loss-algorithms.js';
import {
  type ExpectedAlgorithm,
  type ExpectedLoss,
  loadBatches,
  loadLines,
  spreadWeights,
} from './loss-batches.js';
import { defineTerms, numbersOf } from './loss-definitions.js';
import { type FedLoss, runLosses } from './loss-runtime.js';
import { Distances, sumLoss } from './sum-loss.js';

vi.setConfig({ testTimeout: 120_000 }); // seconds of work, more where the machine is shared

const batches = loadBatches();
const terms = loadLines<Record<string, ExpectedLoss> & { readonly weights: number[] }>('terms');
const algorithms = loadLines<Record<AlgorithmName, ExpectedAlgorithm>>('algorithms');
const sample = Array.from({ length: 50 }, (_, k) => 20 * k + (k % 20));

/** Compares losses of one batch with golden ones; sizes of rounding errors come from the float64 evaluation. */
async function compare(
  distances: Distances,
  at: string,
  { losses, weights, golden }: { losses: FedLoss[]; weights: number[]; golden: Record<string, ExpectedLoss> },
): Promise<void> {
  const results = await runLosses(losses, weights);
  for (const { name, loss, numbers } of losses) {
    const { sizes } = sumLoss(loss, numbers, weights);
    distances.addLoss(name, at, { ...(results[name] as ExpectedLoss), sizes }, golden[name] as ExpectedLoss);
  }
}

describe('losses in ONNX Runtime (float32), against an independent implementation', () => {
  it('agrees within 1e-5: every term', async () => {
    const distances = new Distances();
    for (const index of sample) {
      const batch = batches[index]!;
      const { weights: perSequence, ...golden } = terms[index]!;
      const losses = Object.entries(defineTerms(batch.options)).map(([name, loss]) => ({
        name,
        loss,
        numbers: numbersOf(loss, batch.trajectories),
      }));
      const weights = spreadWeights(batch.trajectories, perSequence);
      await compare(distances, `batch ${index}`, { losses, weights, golden });
    }
    expect(distances.names.length).toBeGreaterThan(30);
    expect(distances.beyond(1e-5)).toEqual([]);
  });

  it.each(algorithmNames)('agrees within 1e-5: %s', async (name) => {
    const distances = new Distances();
    for (const index of sample) {
      const expected = algorithms[index]![name];
      const step = composeStep(name, batches[index]!, expected.params);
      if (step === undefined) continue;
      const golden = Object.fromEntries(
        Object.entries({ policy: expected.policy, critic: expected.critic }).filter(
          ([, own]) => own !== undefined,
        ),
      ) as Record<string, ExpectedLoss>;
      const losses = Object.keys(golden).map((model) => ({ name: model, ...step[model as 'policy']! }));
      const weights = spreadWeights(step.trajectories, expected.weights ?? []);
      await compare(distances, `batch ${index} ${JSON.stringify(expected.params)}`, {
        losses,
        weights,
        golden,
      });
    }
    expect(distances.names).toContain('policy gradient logprobs');
    expect(distances.beyond(1e-5)).toEqual([]);
  });
});
