/**
 * @file A stored trajectory for eyes and for programs: lines of text turn by turn, or one plain JSON object.
 * Text of models and environments never reaches the terminal with characters that could command it.
 */
import { type Span, stopReasons, type Tokenizer, type Turn } from '@espalier/contracts';
import type { DroppedGroup } from '@espalier/contracts/group-filter';
import type { LabelRecord } from '@espalier/contracts/failure-labels';
import { type UpdateOutcome, updateOutcomes, type UpdateRecord } from '@espalier/contracts/update-record';
import type { StoredTrajectory } from '@espalier/recorder';
import { clean, type Console } from '../console.js';
import { short } from './numbers.js';

type Colors = Console['colors'];

/** What a trajectory is shown with. */
interface TrajectoryExtras {
  readonly tokenizer: Tokenizer | undefined;
  /** path of the saved picture of each turn */
  readonly pictures?: ReadonlyMap<Turn, string> | undefined;
}

/** Writes a trajectory as lines: what came of it, the first prompt, then each turn. */
export function trajectoryLines(
  trajectory: StoredTrajectory,
  { tokenizer, pictures = new Map() }: TrajectoryExtras,
  colors: Colors,
): string[] {
  const { turns, tokens } = trajectory;
  const [first] = turns;
  const prompt =
    tokenizer === undefined || first === undefined
      ? []
      : [colors.bold('prompt'), ...block(tokenizer.decode(tokens.subarray(0, first.sampled.start)))];
  return [
    ...summaryLines(trajectory, colors),
    ...prompt,
    ...turns.flatMap((turn) =>
      turnLines(trajectory, turn, turn === first && prompt.length > 0, { tokenizer, pictures }, colors),
    ),
  ];
}

function summaryLines(trajectory: StoredTrajectory, colors: Colors): string[] {
  const {
    id,
    environment,
    environmentTag,
    level,
    stopReason,
    success,
    labels,
    kept,
    dropped,
    seeds,
    score,
    spans,
    split,
    error,
  } = trajectory;
  const outcome = success ? colors.green('success') : colors.yellow('no success');
  const use = split === 'train' ? `, ${useText(kept, trajectory.update?.outcome)}` : '';
  const rewards = Object.entries(score.rewards).map(
    ([name, { value, weight }]) => `${name} ${short(value)}${weight === 1 ? '' : ` × ${short(weight)}`}`,
  );
  const sampled = spans.filter(isSampled);
  return [
    `${colors.bold(id)}  ${environmentTag === undefined ? '' : `${environmentTag}: `}${environment}${level === undefined ? '' : ` level ${level}`}  ${outcome}, ended by ${stopReason}: ${stopReasons[stopReason]}${use}`,
    ...(dropped === undefined ? [] : [said('dropped', droppedText(dropped), colors)]),
    ...(error === undefined ? [] : block(error).map((line) => colors.red(line))),
    ...(labels.length === 0 ? [] : [said('labels', labels.map(labelText).join(', '), colors)]),
    said('score', `${short(score.total)} = ${rewards.join(' + ') || 'nothing'}`, colors),
    said('seeds', `state ${seeds.state}, noise ${seeds.noise}, sampling ${seeds.sampling}`, colors),
    said('sampled', sampledText(trajectory, sampled), colors),
    ...(trajectory.update === undefined ? [] : [said('update', updateText(trajectory.update), colors)]),
  ];
}

/** A group may be kept and still teach nothing; only the update knows. */
function useText(kept: boolean, outcome: UpdateOutcome | undefined): string {
  if (outcome === 'critic-only') return 'learned from by the critic only';
  return kept && (outcome === undefined || outcome === 'trained') ? 'learned from' : 'not learned from';
}

/** What the update of its step did to it; what was not recorded is left out. */
function updateText({ outcome, lossTokens, clippedTokens, share, tokens }: UpdateRecord): string {
  const range = (name: string, values: Float32Array | undefined): string[] =>
    values === undefined || values.length === 0 ? [] : [`${name} ${extent(values).map(short).join(' to ')}`];
  return [
    outcome === 'trained' ? 'trained' : `${outcome}: ${updateOutcomes[outcome]}`,
    `${lossTokens} loss tokens`,
    ...(clippedTokens === undefined ? [] : [`${clippedTokens} clipped`]),
    ...(share === undefined ? [] : [`${short(share * 100)} % of the update`]),
    ...range('advantage', tokens?.advantages),
    ...range('ratio', tokens?.ratios),
  ].join(', ');
}

function extent(values: Float32Array): [number, number] {
  return values.reduce<[number, number]>(
    ([low, high], value) => [Math.min(low, value), Math.max(high, value)],
    [Infinity, -Infinity],
  );
}

function turnLines(
  trajectory: StoredTrajectory,
  turn: Turn,
  isPrompted: boolean,
  { tokenizer, pictures }: Required<TrajectoryExtras>,
  colors: Colors,
): string[] {
  const { observation, render, response, formatValid, actions, reward, formatPenalty, sampleStop } = turn;
  const picture = render.trim() !== '' && render.trimEnd() !== observation.trimEnd() ? block(render) : [];
  const taken = actions.map(
    ({ text, valid, effective, slipped }) =>
      `${clean(text)}${valid ? (effective ? '' : ' (nothing changed)') : ' (not legal)'}${slipped === true ? ' (slipped)' : ''}`,
  );
  const path = pictures?.get(turn);
  const cutOff = sampleStop === 'stop' ? '' : `; cut off by ${sampleStop}`;
  const spans = trajectory.spans.filter((span) => span.turn === turn.index && isSampled(span));
  return [
    colors.bold(`turn ${turn.index + 1}`),
    ...promptLines(trajectory, turn, colors),
    ...(isPrompted ? [] : block(observation)),
    ...picture,
    ...(path === undefined ? [] : [said('picture', path, colors)]),
    ...block(response).map((line, index) =>
      index === 0 ? `${colors.dim('  reply   ')} ${colors.cyan(line.trimStart())}` : colors.cyan(line),
    ),
    ...(formatValid && sampleStop === 'stop'
      ? []
      : [said('format', `${formatValid ? 'valid' : 'invalid'}${cutOff}`, colors)]),
    ...(formatValid ? [] : [said('read as', readText(turn), colors)]),
    ...(turn.plan === undefined ? [] : [said('oracle', planText(turn.plan), colors)]),
    said('actions', taken.join(', ') || 'none', colors),
    said(
      'reward',
      `${short(reward)}${formatPenalty === 0 ? '' : `, format ${short(formatPenalty)}`}`,
      colors,
    ),
    ...evidenceLines(trajectory, turn, tokenizer, colors),
    said('sampled', sampledText(trajectory, spans), colors),
  ];
}

/** Which turns the prompt held, where it left out some. */
function promptLines({ windows = [] }: StoredTrajectory, turn: Turn, colors: Colors): string[] {
  const window = windows.findLast(({ start }) => start < turn.sampled.start);
  if (window === undefined || window.firstTurn === 0) return [];
  const [first, last] = [window.firstTurn + 1, turn.index + 1];
  const held = first === last ? `turn ${last} alone` : `turns ${first} to ${last}`;
  return [said('prompt', `${held}, ${turn.sampled.start - window.start} tokens`, colors)];
}

const evidenceLimit = 12;

/** Which tokens of a turn earned or lost what, in their text where the tokenizer is known. */
function evidenceLines(
  { score, tokens }: StoredTrajectory,
  turn: Turn,
  tokenizer: Tokenizer | undefined,
  colors: Colors,
): string[] {
  const own = (score.evidence ?? []).filter((one) => one.turn === turn.index);
  const lines = own.slice(0, evidenceLimit).map(({ reward, start, end, value, note }) => {
    const text =
      tokenizer === undefined
        ? `tokens ${start} to ${end}`
        : `"${tokenizer.decode(tokens.subarray(start, end)).trim()}"`;
    return said('evidence', `${reward} ${short(value)}: ${clean(text)} – ${clean(note)}`, colors);
  });
  const rest = own.length - lines.length;
  return rest > 0 ? [...lines, said('evidence', `and ${rest} more`, colors)] : lines;
}

/** Why the group of a trajectory did not enter the batch. */
function droppedText({ reason, numbers }: DroppedGroup): string {
  const list = Object.entries(numbers).map(([name, value]) => `${clean(name)} ${short(value)}`);
  return `with its group, ${clean(reason)}${list.length === 0 ? '' : `: ${list.join(', ')}`}`;
}

const labelText = ({ name, turn }: LabelRecord): string => `${name} (turn ${turn + 1})`;

const planLimit = 8;

function planText(plan: readonly string[]): string {
  const rest = plan.length - planLimit;
  const shown = plan.slice(0, planLimit).map(clean).join(', ');
  return plan.length === 0 ? 'no way to success' : `${shown}${rest > 0 ? ` and ${rest} more` : ''}`;
}

function readText({ think, answer, parsedActions }: Turn): string {
  const parts = [
    ...(think === '' ? [] : [`think "${clean(think)}"`]),
    `answer "${clean(answer)}"`,
    `actions ${parsedActions.map((text) => `"${clean(text)}"`).join(', ') || 'none'}`,
  ];
  return parts.join(', ');
}

const isSampled = ({ kind }: Span): boolean => kind === 'think' || kind === 'answer' || kind === 'control';

function sampledText({ entropies, logprobs }: StoredTrajectory, spans: readonly Span[]): string {
  const count = spans.reduce((sum, { start, end }) => sum + end - start, 0);
  if (count === 0) return 'no tokens';
  const mean = (values: Float32Array): number =>
    spans.reduce((sum, { start, end }) => sum + values.subarray(start, end).reduce((a, b) => a + b, 0), 0) /
    count;
  return `${count} tokens, mean entropy ${short(mean(entropies))}, mean log-probability ${short(mean(logprobs))} nats`;
}

function said(label: string, text: string, colors: Colors): string {
  return `${colors.dim(`  ${label.padEnd(8)}`)} ${text}`;
}

/** Text of several lines, each made harmless and indented. */
function block(text: string): string[] {
  return text
    .trimEnd()
    .split('\n')
    .map((line) => `    ${clean(line)}`);
}

/** Gives a trajectory as plain JSON: arrays of numbers, and the text of each span where the tokenizer is known. */
export function plainTrajectory(trajectory: StoredTrajectory, tokenizer: Tokenizer | undefined): object {
  const { tokens, logprobs, entropies, spans, update } = trajectory;
  return {
    ...trajectory,
    ...(update === undefined ? {} : { update: withPlainArrays(update) }),
    tokens: [...tokens],
    logprobs: [...logprobs],
    entropies: [...entropies],
    spans: spans.map((span) =>
      tokenizer === undefined
        ? span
        : { ...span, text: tokenizer.decode(tokens.subarray(span.start, span.end)) },
    ),
  };
}

/** Typed arrays become arrays, at any depth. */
function withPlainArrays(value: unknown): unknown {
  if (ArrayBuffer.isView(value)) return [...(value as Float32Array)];
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, withPlainArrays(each)]));
}
