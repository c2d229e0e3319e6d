/**
 * @file Data of a batch as the Tinker API takes them. A datum holds the ids that the model reads and, shifted by one, the ids
 * that it has to predict; every other input is aligned with those and 0 where there is no loss. Our weight of a token is
 * multiplied into its advantage, which is the same for every named loss since weights are never negative.
 */
import type { Datum, LossSpec } from '@espalier/contracts';
import type { WireDatum, WireTensor } from '../wire/protobuf.js';
import type { TracedLoss } from '../wire/traced-loss.js';
import { inputName } from './trace-loss.js';

/**
 * How a server makes one number of the losses of tokens. The API says that it is their sum. Some divide each sequence by its
 * length, and the whole by the number of sequences; what they divide by is multiplied in beforehand.
 */
export interface Reduction {
  readonly data: 'sum' | 'mean';
  readonly tokens: 'sum' | 'mean';
}

/** Marks, for our own server, the positions that are asked about; the others are not computed. */
export const maskName = 'espalier_mask';

export const summed: Reduction = { data: 'sum', tokens: 'sum' };

export const isSummed = ({ data, tokens }: Reduction): boolean => data === 'sum' && tokens === 'sum';

/** Ids that are read: all before the last one that is predicted. */
const lengthOf = ({ positions }: Pick<Datum, 'positions'>): number => positions.at(-1) ?? 0;

/** The data of a batch that have loss tokens; the others take no part. */
export const withLoss = <One extends Pick<Datum, 'positions'>>(data: readonly One[]): One[] =>
  data.filter(({ positions }) => positions.length > 0);

function scatter(datum: Pick<Datum, 'positions'>, value: (n: number) => number): WireTensor {
  const data = new Float32Array(lengthOf(datum)); // [L]
  datum.positions.forEach((t, n) => (data[t - 1] = value(n)));
  return { dtype: 'float32', data };
}

type Tokens = Pick<Datum, 'tokens' | 'positions'>;

function wireDatum(datum: Tokens, inputs: Readonly<Record<string, WireTensor>>): WireDatum {
  const length = lengthOf(datum);
  const targets: WireTensor = { dtype: 'int64', data: datum.tokens.slice(1, length + 1) };
  return { tokens: datum.tokens.slice(0, length), inputs: { target_tokens: targets, ...inputs } };
}

/** Data of a forward pass; the weights mark what is asked about. */
export const forwardData = (data: readonly Tokens[]): WireDatum[] =>
  withLoss(data).map((datum) => wireDatum(datum, { weights: scatter(datum, () => 1) }));

export interface WireLoss {
  readonly lossFn: string;
  readonly lossConfig: Readonly<Record<string, number>>;
  readonly data: readonly WireDatum[];
  readonly traced?: TracedLoss;
}

/** What undoes the divisions of a server, for one datum. */
const factorOf = (datum: Tokens, count: number, { data, tokens }: Reduction): number =>
  (data === 'mean' ? count : 1) * (tokens === 'mean' ? lengthOf(datum) : 1);

/** Data of a named loss; `undefined` if this server cannot be given its weights. */
export function namedData(
  data: readonly Datum[],
  loss: NonNullable<LossSpec['named']>,
  reduction: Reduction,
  columns: Pick<LossSpec, 'columns'>['columns'],
): WireLoss | undefined {
  const kept = withLoss(data);
  if (loss.name === 'cross_entropy') {
    // where weights are divided by their own sum, no weight gives a sequence its share
    if (!isSummed(reduction)) return undefined;
    const wire = kept.map((datum) =>
      wireDatum(datum, { weights: scatter(datum, (n) => at(datum.weights, n)) }),
    );
    return { lossFn: loss.name, lossConfig: {}, data: wire };
  }
  if (!columns.includes('oldLogprobs') || !columns.includes('advantages')) return undefined;
  const lossConfig: Record<string, number> =
    'lowest' in loss ? { clip_low_threshold: loss.lowest, clip_high_threshold: loss.highest } : {};
  const wire = kept.map((datum) => {
    const factor = factorOf(datum, kept.length, reduction);
    return wireDatum(datum, {
      logprobs: scatter(datum, (n) => at(datum.columns['oldLogprobs'], n)),
      advantages: scatter(datum, (n) => at(datum.weights, n) * at(datum.columns['advantages'], n) * factor),
    });
  });
  return { lossFn: loss.name, lossConfig, data: wire };
}

/** Data of a loss that is sent as a graph, whose sums nothing divides. */
export function tracedData(data: readonly Datum[], traced: TracedLoss, columns: readonly string[]): WireLoss {
  const wire = withLoss(data).map((datum) => {
    const own = columns.map(
      (name) => [inputName(name), scatter(datum, (n) => at(datum.columns[name], n))] as const,
    );
    return wireDatum(datum, {
      weights: scatter(datum, (n) => at(datum.weights, n)),
      ...Object.fromEntries(own),
    });
  });
  return { lossFn: 'custom', lossConfig: {}, data: wire, traced };
}

/** A datum with what its loss is linear in. */
export interface LinearDatum extends Tokens {
  readonly logprobs: Float32Array; // [n]
  /** weight · dC/dlogprob */
  readonly gradient: Float32Array; // [n]
}

/**
 * Data of the linear loss: cross-entropy with the weights −dC/dlogprob, Σ −logprob · weight. On a server that divides by its
 * weights, importance sampling with the advantages −dC/dlogprob instead, whose ratio is 1 under the weights that gave the
 * log-probabilities.
 */
export function linearData(data: readonly LinearDatum[], reduction: Reduction): WireLoss {
  const kept = withLoss(data);
  if (isSummed(reduction)) {
    const wire = kept.map((datum) =>
      wireDatum(datum, { weights: scatter(datum, (n) => -at(datum.gradient, n)) }),
    );
    return { lossFn: 'cross_entropy', lossConfig: {}, data: wire };
  }
  const wire = kept.map((datum) => {
    const factor = factorOf(datum, kept.length, reduction);
    return wireDatum(datum, {
      logprobs: scatter(datum, (n) => at(datum.logprobs, n)),
      advantages: scatter(datum, (n) => -at(datum.gradient, n) * factor),
    });
  });
  return { lossFn: 'importance_sampling', lossConfig: {}, data: wire };
}

const at = (values: Float32Array | undefined, n: number): number => values?.[n] ?? Number.NaN;

/** Cuts data into requests of at most so many tokens. */
export function chunk(data: readonly WireDatum[], mostTokens: number, mostData: number): WireDatum[][] {
  const chunks: WireDatum[][] = [];
  let tokens = Infinity;
  for (const datum of data) {
    const last = chunks.at(-1);
    if (last === undefined || tokens + datum.tokens.length > mostTokens || last.length >= mostData) {
      chunks.push([datum]);
      tokens = datum.tokens.length;
    } else {
      last.push(datum);
      tokens += datum.tokens.length;
    }
  }
  return chunks;
}
