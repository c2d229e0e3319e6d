/**
 * @file The three faces of a run: a frame that redraws on a terminal, a line per step elsewhere, events as JSON.
 */
import { describeAlgorithms, describeEnvironments } from '@espalier/contracts/mixing';
import type { EventSink, RunEvent } from '@espalier/contracts';
import type { MetricRow } from '@espalier/recorder';
import type { Console } from '../console.js';
import { drawFrame } from './draw-frame.js';
import { percent, percentWithInterval, short } from './numbers.js';
import { changeText, levelWords } from './level-lines.js';
import { advance, kindOfRow, recallProgress, type RunTitle, startProgress } from './run-progress.js';
import { showPath } from './show-path.js';

export interface RunView extends EventSink {
  /** Shows a notice below the live view, for five seconds at least. */
  say(text: string): void;
  /** Takes over what an earlier start of the run has measured. */
  recall(rows: readonly MetricRow[]): void;
  /** Stops redrawing, or starts again; events are still counted. */
  togglePause(): void;
  /** Leaves the last frame on the screen. */
  close(): void;
}

/** Creates the view that fits the console. */
export function createView(title: RunTitle, console: Console, asJson: boolean): RunView {
  if (asJson) return createJsonView(console);
  return console.isInteractive ? createLiveView(title, console) : createPlainView(title, console);
}

const frameMs = 100;
/** an answer to a key stays this long, even where steps are fast and each of them warns */
const answerMs = 5000;

function createLiveView(title: RunTitle, console: Console): RunView {
  let progress = startProgress;
  let drawn = 0;
  let timer: NodeJS.Timeout | undefined;
  let isPaused = false;
  let answer = { text: '', until: 0 };
  const draw = (): void => {
    timer = undefined;
    const notice = Date.now() < answer.until ? answer.text : progress.notice;
    const lines = drawFrame(
      title,
      { ...progress, notice },
      { columns: console.columns(), rows: console.rows() },
      console.colors,
    );
    const up = drawn > 0 ? `\u001b[${drawn}A` : '';
    // Wrap off while drawing, so that a wide character cannot break the count of rows.
    console.write(
      `\u001b[?25l\u001b[?7l${up}\r${lines.map((line) => `${line}\u001b[K\n`).join('')}\u001b[J\u001b[?7h`,
    );
    drawn = lines.length;
  };
  const schedule = (): void => {
    if (!isPaused) timer ??= setTimeout(draw, frameMs);
  };
  // However this process ends, the cursor comes back.
  const showCursor = (): void => console.write('\u001b[?25h');
  process.once('exit', showCursor);
  return {
    emit(event) {
      progress = advance(progress, event);
      if (event.kind === 'run-ended') answer = { text: '', until: 0 };
      schedule();
    },
    say(text) {
      answer = { text, until: Date.now() + answerMs };
      schedule();
    },
    togglePause() {
      isPaused = !isPaused;
      answer = {
        text: isPaused ? 'live view paused (p again: continue)' : '',
        until: isPaused ? Infinity : 0,
      };
      clearTimeout(timer);
      draw();
    },
    recall: (rows) => void (progress = recallProgress(progress, rows)),
    flush: () => Promise.resolve(),
    close() {
      clearTimeout(timer);
      draw();
      console.line();
      showCursor();
      process.off('exit', showCursor);
    },
  };
}

function createPlainView({ folder, spec, model }: RunTitle, console: Console): RunView {
  return {
    emit(event) {
      const line = plainLine(event);
      if (event.kind === 'run-started') {
        console.line(
          `run ${folder}: ${describeEnvironments(spec)}, ${describeAlgorithms(spec)}, ${model}; step ${event.step} of ${event.steps}`,
        );
      }
      if (line !== undefined) console.line(line);
    },
    say: (text) => console.note(text),
    togglePause: () => undefined,
    recall: () => undefined,
    flush: () => Promise.resolve(),
    close: () => undefined,
  };
}

/** One line for the events a log wants; undefined for the others. */
export function plainLine(event: RunEvent): string | undefined {
  switch (event.kind) {
    case 'metrics':
      return metricsLine(event.step, event.values);
    case 'level':
      return `step ${event.step}  ${changeText(event)}`;
    case 'warning':
      // said by the event of the monitor, line by line
      if (event.code === 'monitor.warning' || event.code === 'monitor.collapsed') return undefined;
      return `${event.step < 0 ? '' : `step ${event.step}  `}warning ${event.code}: ${event.message}`;
    case 'checkpoint':
      return `step ${event.step}  saved ${showPath(event.folder)}`;
    case 'monitor':
      return [`step ${event.step}  ${event.previous} → ${event.state}:`, event.message.split('; ')]
        .flat()
        .join(event.message.includes('; ') ? '\n  ' : ' ');
    case 'run-ended':
      // the error that follows gives the reason
      return event.outcome === 'failed'
        ? `failed at step ${event.step}`
        : `${event.outcome}: ${event.message}`;
    default:
      return undefined;
  }
}

function metricsLine(step: number, values: Readonly<Record<string, number>>): string | undefined {
  const kind = kindOfRow(values);
  if (kind === undefined) return undefined;
  return kind === 'step' ? stepLine(step, values) : validationLine(step, values);
}

function stepLine(step: number, values: Readonly<Record<string, number>>): string {
  const entropy = values['rollout/entropy'] ?? values['policy/entropy'];
  const parts = [
    `success ${percent(values['rollout/success_rate'])}`,
    `reward ${short(values['rollout/reward_mean'])}`,
    `entropy ${short(entropy)}`,
    `gradient ${short(values['policy/gradient_norm'])}`,
    ...levelWords(values),
  ];
  return `step ${step}  ${parts.join('  ')}`;
}

function validationLine(step: number, values: Readonly<Record<string, number>>): string {
  const number = (name: string): number => values[`validation/${name}`] ?? Number.NaN;
  return `step ${step}  validation success ${percentWithInterval(number('success_rate'), number('success_low'), number('success_high'))}`;
}

function createJsonView(console: Console): RunView {
  return {
    emit: (event) => console.line(JSON.stringify(summarize(event))),
    say: (text) => console.note(text),
    togglePause: () => undefined,
    recall: () => undefined,
    flush: () => Promise.resolve(),
    close: () => undefined,
  };
}

/** An event without the token arrays of trajectories, which the log of the run holds. */
function summarize(event: RunEvent): unknown {
  if (event.kind !== 'trajectory') return event;
  const {
    id,
    environment,
    environmentTag,
    level,
    split,
    step,
    group,
    index,
    score,
    stopReason,
    success,
    turns,
    tokens,
  } = event.trajectory;
  const brief = {
    id,
    environment,
    environmentTag,
    level,
    split,
    step,
    group,
    index,
    total: score.total,
    stopReason,
    success,
  };
  return { ...event, trajectory: { ...brief, turns: turns.length, tokens: tokens.length } };
}
