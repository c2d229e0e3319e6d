/** @file Reports a run to a tracker while it trains. Sending never delays the run, and trouble never ends it. */
import type { EventSink } from '@espalier/contracts';
import { isAppError } from '@espalier/contracts';
import { createShipment, type Shipment } from './shipment.js';
import type { TrackedEnd, TrackedRun } from './tracker.js';
import type { NamedTracker } from './tracker-target.js';

/** How long the end of a run waits for its tracker. */
const closingMs = 20_000;

export interface TrackerSink extends EventSink {
  /**
   * Waits, up to 20 s, until everything is sent.
   *
   * @returns what the tracker lacks, in a sentence; undefined: nothing
   */
  close(): Promise<string | undefined>;
}

/**
 * Creates the sink of a tracker; put it behind the logs, as it sends what they hold.
 *
 * @param onTrouble called when sending begins to fail, once until it works again
 */
export function createTrackerSink(
  run: TrackedRun,
  named: NamedTracker,
  onTrouble: (code: string, message: string) => void,
): TrackerSink {
  let shipment: Shipment | undefined;
  let end: TrackedEnd | undefined;
  let failure: unknown;
  let isOver = false;
  let sending: Promise<void> | undefined;
  let isAsked = false;

  const sendAll = async (): Promise<void> => {
    while (isAsked && !isOver) {
      isAsked = false;
      try {
        // not before the first event: a run that cannot start leaves nothing
        shipment ??= createShipment(run, named);
        await shipment.send(end);
        failure = undefined;
      } catch (error) {
        const code = isAppError(error) ? error.code : 'tracker.refused';
        if (failure === undefined) onTrouble(code, describeTrouble(named, error));
        failure = error;
        // what the tracker refuses once it refuses again
        isOver = code !== 'tracker.unavailable';
      }
    }
    sending = undefined;
  };
  /** In a later turn of the event loop: the logs write what this event says first. */
  const ask = (): void => {
    isAsked = true;
    sending ??= new Promise((resolve) => setImmediate(() => void sendAll().finally(resolve)));
  };
  return {
    emit(event) {
      if (event.kind === 'run-ended') {
        const { outcome, message, health, time } = event;
        end = { outcome, message, health, time };
      }
      if (event.kind === 'metrics' || event.kind === 'run-ended') ask();
    },
    flush: () => Promise.resolve(),
    async close() {
      const isAnythingToSend = shipment !== undefined || end !== undefined;
      if (isAnythingToSend && !isOver) ask();
      const timer = new AbortController();
      await Promise.race([
        sending,
        new Promise<void>((resolve) => {
          const timeout = setTimeout(resolve, closingMs);
          timer.signal.addEventListener('abort', () => clearTimeout(timeout));
        }),
      ]);
      timer.abort();
      isOver = true;
      const { waiting } = shipment?.count() ?? { waiting: 0 };
      shipment?.release();
      if (failure === undefined && waiting === 0) return undefined;
      const missing =
        waiting === 0 ? 'the end of the run' : `${waiting} ${waiting === 1 ? 'row' : 'rows'} of metrics`;
      return `${named.name} (${named.shown}) lacks ${missing}`;
    },
  };
}

function describeTrouble({ name, shown }: NamedTracker, error: unknown): string {
  const reason = error instanceof Error ? error.message : String(error);
  return `report to ${name} (${shown}): ${reason}`;
}
