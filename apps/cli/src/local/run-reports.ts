/** @file Reports of a run to experiment trackers while it trains: `train --report-to`. */
import { basename, resolve } from 'node:path';
import type { EventSink, RunEvent, RunSpec } from '@espalier/contracts';
import { createTeeSink } from '@espalier/recorder';
import { createTrackerSink, type NamedTracker, parseTracker, trackerForms } from '@espalier/trackers';
import { calledAs, quoteWord } from '../parse-arguments.js';
import { showPath } from '../view/show-path.js';

export const reportToHelp = `send metrics to an experiment tracker as well: ${trackerForms}; repeatable; default: those of ESPALIER_REPORT_TO, separated by spaces`;

/** Trackers by the words of `--report-to`, or else of the environment. @throws cli.usage */
export function namedTrackers(words: readonly string[]): NamedTracker[] {
  const ofEnvironment = (process.env['ESPALIER_REPORT_TO'] ?? '').split(/\s+/).filter(Boolean);
  const trackers = (words.length > 0 ? words : ofEnvironment).map((word) => parseTracker(word));
  const keyOf = ({ name, shown }: NamedTracker): string => `${name} ${shown}`;
  return [...new Map(trackers.map((tracker) => [keyOf(tracker), tracker])).values()];
}

export interface Reports extends EventSink {
  /** Waits until the trackers have everything, for a while. @returns what they lack, a sentence each */
  close(): Promise<string[]>;
}

/** Creates the sink of all trackers of a run. @param warn gets a warning when sending to one begins to fail */
export function createReports(
  trackers: readonly NamedTracker[],
  run: { readonly folder: string; readonly spec: RunSpec },
  warn: (warning: RunEvent) => void,
): Reports {
  const folder = resolve(run.folder);
  let step = 0;
  const sinks = trackers.map((tracker) =>
    createTrackerSink({ folder, name: basename(folder), spec: run.spec }, tracker, (code, message) =>
      warn({ kind: 'warning', time: Date.now(), step, code, message }),
    ),
  );
  const all = createTeeSink(...sinks);
  return {
    ...all,
    emit(event) {
      step = event.step;
      all.emit(event);
    },
    async close() {
      const lacking = await Promise.all(sinks.map((sink) => sink.close()));
      const send = [calledAs(), 'track', quoteWord(showPath(folder))].join(' ');
      return lacking.flatMap((sentence, index) =>
        sentence === undefined
          ? []
          : [`${sentence}; send it later: ${send} --to ${trackers[index]?.name ?? ''}`],
      );
    },
  };
}
