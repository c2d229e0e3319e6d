/**
 * @file The tokens of a stored trajectory in columns, page by page, and summed up for an overview. A value that does not
 * exist is null, never 0; `mask` and the update of the trajectory say why.
 */
import { AppError, type Span } from '@espalier/contracts';
import { type ClipSide, clipSides, type TokenUpdates } from '@espalier/contracts/update-record';
import type { StoredTrajectory } from '@espalier/recorder';
import { z } from 'zod';
import { wholeNumber } from '../../input/parse-input.js';

/** Columns of numbers that a token may have. */
export const tokenColumns = {
  logprobs: 'log-probability at sampling, nats',
  entropies: 'entropy at sampling, nats',
  advantages: 'advantage, as the loss read it',
  returns: 'return',
  trainerLogprobs: 'log-probability under the trainer at its first pass, nats',
  referenceLogprobs: 'log-probability under the reference policy, nats',
  samplerWeights: 'weight of the correction between sampler and trainer',
  ratios: 'probability under the trainer / old probability at the last pass, as the loss computes it',
  losses: 'loss of the token at the last pass, before its weight',
  gradientWeights:
    '−∂(weighted loss)/∂(log-probability) at the last pass; above 0 makes the token more likely',
} as const;
export type TokenColumnName = keyof typeof tokenColumns;

/** Series of a summary alone: one column minus another, whose extremes are those of neither. */
export const tokenDifferences = {
  differences: ['trainerLogprobs', 'logprobs'],
  // k1 of KL(sampler || reference)
  referenceKl: ['logprobs', 'referenceLogprobs'],
} as const satisfies Readonly<Record<string, readonly [TokenColumnName, TokenColumnName]>>;
const columnNames = Object.keys(tokenColumns) as TokenColumnName[];

/** What a token is to the loss. */
export const tokenMask = { notSampled: 0, outsideLoss: 1, inLoss: 2 } as const;
/** Codes of sides; 0: not clipped. */
export const clipCodes = Object.fromEntries(
  (Object.keys(clipSides) as ClipSide[]).map((side, index) => [side, index + 1]),
) as Record<ClipSide, number>;

const most = { page: 20_000, buckets: 2000, extremes: 20 } as const;
export const tokenPageRequest = z.strictObject({
  from: wholeNumber.pipe(z.int().min(0)).default(0).describe('first token, from 0'),
  count: wholeNumber
    .pipe(z.int().min(1).max(most.page))
    .default(4096)
    .describe(`at most ${most.page} tokens`),
});
export const tokenSummaryRequest = z.strictObject({
  buckets: wholeNumber
    .pipe(z.int().min(1).max(most.buckets))
    .default(1000)
    .describe(`parts of equal length, at most ${most.buckets}`),
});

type Column = readonly (number | null)[];

export class TrajectoryTokens {
  from!: number;

  total!: number;

  tokens!: readonly number[];

  textEnds!: readonly number[] | null;

  mask!: readonly number[];

  clipped!: Column | null;

  logprobs!: Column;

  entropies!: Column;

  advantages!: Column | null;

  returns!: Column | null;

  trainerLogprobs!: Column | null;

  referenceLogprobs!: Column | null;

  samplerWeights!: Column | null;

  ratios!: Column | null;

  losses!: Column | null;

  gradientWeights!: Column | null;
}

export class TokenSeries {
  name!: string;

  minima!: Column;

  maxima!: Column;

  means!: Column;

  extremes!: readonly number[];
}

export class TokenSummary {
  total!: number;

  bucketTokens!: number;

  sampled!: readonly number[];

  inLoss!: readonly number[];

  clipped!: readonly number[] | null;

  series!: readonly TokenSeries[];
}

/** Reads values at any token; NaN: there is none. */
type Reader = (token: number) => number;

interface TokenReaders {
  readonly mask: Uint8Array;
  readonly clipped: Reader | undefined;
  /** of the columns that the trajectory has */
  readonly columns: ReadonlyMap<TokenColumnName, Reader>;
}

/** Cuts a page out of the tokens of a trajectory. */
export function cutTokenPage(stored: StoredTrajectory, from: number, count: number): TrajectoryTokens {
  const total = stored.tokens.length;
  if (from > total)
    throw new AppError(
      'server.invalid_input',
      `read tokens of "${stored.id}": from is ${from}, and it has ${total}; pages begin at 0`,
    );
  const { mask, clipped, columns } = readersOf(stored);
  const end = Math.min(total, from + count);
  const read = (reader: Reader): Column =>
    Array.from({ length: end - from }, (_, index) => numberOrNull(reader(from + index)));
  const optional = (name: TokenColumnName): Column | null => {
    const reader = columns.get(name);
    return reader === undefined ? null : read(reader);
  };
  return {
    from,
    total,
    tokens: Array.from(stored.tokens.subarray(from, end)),
    textEnds: stored.textEnds === undefined ? null : Array.from(stored.textEnds.subarray(from, end)),
    mask: Array.from(mask.subarray(from, end)),
    clipped: clipped === undefined ? null : read(clipped),
    logprobs: optional('logprobs') ?? [],
    entropies: optional('entropies') ?? [],
    advantages: optional('advantages'),
    returns: optional('returns'),
    trainerLogprobs: optional('trainerLogprobs'),
    referenceLogprobs: optional('referenceLogprobs'),
    samplerWeights: optional('samplerWeights'),
    ratios: optional('ratios'),
    losses: optional('losses'),
    gradientWeights: optional('gradientWeights'),
  };
}

/** Sums the tokens of a trajectory up in parts of equal length. */
export function summarizeTokens(stored: StoredTrajectory, buckets: number): TokenSummary {
  const { mask, clipped, columns } = readersOf(stored);
  const total = stored.tokens.length;
  const bucketTokens = Math.max(1, Math.ceil(total / buckets));
  const length = Math.ceil(total / bucketTokens);
  const countWhere = (holds: (token: number) => boolean): number[] => {
    const counts = new Array<number>(length).fill(0);
    for (let t = 0; t < total; t += 1) if (holds(t)) (counts[Math.floor(t / bucketTokens)] as number) += 1;
    return counts;
  };
  return {
    total,
    bucketTokens,
    sampled: countWhere((t) => mask[t] !== tokenMask.notSampled),
    inLoss: countWhere((t) => mask[t] === tokenMask.inLoss),
    clipped: clipped === undefined ? null : countWhere((t) => clipped(t) > 0),
    series: [...columns, ...differencesOf(columns)].map(([name, reader]) =>
      summarizeColumn(name, reader, { total, bucketTokens, length }),
    ),
  };
}

/** Those of which the trajectory has both columns. */
const differencesOf = (columns: TokenReaders['columns']): (readonly [name: string, reader: Reader])[] =>
  Object.entries(tokenDifferences).flatMap(([name, [value, less]]) => {
    const [of, minus] = [columns.get(value), columns.get(less)];
    return of === undefined || minus === undefined ? [] : [[name, (t: number) => of(t) - minus(t)] as const];
  });

function summarizeColumn(
  name: string,
  reader: Reader,
  { total, bucketTokens, length }: { total: number; bucketTokens: number; length: number },
): TokenSeries {
  const minima = new Array<number | null>(length).fill(null);
  const maxima = new Array<number | null>(length).fill(null);
  const sums = new Float64Array(length);
  const counts = new Uint32Array(length);
  // a ratio or weight of 1 is no deviation
  const neutral = name === 'ratios' || name === 'samplerWeights' ? 1 : 0;
  const extremes = keepLargest(most.extremes);
  for (let t = 0; t < total; t += 1) {
    const value = reader(t);
    if (!Number.isFinite(value)) continue;
    const bucket = Math.floor(t / bucketTokens);
    minima[bucket] = Math.min(minima[bucket] ?? value, value);
    maxima[bucket] = Math.max(maxima[bucket] ?? value, value);
    sums[bucket] = (sums[bucket] as number) + value;
    counts[bucket] = (counts[bucket] as number) + 1;
    extremes.add(t, Math.abs(value - neutral));
  }
  return {
    name,
    minima,
    maxima,
    means: Array.from(sums, (sum, bucket) => (counts[bucket] ? sum / (counts[bucket] as number) : null)),
    extremes: extremes.tokens(),
  };
}

/** Keeps the tokens of largest size, the largest first; of equal ones the first. */
function keepLargest(count: number): { add(token: number, size: number): void; tokens(): number[] } {
  const kept: { readonly token: number; readonly size: number }[] = [];
  return {
    add(token, size) {
      if (kept.length === count && size <= (kept.at(-1)?.size ?? 0)) return;
      const place = kept.findIndex((other) => other.size < size);
      kept.splice(place < 0 ? kept.length : place, 0, { token, size });
      if (kept.length > count) kept.pop();
    },
    tokens: () => kept.map(({ token }) => token),
  };
}

function readersOf(stored: StoredTrajectory): TokenReaders {
  const { tokens, logprobs, entropies, spans, update } = stored;
  const mask = maskOf(tokens.length, spans, update?.tokens);
  const columns = new Map<TokenColumnName, Reader>();
  const ofSampled =
    (values: Float32Array): Reader =>
    (t) =>
      mask[t] === tokenMask.notSampled ? Number.NaN : (values[t] ?? Number.NaN);
  columns.set('logprobs', ofSampled(logprobs)).set('entropies', ofSampled(entropies));
  const updates = update?.tokens;
  if (updates === undefined) return { mask, columns, clipped: undefined };
  const placed = placeLossTokens(tokens.length, updates.ranges);
  for (const name of columnNames) {
    const values = name === 'logprobs' || name === 'entropies' ? undefined : updates[name];
    if (values !== undefined) columns.set(name, (t) => values[placed[t] as number] ?? Number.NaN);
  }
  if (updates.losses === undefined) return { mask, columns, clipped: undefined };
  const codes = new Uint8Array(updates.losses.length);
  for (const [side, indices] of Object.entries(updates.clipped ?? {}))
    for (const index of indices) codes[index] = clipCodes[side as ClipSide];
  return { mask, columns, clipped: (t) => codes[placed[t] as number] ?? Number.NaN };
}

/** For each token its index among the loss tokens; −1: it is none. */
function placeLossTokens(length: number, ranges: Int32Array): Int32Array {
  const placed = new Int32Array(length).fill(-1);
  let next = 0;
  for (let r = 0; r + 1 < ranges.length; r += 2)
    for (let t = ranges[r] as number; t < (ranges[r + 1] as number); t += 1) placed[t] = next++;
  return placed;
}

/** Without a record of tokens, what the loss covers is not known: sampled tokens are `outsideLoss` then. */
function maskOf(length: number, spans: readonly Span[], updates: TokenUpdates | undefined): Uint8Array {
  const mask = new Uint8Array(length);
  for (const { kind, start, end } of spans)
    if (kind !== 'template' && kind !== 'observation') mask.fill(tokenMask.outsideLoss, start, end);
  const ranges = updates?.ranges ?? [];
  for (let r = 0; r + 1 < ranges.length; r += 2)
    mask.fill(tokenMask.inLoss, ranges[r] as number, ranges[r + 1] as number);
  return mask;
}

const numberOrNull = (value: number): number | null => (Number.isFinite(value) ? value : null);
