/** @file Event sinks: memory, tee, and the event log. */
import type { EventSink, FileMark, RunEvent } from '@espalier/contracts';
import { createAppendFile, encodeCheckedLine } from '@espalier/files';

/** Creates a sink that keeps all events in memory. */
export function createMemorySink(): EventSink & { readonly events: readonly RunEvent[] } {
  const events: RunEvent[] = [];
  return {
    events,
    emit: (event) => void events.push(event),
    flush: () => Promise.resolve(),
  };
}

/** Creates a sink that forwards every event to several sinks, in order. */
export function createTeeSink(...sinks: readonly EventSink[]): EventSink {
  const followers = sinks.filter((sink) => sink.follow !== undefined);
  return {
    emit(event) {
      for (const sink of sinks) sink.emit(event);
    },
    ...(followers.length > 0 && {
      follow(turns) {
        for (const sink of followers) sink.follow?.(turns);
      },
    }),
    async flush() {
      const results = await Promise.allSettled(sinks.map((sink) => sink.flush()));
      const failed = results.find((result) => result.status === 'rejected');
      if (failed !== undefined) throw failed.reason;
    },
    marks: () => Object.assign({}, ...sinks.map((sink) => sink.marks?.() ?? {})) as Record<string, FileMark>,
  };
}

const loggedElsewhere: ReadonlySet<RunEvent['kind']> = new Set(['phase', 'metrics', 'trajectory']);

/** Creates a sink that logs the events without a log of their own: starts, checkpoints, warnings, ends. */
export function createEventLogSink(path: string): EventSink & { close(): void } {
  const file = createAppendFile(path);
  return {
    emit(event) {
      if (!loggedElsewhere.has(event.kind)) file.append(encodeCheckedLine(event));
    },
    flush: async () => file.sync(),
    close: () => file.close(),
  };
}
