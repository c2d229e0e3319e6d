/**
 * @file The loss on observation tokens (ECHO): beside the policy loss, the policy learns to predict what the environment
 * shows. L = L_policy + λ · mean over observation tokens of −log π(token), with a mean of its own.
 *
 * @see arXiv:2605.24517. Here the two losses are two passes whose gradients add up, the cross-entropy is at temperature 1,
 * and the first observation counts too, since some episodes have no other.
 */
import { type Datum, defineMetric, type Trajectory, type TrainableModel } from '@espalier/contracts';
import { nllLoss } from '@espalier/objective';
import { cutWindows } from '@espalier/rollout';

const OBSERVATION_NLL = defineMetric({
  name: 'policy/observation_nll',
  unit: 'nats',
  formula:
    "mean over the iteration's mini-batches of -logprob, averaged over all observation tokens of the mini-batch; with update.observationLoss",
});

/** Lists the positions of observation tokens; the first token of a window is predicted by nothing. */
function listObservationPositions({ spans, windows = [] }: Trajectory): Int32Array {
  const starts = new Set([0, ...windows.map(({ start }) => start)]);
  const positions: number[] = [];
  for (const { kind, start, end } of spans)
    if (kind === 'observation') for (let t = start; t < end; t += 1) if (!starts.has(t)) positions.push(t);
  return Int32Array.from(positions).sort((a, b) => a - b);
}

/** Builds the data of the loss: every observation token has the weight coefficient / count. */
export function buildObservationBatch(trajectories: readonly Trajectory[], coefficient: number): Datum[] {
  const shown = trajectories.flatMap((trajectory) =>
    cutWindows(trajectory, listObservationPositions(trajectory)),
  );
  const count = shown.reduce((sum, { positions }) => sum + positions.length, 0);
  return shown.map(({ tokens, positions }) => ({
    tokens,
    positions,
    weights: new Float32Array(positions.length).fill(coefficient / count),
    columns: {},
  }));
}

/** Adds the gradient of the loss to those that the model has gathered; returns its metric. */
export async function learnObservations(
  model: Pick<TrainableModel, 'forwardBackward'>,
  trajectories: readonly Trajectory[],
  coefficient: number,
): Promise<Record<string, number>> {
  const batch = coefficient === 0 ? [] : buildObservationBatch(trajectories, coefficient);
  if (batch.length === 0) return {};
  const { loss } = await model.forwardBackward(batch, nllLoss);
  return { [OBSERVATION_NLL.name]: loss / coefficient };
}
