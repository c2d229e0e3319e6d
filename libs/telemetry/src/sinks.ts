import type { EventSink, FileMark, RunEvent } from '@espalier/contracts';

/** Creates a sink that keeps everything in memory. */
export function createMemorySink(): EventSink & { readonly events: readonly RunEvent[] } {
  const events: RunEvent[] = [];
  return {
    events,
    emit: (event) => void events.push(event),
    flush: () => Promise.resolve(),
  };
}

/** Creates a sink that hands every event to each of several sinks, in order. */
export function createTeeSink(...sinks: readonly EventSink[]): EventSink {
  return {
    emit(event) {
      for (const sink of sinks) sink.emit(event);
    },
    async flush() {
      const results = await Promise.allSettled(sinks.map((sink) => sink.flush()));
      const failed = results.find((result) => result.status === 'rejected');
      if (failed !== undefined) throw failed.reason;
    },
    marks: () => Object.assign({}, ...sinks.map((sink) => sink.marks?.() ?? {})) as Record<string, FileMark>,
  };
}
