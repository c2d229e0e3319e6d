import { rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { type EventSink, type FileMark, runLayout } from '@espalier/contracts';
import {
  createEventLogSink,
  createMetricSink,
  createTeeSink,
  createTrajectorySink,
  rewindTrajectories,
} from '@espalier/recorder';
import { dropDamagedLines, rewindFile } from '@espalier/files';
import type { LogStart } from '@espalier/trainer';

export interface RunLogs extends EventSink {
  /**
   * Truncates the logs to the state the run resumes from, so that no row is repeated or missing.
   *
   * @returns what was found besides, in a sentence: damage in the log of events, which no checkpoint knows
   */
  rewind(start: LogStart): string | undefined;
}

/** Creates the logs of a run folder when the first event comes, so that a run that cannot start leaves nothing. */
export function createRunLogs(folder: string): RunLogs {
  let logs: EventSink | undefined;
  let known: Record<string, FileMark> | undefined;
  return {
    rewind({ marks, damaged }) {
      const finding = dropDamagedEvents(folder);
      for (const name of damaged) {
        if (name === runLayout.metrics) dropDamagedLines(join(folder, name));
        else rmSync(join(folder, name), { force: true });
      }
      if (!damaged.includes(runLayout.metrics))
        rewindFile(join(folder, runLayout.metrics), marks[runLayout.metrics]?.bytes ?? 0);
      const whole = Object.entries(marks).filter(([name]) => !damaged.includes(name));
      known = Object.fromEntries(
        whole
          .filter(([name]) => name.startsWith('trajectories/'))
          .map(([name, mark]) => [resolve(folder, name), mark]),
      );
      rewindTrajectories(join(folder, runLayout.trajectories), known);
      return finding;
    },
    emit(event) {
      logs ??= createTeeSink(
        createMetricSink(join(folder, runLayout.metrics)),
        createTrajectorySink(join(folder, runLayout.trajectories), known),
        createEventLogSink(join(folder, runLayout.events)),
      );
      logs.emit(event);
    },
    flush: async () => logs?.flush(),
    marks: () => logs?.marks?.() ?? {},
  };
}

function dropDamagedEvents(folder: string): string | undefined {
  const name = runLayout.events;
  const aside = dropDamagedLines(join(folder, name));
  if (aside === undefined) return undefined;
  return `resume run "${folder}": "${name}" has damaged lines; set aside as "${aside}", its other lines are kept`;
}
