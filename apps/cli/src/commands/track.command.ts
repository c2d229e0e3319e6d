import { basename, join, resolve } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { AppError, isAppError, runLayout } from '@espalier/contracts';
import {
  createShipment,
  type NamedTracker,
  type Shipment,
  type TrackedEnd,
  trackerForms,
} from '@espalier/trackers';
import type { Command } from 'commander';
import type { CommandContext } from '../command-context.js';
import type { Console } from '../console.js';
import { examples } from '../examples.js';
import { createInterrupt } from '../interrupt.js';
import { readEnd } from '../local/recorded-end.js';
import { readRunSpec } from '../local/recorded-run.js';
import { namedTrackers } from '../local/run-reports.js';
import { collect } from '../parse-arguments.js';

interface TrackOptions {
  readonly to: readonly string[];
  readonly follow?: boolean;
  readonly json?: boolean;
}

/** Pauses before a request is sent again, in ms. */
const pauses = [500, 2000, 5000];
const followMs = 1000;

/** Adds `espalier track`. */
export function addTrackCommand(program: Command, { console }: CommandContext): void {
  program
    .command('track <run...>')
    .description('send recorded runs to an experiment tracker; what it has already is not sent again')
    .option(
      '--to <tracker>',
      `${trackerForms}; repeatable; default: those of ESPALIER_REPORT_TO`,
      collect,
      [],
    )
    .option('--follow', 'go on until the run ends')
    .option('--json', 'one object per run and tracker')
    .addHelpText(
      'after',
      examples(
        [
          'track runs/bandit-grpo-1 --to tensorboard',
          'writes runs/bandit-grpo-1/tensorboard; then: tensorboard --logdir runs',
        ],
        ['track runs/* --to mlflow:http://127.0.0.1:5000#bandit', 'all runs, to the experiment "bandit"'],
      ),
    )
    .action(async (runs: string[], options: TrackOptions) => {
      const trackers = namedTrackers(options.to);
      if (trackers.length === 0)
        throw new AppError(
          'cli.usage',
          `track ${runs.join(' ')}: no tracker is named; add --to: ${trackerForms}`,
        );
      const interrupt = createInterrupt(console, () => console.note('stopping; what was sent is remembered'));
      try {
        for (const run of runs)
          for (const tracker of trackers)
            await track({ run, tracker, follow: options.follow === true }, interrupt.signal, (sent) =>
              report({ run, tracker, ...sent }, options.json === true, console),
            );
      } finally {
        interrupt.dispose();
      }
    });
}

interface Sent {
  readonly rows: number;
  readonly end: TrackedEnd | undefined;
}

async function track(
  {
    run,
    tracker,
    follow,
  }: { readonly run: string; readonly tracker: NamedTracker; readonly follow: boolean },
  signal: AbortSignal,
  done: (sent: Sent) => void,
): Promise<void> {
  const folder = resolve(run);
  const spec = readRunSpec(folder);
  const shipment = createShipment({ folder, name: basename(folder), spec }, tracker);
  const before = shipment.count().sent;
  try {
    let end = readEnd(join(folder, runLayout.events));
    await sendPatiently(shipment, end, signal);
    while (follow && end === undefined && !signal.aborted) {
      await wait(followMs, undefined, { signal }).catch(() => undefined);
      end = readEnd(join(folder, runLayout.events));
      await sendPatiently(shipment, end, signal);
    }
    done({ rows: shipment.count().sent - before, end });
  } finally {
    shipment.release();
  }
}

/** Sends, and tries again when the tracker is away for a moment. */
async function sendPatiently(
  shipment: Shipment,
  end: TrackedEnd | undefined,
  signal: AbortSignal,
): Promise<void> {
  for (const pause of [...pauses, undefined]) {
    try {
      return await shipment.send(end);
    } catch (error) {
      const isFinal = !isAppError(error) || error.code !== 'tracker.unavailable';
      if (isFinal || pause === undefined || signal.aborted) throw error;
      await wait(pause, undefined, { signal }).catch(() => undefined);
    }
  }
}

function report(
  { run, tracker, rows, end }: Sent & { readonly run: string; readonly tracker: NamedTracker },
  isJson: boolean,
  console: Console,
): void {
  const { name, shown } = tracker;
  if (isJson)
    return console.line(
      JSON.stringify({ run, tracker: name, to: shown, rows, outcome: end?.outcome ?? null }),
    );
  const what = rows === 0 ? 'nothing new' : `${rows} ${rows === 1 ? 'row' : 'rows'} of metrics`;
  console.line(`${run} → ${name} (${shown}): ${what}${end === undefined ? '; the run has not ended' : ''}`);
}
