/** @file All events of a run, newest first; older ones are read when the end of what is read comes near. */
import { useEffect } from 'react';
import type { RunEvents } from '../data/use-run-events.js';
import { WindowList } from '../parts/window-list.js';
import { EventRow } from './event-row.js';

/** Pixels of one line. */
const lineHeight = 35;

interface Props {
  readonly runId: string;
  readonly happened: RunEvents;
}

export default function EventScroll({ runId, happened }: Props) {
  const { events, error, hasOlder, isReading, readOlder } = happened;
  return (
    <WindowList
      className="events"
      label="What happened"
      count={events.length + (hasOlder ? 1 : 0)}
      estimate={() => lineHeight}
      render={(index) => {
        const event = events[index];
        if (event !== undefined) return <EventRow event={event} runId={runId} />;
        return <Older isReading={isReading} hasFailed={error !== null} read={readOlder} />;
      }}
    />
  );
}

interface OlderProps {
  readonly isReading: boolean;
  /** not tried again by itself */
  readonly hasFailed: boolean;
  read(): void;
}

/** The last line while there are older ones: it reads them when it comes near the screen. */
function Older({ isReading, hasFailed, read }: OlderProps) {
  useEffect(() => {
    if (!isReading && !hasFailed) read();
  }, [isReading, hasFailed, read]);
  return (
    <div className="event">
      <span />
      <span />
      <button className="plain small" onClick={read} disabled={isReading}>
        {isReading ? 'Reading older ones …' : 'Read older ones'}
      </button>
    </div>
  );
}
