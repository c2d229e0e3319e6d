/**
 * @file Small synthetic trajectories for tests of rewards.
 */
import type { Span, Turn } from '@espalier/contracts';
import type { UnscoredTrajectory } from '../define-reward.js';

const TOKENS_PER_TURN = 8;

/** Builds one turn with the given fields. */
export function sampleTurn(index: number, given: Partial<Turn> = {}): Turn {
  const start = index * TOKENS_PER_TURN + 3;
  return {
    index,
    observation: '_P\nG_',
    stateKey: `state ${index}`,
    render: '_P\nG_',
    facts: { player: [0, 1] },
    response: '<think>goal 1 down 1 left.</think><answer>Down</answer>',
    think: 'goal 1 down 1 left.',
    answer: 'Down',
    formatValid: true,
    parsedActions: ['Down'],
    actions: [{ text: 'Down', valid: true, effective: true, reward: 0, metrics: {} }],
    reward: 0,
    formatPenalty: 0,
    sampleStop: 'stop',
    sampled: { start, end: start + 5 },
    policyVersion: 0,
    timings: { sampleMs: 1, environmentMs: 1 },
    ...given,
  };
}

/** Builds a trajectory without a score from turns. */
export function sampleTrajectory(
  turns: readonly Turn[],
  given: Partial<UnscoredTrajectory> = {},
): UnscoredTrajectory {
  const length = turns.length * TOKENS_PER_TURN;
  const spans = turns.flatMap(({ index, sampled: { start, end } }): Span[] => [
    { kind: 'observation', start: start - 3, end: start, turn: index },
    { kind: 'think', start, end: start + 2, turn: index },
    { kind: 'answer', start: start + 2, end: end - 1, turn: index },
    { kind: 'control', start: end - 1, end, turn: index },
  ]);
  return {
    id: 'train/1/0/0',
    environment: 'sample',
    split: 'train',
    step: 1,
    group: 0,
    index: 0,
    seeds: { state: 1, noise: 2, sampling: 3 },
    tokens: new Int32Array(length),
    logprobs: new Float32Array(length),
    entropies: new Float32Array(length),
    textEnds: textEndsOf(turns, spans, length),
    spans,
    turns,
    stopReason: 'turns',
    success: false,
    labels: [],
    timings: { totalMs: 2 },
    ...given,
  };
}

/** Deals the characters of each reply to its think and answer tokens, up to the closing tag and after it. */
function textEndsOf(turns: readonly Turn[], spans: readonly Span[], length: number): Int32Array {
  const ends = new Int32Array(length);
  for (const { kind, start, end, turn } of spans) {
    const response = turns[turn]?.response ?? '';
    if (kind === 'observation') continue;
    const closing = response.indexOf('</think>');
    const boundary = closing < 0 ? 0 : closing + '</think>'.length;
    const [from, to] = kind === 'think' ? [0, boundary] : [boundary, response.length];
    for (let t = start; t < end; t++)
      ends[t] = kind === 'control' ? to : from + Math.round(((to - from) * (t + 1 - start)) / (end - start));
  }
  return ends;
}

/** Writes a reply of a think block and an answer. */
export function sampleReply(think: string, answer: string): string {
  return `<think>${think}</think><answer>${answer}</answer>`;
}

/**
 * Builds a trajectory of raw replies as a run with required thoughts would record it: `<think>` is given, and each word
 * (with the space before it), tag or sign is one token. `given` changes the turns, such as their facts and actions.
 */
export function sampleTrajectoryOf(
  replies: readonly string[],
  given: (index: number) => Partial<Turn> = () => ({}),
): UnscoredTrajectory {
  const spans: Span[] = [];
  const ends: number[] = [];
  const turns = replies.map((response, index): Turn => {
    ends.push(0, 0);
    spans.push({ kind: 'observation', start: ends.length - 2, end: ends.length, turn: index });
    const start = ends.length;
    const opened = response.startsWith('<think>') ? '<think>'.length : 0;
    const pieces =
      response.slice(opened).match(/<\/?[a-z]+>|\s*[\p{L}\p{N}]+|\s*[^\s\p{L}\p{N}]|\s+/gu) ?? [];
    let at = opened;
    for (const piece of pieces) ends.push((at += piece.length));
    const closing = response.indexOf('</think>');
    const hasThought = closing >= 0 || opened > 0;
    const boundary = closing < 0 ? response.length : closing + '</think>'.length;
    const thought = hasThought ? ends.slice(start).filter((end) => end <= boundary).length : 0;
    if (thought > 0) spans.push({ kind: 'think', start, end: start + thought, turn: index });
    if (ends.length > start + thought)
      spans.push({ kind: 'answer', start: start + thought, end: ends.length, turn: index });
    spans.push({ kind: 'control', start: ends.length, end: ends.length + 1, turn: index });
    ends.push(at);
    const think = hasThought ? response.slice(opened, closing < 0 ? undefined : closing).trim() : '';
    const answer = /<answer>([^<]*)<\/answer>/.exec(response)?.[1]?.trim() ?? '';
    const formatValid = closing >= 0 && answer !== '';
    const own = { response, think, answer, formatValid, sampled: { start, end: ends.length } };
    return sampleTurn(index, { ...own, ...given(index) });
  });
  const textEnds = Int32Array.from(ends);
  const [logprobs, entropies] = [new Float32Array(ends.length), new Float32Array(ends.length)];
  return sampleTrajectory(turns, {
    spans,
    textEnds,
    tokens: new Int32Array(ends.length),
    logprobs,
    entropies,
  });
}

/** Trajectories that every reward must handle: successes, failures, invalid formats, one turn, no turns. */
export function sampleTrajectories(): UnscoredTrajectory[] {
  const broken = {
    formatValid: false,
    think: '',
    answer: '',
    parsedActions: [],
    actions: [],
    formatPenalty: -0.1,
  };
  return [
    sampleTrajectory([sampleTurn(0), sampleTurn(1, { reward: 1 })], { success: true, stopReason: 'success' }),
    sampleTrajectory([
      sampleTurn(0, { reward: -0.1 }),
      sampleTurn(1, broken),
      sampleTurn(2, { reward: -0.2 }),
    ]),
    sampleTrajectory([sampleTurn(0, { ...broken, response: '', sampleStop: 'length' })]),
    sampleTrajectory([sampleTurn(0, { facts: {}, reward: 10.9 })], { success: true, stopReason: 'success' }),
    sampleTrajectory([], { stopReason: 'context' }),
  ];
}
