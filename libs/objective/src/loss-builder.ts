import type { Tensor } from '@espalier/graph';

/** What a policy's loss is built from; N loss positions of a micro-batch. */
export interface LossInput {
  /** under the weights being trained, nats */
  readonly logprobs: Tensor; // [N]
  /** nats */
  readonly entropies: Tensor; // [N]
  /** per-token inputs by name, as listed in the loss's `columns` */
  readonly columns: Readonly<Record<string, Tensor>>; // each [N]
  readonly params: Readonly<Record<string, number | boolean | string>>;
}

/** What a critic's loss is built from. */
export interface ValueLossInput {
  readonly values: Tensor; // [N]
  readonly columns: Readonly<Record<string, Tensor>>; // each [N]
  readonly params: Readonly<Record<string, number | boolean | string>>;
}

export interface LossOutput {
  /** minimised after the weighted sum over the batch */
  readonly perToken: Tensor; // [N]
  /** reported as weighted sums over the batch, by metric name */
  readonly metrics: Readonly<Record<string, Tensor>>; // each [N]
}

export type LossBuilder = (input: LossInput) => LossOutput;
export type ValueLossBuilder = (input: ValueLossInput) => LossOutput;
