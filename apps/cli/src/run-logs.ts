import { rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { EventSink, FileMark } from '@espalier/contracts';
import {
  createEventLogSink,
  createMetricSink,
  createTeeSink,
  createTrajectorySink,
  dropDamagedLines,
  rewindFile,
  rewindTrajectories,
  truncateMetrics,
  truncateTrajectories,
} from '@espalier/telemetry';
import { isCounted, type LogStart, type TrainerState } from '@espalier/trainer';

export interface RunLogs extends EventSink {
  /** Cuts the logs back to the state the run goes on from, so that no row is repeated or missing. */
  rewind(state: TrainerState, start: LogStart): void;
}

const metricsName = 'metrics.jsonl';

/** Creates the logs of a run folder when the first event comes, so that a run that cannot start leaves nothing. */
export function createRunLogs(folder: string): RunLogs {
  let logs: EventSink | undefined;
  let known: Record<string, FileMark> | undefined;
  return {
    rewind(state, { marks, damaged }) {
      dropDamagedLines(join(folder, 'events.jsonl'));
      if (marks === undefined) return rewindByContent(folder, state);
      for (const name of damaged) {
        if (name === metricsName) dropDamagedLines(join(folder, name));
        else rmSync(join(folder, name), { force: true });
      }
      if (!damaged.includes(metricsName))
        rewindFile(join(folder, metricsName), marks[metricsName]?.bytes ?? 0);
      const whole = Object.entries(marks).filter(([name]) => !damaged.includes(name));
      known = Object.fromEntries(
        whole
          .filter(([name]) => name.startsWith('trajectories/'))
          .map(([name, mark]) => [resolve(folder, name), mark]),
      );
      rewindTrajectories(join(folder, 'trajectories'), known);
    },
    emit(event) {
      logs ??= createTeeSink(
        createMetricSink(join(folder, metricsName)),
        createTrajectorySink(join(folder, 'trajectories'), known),
        createEventLogSink(join(folder, 'events.jsonl')),
      );
      logs.emit(event);
    },
    flush: async () => logs?.flush(),
    marks: () => logs?.marks?.() ?? {},
  };
}

/** For checkpoints that do not know how long the logs were. */
function rewindByContent(folder: string, state: TrainerState): void {
  truncateMetrics(join(folder, metricsName), state.metricCursor);
  truncateTrajectories(join(folder, 'trajectories'), state.step, (attempt, step) =>
    isCounted(state, attempt, step),
  );
}
