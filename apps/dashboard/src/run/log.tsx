/** @file What the processes of a run printed: the newest lines, followed by push, or those that contain a text. */
import { useQuery } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import type { RunDetails } from '@espalier/client';
import { attemptsOf } from '../data/attempts-of.js';
import { useLive } from '../data/use-live.js';
import { useNow } from '../data/use-now.js';
import { formatCount } from '../format/numbers.js';
import { ErrorNote, Notice, Waiting } from '../parts/states.js';
import { Text } from '../parts/text.js';
import { useSearch, wholeNumber } from '../routing/router.js';
import { useSession } from '../session/session-context.js';
import { Attempts } from './attempts.js';
import { addLines, type Line, read, shownLines } from './log-lines.js';

export default function Log({ run }: { readonly run: RunDetails }) {
  const runId = run.id;
  const now = useNow();
  const { client } = useSession();
  const [search, setSearch] = useSearch();
  const text = search.get('find') ?? '';
  const attempt = wholeNumber(search.get('attempt'));
  const [isFollowing, setFollowing] = useState(true);
  const [added, setAdded] = useState<readonly Line[]>([]);
  const { data, error, refetch } = useQuery({
    queryKey: ['log', runId, text, attempt],
    queryFn: async () => {
      // before the lines, so that what is printed meanwhile is pushed, not lost
      const { items } = await client.runs.list({ ids: [runId] });
      const filter = { ...(text !== '' && { text }), ...(attempt !== undefined && { attempt }) };
      const lines = await client.logs.list(runId, filter, { last: read });
      return { head: items[0]?.head ?? 0, lines: lines.items };
    },
    gcTime: 0,
  });
  useEffect(() => setAdded([]), [runId, data]);
  useLive(
    data === undefined ? undefined : `${runId} ${data.head}`,
    () => client.live.events(runId, data?.head ?? 0, ['log']),
    ({ records }) => setAdded((old) => addLines(old, records)),
  );
  const { lines, isCut } = shownLines(data?.lines ?? [], added, { text, attempt });
  const isAll = text === '' && attempt === undefined;
  return (
    <div className="stack">
      <Attempts
        attempts={attemptsOf(run)}
        now={now}
        chosen={attempt}
        choose={(number) => setSearch({ attempt: number?.toString() })}
      />
      <div className="row">
        <input
          type="search"
          placeholder="Lines that contain …"
          aria-label="Lines that contain"
          value={text}
          onChange={({ target }) => setSearch({ find: target.value })}
        />
        <button aria-pressed={isFollowing} onClick={() => setFollowing(!isFollowing)}>
          Follow
        </button>
        <span className="small muted" role="status">
          {formatCount(lines.length, 'line')}
          {text !== '' && (lines.length === 1 ? ' that contains it' : ' that contain it')}
          {attempt !== undefined && ` of attempt ${attempt}`}
          {isCut && ', the newest'}
        </span>
      </div>
      {error !== null && <ErrorNote error={error} retry={() => void refetch()} />}
      {data === undefined && error === null && <Waiting what="the log" />}
      {data !== undefined && lines.length === 0 && (
        <Notice title={isAll ? 'Its processes have printed nothing' : 'No line fits'} />
      )}
      {lines.length > 0 && (
        <Lines lines={lines} text={text} isFollowing={isFollowing} stop={() => setFollowing(false)} />
      )}
    </div>
  );
}

interface LinesProps {
  readonly lines: readonly Line[];
  readonly text: string;
  readonly isFollowing: boolean;
  /** somebody scrolled up */
  stop(): void;
}

function Lines({ lines, text, isFollowing, stop }: LinesProps) {
  const place = useRef<HTMLPreElement>(null);
  const last = lines.at(-1)?.cursor;
  useEffect(() => {
    const list = place.current;
    if (isFollowing && list !== null) list.scrollTop = list.scrollHeight;
  }, [isFollowing, last]);
  const before = useRef(0);
  return (
    <pre
      ref={place}
      className="card log"
      tabIndex={0}
      role="region"
      aria-label="What the processes printed"
      onScroll={({ currentTarget: { scrollTop } }) => {
        if (isFollowing && scrollTop < before.current - 4) stop();
        before.current = scrollTop;
      }}
    >
      {lines.map(({ cursor, text: line }) => (
        <div key={cursor}>
          <Found line={line} text={text} />
        </div>
      ))}
    </pre>
  );
}

/** A line with what was searched for marked. */
function Found({ line, text }: { readonly line: string; readonly text: string }) {
  const at = text === '' ? -1 : line.indexOf(text);
  if (at === -1) return <Text of={line} />;
  return (
    <>
      <Text of={line.slice(0, at)} />
      <mark>
        <Text of={text} />
      </mark>
      <Text of={line.slice(at + text.length)} />
    </>
  );
}
