/**
 * @file The calls of a session as one trajectory. They form a tree: a call continues the one whose tokens its prompt begins
 * with. Each path from a root to a leaf that was sampled on its own is a window; the tokens of a call that several paths
 * share are sampled ones in the first of them, and text of the prompt in the others, so that each counts once.
 */
import type { RolloutSeeds, Span, SpanKind, Split, StopReason, Tokenizer, Turn } from '@espalier/contracts';
import type { UnscoredTrajectory } from '@espalier/plugin-kit';
import { countThinkTokens, decodePiece, findTextEnds } from '@espalier/rollout/agents';
import type { Call } from './call.js';

/** Which rollout a session is. */
export interface SessionRollout {
  readonly environment: string;
  readonly tag?: string | undefined;
  readonly level?: number | undefined;
  readonly split: Split;
  readonly step: number;
  readonly group: number;
  readonly index: number;
  readonly seeds: RolloutSeeds;
}

/** How a session ended. */
export interface SessionOutcome {
  readonly stopReason: StopReason;
  readonly reward: number;
  readonly metrics: Readonly<Record<string, number>>;
  readonly error?: string | undefined;
  readonly totalMs: number;
}

/** Tokens with what is known of each. */
class Columns {
  readonly tokens: number[] = [];
  readonly logprobs: number[] = [];
  readonly entropies: number[] = [];
  readonly textEnds: number[] = [];
  readonly spans: Span[] = [];

  push(
    kind: SpanKind,
    turn: number,
    ids: ArrayLike<number>,
    own: Partial<Record<'logprobs' | 'entropies' | 'textEnds', ArrayLike<number>>> = {},
  ): void {
    if (ids.length === 0) return;
    const start = this.tokens.length;
    for (let at = 0; at < ids.length; at += 1) {
      this.tokens.push(ids[at] as number);
      this.logprobs.push(own.logprobs?.[at] ?? 0);
      this.entropies.push(own.entropies?.[at] ?? 0);
      this.textEnds.push(own.textEnds?.[at] ?? 0);
    }
    const last = this.spans.at(-1);
    const end = this.tokens.length;
    if (last?.kind === kind && last.turn === turn && last.end === start)
      this.spans[this.spans.length - 1] = { ...last, end };
    else this.spans.push({ kind, start, end, turn });
  }
}

/** Joins what was sampled in a session. */
export function joinCalls(
  tokenizer: Tokenizer,
  calls: readonly Call[],
  rollout: SessionRollout,
  { stopReason, reward, metrics, error, totalMs }: SessionOutcome,
): UnscoredTrajectory {
  const columns = new Columns();
  const turns: Turn[] = [];
  const windows: { start: number; firstTurn: number }[] = [];
  const indices = new Map<Call, number>();
  for (const path of cutPaths(calls.filter(({ isDropped }) => !isDropped))) {
    const ancestors = listAncestors(path[0]);
    const firstTurn = Math.min(turns.length, ...ancestors.map((call) => indices.get(call) ?? turns.length));
    windows.push({ start: columns.tokens.length, firstTurn });
    for (const [at, call] of path.entries()) {
      indices.set(call, turns.length);
      // behind the start of a window all that came before is text of its prompt
      const known = at === 0 ? 0 : (call.parent?.tokens.length ?? 0);
      turns.push(appendCall(tokenizer, columns, call, known, turns.length));
    }
  }
  const last = turns.at(-1);
  if (last !== undefined) turns[turns.length - 1] = withReward(last, reward, metrics);
  const { environment, tag, level, split, step, group, index, seeds } = rollout;
  return {
    id: `${split}/${step}/${group}/${index}`,
    environment,
    ...(tag === undefined ? {} : { environmentTag: tag }),
    ...(level === undefined ? {} : { level }),
    split,
    step,
    group,
    index,
    seeds,
    tokens: Int32Array.from(columns.tokens),
    logprobs: Float32Array.from(columns.logprobs),
    entropies: Float32Array.from(columns.entropies),
    textEnds: Int32Array.from(columns.textEnds),
    ...(windows.length > 1 ? { windows } : {}),
    spans: columns.spans,
    turns,
    stopReason,
    success: stopReason === 'success',
    labels: [],
    ...(error === undefined ? {} : { error }),
    timings: { totalMs },
  };
}

/** Cuts the tree into paths: each call continues the path that ends with its parent, or begins one. */
function cutPaths(calls: readonly Call[]): [Call, ...Call[]][] {
  const paths: [Call, ...Call[]][] = [];
  for (const call of calls) {
    const path = paths.find((one) => one.at(-1) === call.parent);
    if (path === undefined) paths.push([call]);
    else path.push(call);
  }
  return paths;
}

function listAncestors({ parent }: Call): Call[] {
  return parent === undefined ? [] : [parent, ...listAncestors(parent)];
}

function appendCall(tokenizer: Tokenizer, columns: Columns, call: Call, known: number, turn: number): Turn {
  const { prompt, isShown, sample } = call;
  for (let from = known, to = known; from < prompt.length; from = to) {
    while (to < prompt.length && isShown[to] === isShown[from]) to += 1;
    columns.push(isShown[from] === 1 ? 'observation' : 'template', turn, prompt.subarray(from, to));
  }
  const start = columns.tokens.length;
  const last = sample.tokens.at(-1);
  const isStopped = last !== undefined && tokenizer.stopTokens.includes(last);
  const count = sample.tokens.length - Number(isStopped);
  const content = sample.tokens.subarray(0, count);
  const response = decodePiece(tokenizer, content, prompt.at(-1));
  const ends = Int32Array.from([
    ...findTextEnds(tokenizer, content, prompt.at(-1)),
    ...(isStopped ? [response.length] : []),
  ]);
  const closing = response.indexOf('</think>');
  const thinkLength = closing < 0 ? 0 : closing + '</think>'.length;
  const boundary = countThinkTokens(response, ends) ?? 0;
  for (const [kind, from, to] of [
    ['think', 0, boundary],
    ['answer', boundary, count],
    ['control', count, sample.tokens.length],
  ] as const)
    columns.push(kind, turn, sample.tokens.subarray(from, to), {
      logprobs: sample.logprobs.subarray(from, to),
      entropies: sample.entropies.subarray(from, to),
      textEnds: ends.subarray(from, to),
    });
  const answer = response.slice(thinkLength).trim();
  const { reward, metrics } = call.reward ?? { reward: 0, metrics: {} };
  return {
    index: turn,
    observation: call.observation === '' ? call.promptText : call.observation,
    stateKey: call.stateKey,
    render: '',
    facts: {},
    response,
    think: response
      .slice(0, Math.max(0, closing))
      .replace(/^\s*<think>/, '')
      .trim(),
    answer,
    formatValid: true,
    parsedActions: [answer],
    actions: [{ text: answer, valid: true, effective: true, reward, metrics: { ...metrics } }],
    reward,
    formatPenalty: 0,
    sampleStop: sample.stop,
    sampled: { start, end: columns.tokens.length },
    ...(sample.policyVersion === undefined ? {} : { policyVersion: sample.policyVersion }),
    timings: call.timings,
  };
}

/** Adds the reward of the whole session to its last turn. */
function withReward(turn: Turn, reward: number, metrics: Readonly<Record<string, number>>): Turn {
  return {
    ...turn,
    reward: turn.reward + reward,
    actions: turn.actions.map((action) => ({
      ...action,
      reward: action.reward + reward,
      metrics: { ...action.metrics, ...metrics },
    })),
  };
}
