import { join } from 'node:path';
import type { EventSink } from '@espalier/contracts';
import {
  createEventLogSink,
  createMetricSink,
  createTeeSink,
  createTrajectorySink,
  truncateMetrics,
  truncateTrajectories,
} from '@espalier/telemetry';
import { isCounted, type TrainerState } from '@espalier/trainer';

/** Cuts the logs of a run back to the state it goes on from, so that no row is repeated or missing. */
export function rewindLogs(folder: string, state: TrainerState): void {
  truncateMetrics(join(folder, 'metrics.jsonl'), state.metricCursor);
  truncateTrajectories(join(folder, 'trajectories'), state.step, (attempt, step) =>
    isCounted(state, attempt, step),
  );
}

/** Creates the logs of a run folder when the first event comes, so that a run that cannot start leaves nothing. */
export function createRunLogs(folder: string): EventSink {
  let logs: EventSink | undefined;
  return {
    emit(event) {
      logs ??= createTeeSink(
        createMetricSink(join(folder, 'metrics.jsonl')),
        createTrajectorySink(join(folder, 'trajectories')),
        createEventLogSink(join(folder, 'events.jsonl')),
      );
      logs.emit(event);
    },
    flush: async () => logs?.flush(),
  };
}
