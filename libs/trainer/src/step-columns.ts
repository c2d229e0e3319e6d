/**
 * @file Columns of the policy loss that depend on the policy before an optimizer step. In the first step of an iteration
 * that is the policy that sampled, so what sampling recorded serves, or what the trainer computed where the sampler is
 * corrected for; afterwards the mini-batch is scored once more.
 */
import type { ScoringModel, TokenScores } from '@espalier/contracts';
import type { StepSequence } from '@espalier/plugin-kit';
import { askByWindow, joinScores, pick, type TrainingExample } from './batch.js';

/** How the algorithms of a run compute such columns, their params given. */
export type StepColumns = (
  sequences: readonly StepSequence[],
  examples: readonly TrainingExample[],
) => readonly Readonly<Record<string, ArrayLike<number>>>[];

/**
 * Adds these columns to the examples of a mini-batch.
 *
 * @param model absent: the policy has not changed since sampling
 */
export async function addStepColumns(
  examples: readonly TrainingExample[],
  stepColumns: StepColumns,
  { model, temperature }: { readonly model?: ScoringModel | undefined; readonly temperature: number },
): Promise<TrainingExample[]> {
  const scores: readonly TokenScores[] =
    model === undefined
      ? examples.map(({ trajectory, positions, columns: { oldLogprobs, oldEntropies } }) => ({
          logprobs: oldLogprobs ?? pick(trajectory.logprobs, positions),
          entropies: oldEntropies ?? pick(trajectory.entropies, positions),
        }))
      : await askByWindow(examples, temperature, (asked) => model.score(asked), joinScores);
  const sequences = examples.map(({ columns }, index) => ({ ...(scores[index] as TokenScores), columns }));
  const added = stepColumns(sequences, examples);
  return examples.map((example, index) => ({
    ...example,
    columns: {
      ...example.columns,
      ...Object.fromEntries(
        Object.entries(added[index] ?? {}).map(([name, values]) => [name, Float32Array.from(values)]),
      ),
    },
  }));
}
