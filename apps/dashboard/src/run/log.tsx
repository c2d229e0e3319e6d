import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { ErrorNote, Notice, Waiting } from '../parts/states.js';
import { Text } from '../parts/text.js';
import { useSession } from '../session/session-context.js';

/** What the processes of a run printed: the newest lines, or those that contain a text. */
export default function Log({ runId }: { readonly runId: string }) {
  const { client } = useSession();
  const [text, setText] = useState('');
  const { data, error, refetch } = useQuery({
    queryKey: ['log', runId, text],
    queryFn: () => client.logs.list(runId, text === '' ? {} : { text }, { last: 500 }),
    refetchInterval: text === '' ? 3000 : false,
    placeholderData: (old) => old,
  });
  return (
    <div className="stack">
      <div className="row">
        <input
          type="search"
          placeholder="Lines that contain …"
          aria-label="Lines that contain"
          value={text}
          onChange={(event) => setText(event.target.value)}
        />
        <span className="small muted">the newest 500 lines</span>
      </div>
      {error !== null && <ErrorNote error={error} retry={() => void refetch()} />}
      {data === undefined && error === null && <Waiting what="the log" />}
      {data?.items.length === 0 && (
        <Notice title={text === '' ? 'Its processes have printed nothing' : 'No line contains this'} />
      )}
      {data !== undefined && data.items.length > 0 && (
        <pre className="card log" tabIndex={0} role="region" aria-label="What the processes printed">
          {data.items.map(({ cursor, text: line }) => (
            <div key={cursor}>
              <Text of={line} />
            </div>
          ))}
        </pre>
      )}
    </div>
  );
}
