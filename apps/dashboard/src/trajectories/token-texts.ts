/** @file The texts of tokens and what is known of each. Pure functions. */
import type { TrajectoryDetails } from '@espalier/client';

type Trajectory = Pick<
  TrajectoryDetails,
  'tokens' | 'logprobs' | 'entropies' | 'textEnds' | 'spans' | 'turns'
>;

/** A token that the model sampled. */
export interface SampledToken {
  readonly index: number;
  readonly id: number | null;
  /** undefined: not recorded */
  readonly text: string | undefined;
  readonly logprob: number | null;
  readonly entropy: number | null;
  readonly kind: string;
}

/** A turn: tokens that the model read, and tokens that it sampled. */
export interface TokenTurn {
  readonly turn: number;
  /** tokens before the reply that belong to this turn */
  readonly read: number;
  readonly sampled: readonly SampledToken[];
}

/** Cuts the response of each turn at the ends of its tokens. A reply begins with text that was given, not sampled. */
export function tokensByTurn({
  tokens,
  logprobs,
  entropies,
  textEnds,
  spans,
  turns,
}: Trajectory): TokenTurn[] {
  let before = 0;
  return turns.map(({ index: turn, response, sampled: { start, end } }) => {
    const read = Math.max(0, start - before);
    before = end;
    const kindOf = kindsBetween(spans, start, end);
    const given = textEnds === null ? 0 : givenLength(response, textEnds, start, end);
    let from = given;
    const sampled = Array.from({ length: Math.max(0, end - start) }, (_, offset): SampledToken => {
      const index = start + offset;
      const to = textEnds?.[index] ?? undefined;
      const text = to === undefined ? undefined : response.slice(from, to);
      from = Math.max(from, to ?? from);
      return {
        index,
        id: tokens[index] ?? null,
        text,
        logprob: logprobs[index] ?? null,
        entropy: entropies[index] ?? null,
        kind: kindOf[offset] ?? 'template',
      };
    });
    return { turn, read, sampled };
  });
}

/** A reply in the usual form starts with a tag that the prompt wrote; it is text of the response but of no token. */
function givenLength(
  response: string,
  textEnds: readonly (number | null)[],
  start: number,
  end: number,
): number {
  const opened = /^<\w+>/.exec(response)?.[0].length ?? 0;
  return end > start && (textEnds[start] ?? 0) > opened ? opened : 0;
}

function kindsBetween(spans: Trajectory['spans'], start: number, end: number): string[] {
  const kinds = new Array<string>(Math.max(0, end - start)).fill('template');
  for (const span of spans)
    for (let at = Math.max(span.start, start); at < Math.min(span.end, end); at++)
      kinds[at - start] = span.kind;
  return kinds;
}

export type Measure = 'logprob' | 'entropy';

/** The ends of the scales are fixed, so that two trajectories compare, nats. */
export const scales: Readonly<Record<Measure, { readonly from: number; readonly to: number }>> = {
  logprob: { from: 0, to: -6 },
  entropy: { from: 0, to: 4 },
};

/** Place on the scale from 0 to 1; undefined: absent. */
export function placeOf(token: SampledToken, measure: Measure): number | undefined {
  const value = token[measure];
  if (value === null) return undefined;
  const { from, to } = scales[measure];
  return Math.max(0, Math.min(1, (value - from) / (to - from)));
}
