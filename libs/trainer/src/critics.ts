/**
 * @file The critics of a run. One begins at a head of zero and learns from the mini-batches of the policy; each further one
 * has a head drawn by a seed of its own and mini-batches in an order of its own, as the networks of a deep ensemble have
 * (Lakshminarayanan et al. 2017, arXiv:1612.01474, sec. 2.4, which finds that they need no bootstrap samples). All learn the
 * same returns from all trajectories, as in REDQ (Chen et al. 2021, arXiv:2101.05982, Algorithm 1).
 */
import { join } from 'node:path';
import type { CriticModel, PolicyEngine } from '@espalier/contracts';
import { deriveSeed } from '@espalier/random';
import type { TrainingExample } from './batch.js';

/** Folder of a critic in a checkpoint, by its number from 0: `critic`, `critic-2`, … */
export const criticFolder = (index: number): string => (index === 0 ? 'critic' : `critic-${index + 1}`);

/** Column of what one of several critics said before the update; `oldValues` has what credit took for the value. */
export const criticColumn = (index: number): string => `oldValues/${index + 1}`;

/** Opens critics one after the other. @param count 0: none */
export async function openCritics(
  engine: Pick<PolicyEngine, 'openCritic'>,
  count: number,
  runSeed: number,
  closers: (() => Promise<void> | void)[],
): Promise<readonly CriticModel[]> {
  const critics: CriticModel[] = [];
  for (let index = 0; index < count; index += 1) {
    const critic = await (index === 0
      ? engine.openCritic()
      : engine.openCritic(deriveSeed(runSeed, 'critic', index)));
    closers.push(() => critic.dispose());
    critics.push(critic);
  }
  return critics;
}

/** Loads the critics of a checkpoint with their moments. */
export async function loadCritics(folder: string, critics: readonly CriticModel[]): Promise<void> {
  for (const [index, critic] of critics.entries())
    await critic.load(join(folder, criticFolder(index)), { optimizer: true });
}

/** Examples whose old values are those of one critic; undefined: there is one critic, and they are. */
export const withValuesOf = (
  examples: readonly TrainingExample[],
  column: string | undefined,
): readonly TrainingExample[] =>
  column === undefined
    ? examples
    : examples.map((example) => {
        const { [column]: oldValues, ...columns } = example.columns;
        return oldValues === undefined ? example : { ...example, columns: { ...columns, oldValues } };
      });
