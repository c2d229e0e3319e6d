/**
 * @file A training step over whole sequences: forward, loss, and gradients added to those gathered so far, for policies and
 * critics. Sums over positions are left to the caller, who adds few numbers in a fixed order.
 */
import {
  add,
  broadcastTo,
  type Dim,
  dimProduct,
  gradient,
  type Graph,
  reshape,
  scatterAdd,
  type Tensor,
} from '@espalier/graph';
import { parameterOf } from './backbone.js';
import { isOfHead } from './lora.js';
import { EMBEDDING, OUTPUT_HEAD, VALUE_HEAD } from './model-weights.js';
import { buildInputs, type SequenceInputs, type TrainingGraphOptions } from './sequence-inputs.js';
import { buildPolicyHead, buildValueHead, type LossGraph } from './training-heads.js';
import { COLUMN, GATHERED, GRADIENT } from './training-names.js';

/**
 * Builds a training step for given loss columns.
 *
 * Only what is trained has gradients: all parameters, or with frozen weights the adapters and the head of a critic.
 *
 * Inputs besides the parameters: `ids` [B, T] (or packed rows, see row-layout.ts), `rows`, `targets` [N] int64, `weights` [N], `inverse_temperature` [N]
 * (policy), `column:<name>` [N], `gathered:<parameter>` (gradients so far), with dropout the keys of rows (lora-dropout.ts).
 * Outputs: `loss` [N] and `metric:<name>` [N], weighted; `logprobs`, `entropies` or `values` [N]; `gradient:<parameter>`.
 */
export function buildTrainingGraph(
  options: TrainingGraphOptions,
  loss: LossGraph,
  columnNames: readonly string[],
): Graph {
  const inputs = buildInputs(options);
  const { graph } = inputs;
  const columns = Object.fromEntries(
    columnNames.map((name) => [name, graph.input(`${COLUMN}${name}`, 'float32', [options.rows])]),
  );
  const weights = graph.input('weights', 'float32', [options.rows]);
  const head = options.role === 'policy' ? buildPolicyHead : buildValueHead;
  const { normedGradient, headGradients } = head(inputs, options, { loss, columns, weights });
  const gradients = backbonePass(inputs, normedGradient);
  for (const name of inputs.trained) {
    const gathered = graph.input(`${GATHERED}${name}`, 'float32', parameterOf(inputs.parameters, name).shape);
    const ofHead = headGradients.get(name);
    const summands = ofHead === undefined ? [] : [ofHead];
    if (name === EMBEDDING) {
      graph.output(
        `${GRADIENT}${name}`,
        scatterRows(summands.reduce(add, gathered), inputs.ids, gradients.get(inputs.embedded) as Tensor),
      );
      continue;
    }
    const own = gradients.get(parameterOf(inputs.parameters, name));
    graph.output(
      `${GRADIENT}${name}`,
      [...summands, ...(own === undefined ? [] : [own])].reduce(add, gathered),
    );
  }
  return graph;
}

/** Differentiates what is trained from the final norm down; the embedding's rows are added by {@link scatterRows}. */
function backbonePass(
  { parameters, trained, normed, embedded }: SequenceInputs,
  normedGradient: Tensor,
): Map<Tensor, Tensor> {
  const inner = trained
    .filter((name) => name !== OUTPUT_HEAD && name !== VALUE_HEAD && !isOfHead(name))
    .map((name) => (name === EMBEDDING ? embedded : parameterOf(parameters, name)));
  const gradients = gradient(normed, inner, normedGradient);
  return new Map(inner.map((tensor, i) => [tensor, gradients[i] as Tensor]));
}

/** Adds each row of a gradient to the row of its token; ScatterElements keeps a fixed order, ScatterND does not. */
function scatterRows(target: Tensor, ids: Tensor, rowGradients: Tensor): Tensor {
  const count = dimProduct(...ids.shape);
  const index = broadcastTo(reshape(ids, [count, 1]), [count, target.shape[1] as Dim]);
  return scatterAdd(target, index, rowGradients, 0);
}
