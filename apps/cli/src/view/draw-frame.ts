/** @file One frame of the live view: pure, at most `rows` lines of at most `columns` cells. */
import { describeAlgorithms, describeEnvironments } from '@espalier/contracts/mixing';
import type { Console } from '../console.js';
import { estimateRemaining, formatDuration } from './eta.js';
import { standLines } from './level-lines.js';
import { cut, percent, percentWithInterval, short } from './numbers.js';
import type { RunProgress, RunTitle } from './run-progress.js';
import { drawSample } from './sample-lines.js';
import { drawBar, drawSparkline } from './sparkline.js';

export interface FrameSize {
  readonly columns: number;
  readonly rows: number;
}

/** Draws a run as lines of text. */
export function drawFrame(
  title: RunTitle,
  progress: RunProgress,
  size: FrameSize,
  colors: Console['colors'],
): string[] {
  const width = Math.max(40, Math.min(size.columns - 1, 120));
  const { spec } = title;
  const head = `${describeEnvironments(spec)} · ${describeAlgorithms(spec)} · ${title.model}   ${title.folder}`;
  const lines = [
    colors.bold(cut(head, width)),
    ...(title.summary === undefined ? [] : [colors.dim(cut(`  ${title.summary}`, width))]),
    stepLine(progress, width),
    phaseLine(progress, width, colors),
    '',
    ...curves(progress, width, colors),
    ...numbers(progress, width),
    ...healthLine(progress, width, colors),
    ...rewardParts(progress, width),
    ...standLines(spec, progress.latest).map((line) => cut(line, width)),
    ...validationLines(progress, width, colors),
  ];
  if (progress.notice !== '') lines.push(colors.dim(cut(progress.notice.replace(/\s+/g, ' '), width)));
  const room = size.rows - lines.length - 2;
  if (progress.sample !== undefined && room >= 4)
    lines.push('', ...drawSample(progress.sample, width, room - 1, colors));
  return lines.slice(0, Math.max(1, size.rows - 1));
}

function stepLine({ step, steps, times }: RunProgress, width: number): string {
  const eta = estimateRemaining(times, steps - step);
  const tail = eta === undefined ? '' : `  ${rangeText(eta)} left`;
  const label = `step ${step}/${steps} `;
  const room = Math.max(5, Math.min(30, width - label.length - tail.length));
  return cut(`${label}${drawBar(steps === 0 ? 0 : step / steps, room)}${tail}`, width);
}

/** A range that begins at zero, or within the same second, shows only its end. */
function rangeText([low, high]: readonly [number, number]): string {
  const from = formatDuration(low);
  const to = formatDuration(high);
  return low < 1000 || from === to ? `less than ${to === '0 s' ? '1 s' : to}` : `${from} – ${to}`;
}

function phaseLine(
  { phase, done, total, times, outcome, step }: RunProgress,
  width: number,
  colors: Console['colors'],
): string {
  const pace = times.count === 0 ? '' : `  ${formatDuration(times.mean)} per step`;
  const between = outcome ?? (step === 0 && times.count === 0 ? 'starting' : 'running');
  if (phase === undefined) return colors.dim(cut(`  ${between}${pace}`, width));
  const count = total > 1 ? ` ${done}/${total}` : '';
  return colors.dim(cut(`  ${phase}${count}${pace}`, width));
}

function curves({ success, entropy }: RunProgress, width: number, colors: Console['colors']): string[] {
  const room = Math.max(8, width - 26);
  if (success.length === 0) return [];
  return [
    `success  ${percent(success.at(-1)).padStart(8)}  ${colors.green(drawSparkline(success, room, [0, 1]))}`,
    `entropy  ${short(entropy.at(-1)).padStart(8)}  ${colors.cyan(drawSparkline(entropy, room))}`,
  ];
}

const shownNumbers: readonly (readonly [label: string, name: string, format: (value: number) => string])[] = [
  ['reward', 'rollout/reward_mean', short],
  ['in-group std', 'rollout/reward_std', short],
  ['format', 'rollout/format_valid_share', percent],
  ['reasoning', 'rollout/reasoning_length', (value) => `${short(value)} tokens`],
  ['gradient', 'policy/gradient_norm', short],
  ['KL', 'policy/approx_kl', short],
];

function numbers({ latest }: RunProgress, width: number): string[] {
  const present = shownNumbers.filter(([, name]) => name in latest);
  if (present.length === 0) return [];
  const cells = present.map(([label, name, format]) => `${label} ${format(latest[name] ?? Number.NaN)}`);
  return [cut(cells.slice(0, 3).join('   '), width), cut(cells.slice(3).join('   '), width)].filter(
    (line) => line !== '',
  );
}

/** The state of the collapse monitor, and which rules brought it there. */
function healthLine({ health }: RunProgress, width: number, colors: Console['colors']): string[] {
  if (health === undefined) return [];
  const line = cut(['health ', health.state, health.message].filter((part) => part !== '').join(' '), width);
  return [health.state === 'healthy' ? colors.dim(line) : colors.yellow(line)];
}

/** What each reward gave on average, before its weight: the sum can rise while one of them falls. */
function rewardParts({ latest }: RunProgress, width: number): string[] {
  const parts = Object.entries(latest).flatMap(([name, value]) => {
    const id = /^reward\/([^/]+)$/.exec(name)?.[1];
    return id === undefined ? [] : [`${id} ${short(value)}`];
  });
  return parts.length === 0 ? [] : [cut(`rewards  ${parts.join('   ')}`, width)];
}

function validationLines({ validation }: RunProgress, width: number, colors: Console['colors']): string[] {
  const [first] = validation;
  const last = validation.at(-1);
  if (first === undefined || last === undefined) return [];
  const text = (row: typeof first): string => {
    const { values } = row;
    const rate = values['validation/success_rate'] ?? Number.NaN;
    return percentWithInterval(
      rate,
      values['validation/success_low'] ?? Number.NaN,
      values['validation/success_high'] ?? Number.NaN,
    );
  };
  const now = last === first ? '' : ` → ${text(last)} at step ${last.step}`;
  const lines = [colors.yellow(cut(`validation  ${text(first)} at step ${first.step}${now}`, width))];
  if (validation.length < 3) return lines;
  const rates = validation.map((row) => row.values['validation/success_rate'] ?? Number.NaN);
  const each = cut(
    `  ${rates.map((rate) => (100 * rate).toFixed(1)).join(' ')} %`,
    width - 12 - Math.min(rates.length, 30),
  );
  return [...lines, colors.yellow(`            ${drawSparkline(rates, 30, [0, 1])}${each}`)];
}
