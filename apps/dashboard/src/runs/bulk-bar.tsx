/** @file What can be done to several chosen runs at once; each is done or refused by itself. */
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { mostRuns } from '../compare/selection.js';
import type { RunRow } from '../data/types.js';
import { toVisible } from '../format/visible-text.js';
import { Confirm } from '../parts/confirm.js';
import { ErrorNote } from '../parts/states.js';
import { Link } from '../routing/link.js';
import { useSession } from '../session/session-context.js';

/** as many as the server changes at once */
const mostChanged = 100;

type Action = 'pause' | 'resume' | 'cancel' | 'tag';

interface Props {
  readonly runs: readonly RunRow[];
  onClear(): void;
}

export function BulkBar({ runs, onClear }: Props) {
  const { client } = useSession();
  const queries = useQueryClient();
  const [isAsking, setAsking] = useState(false);
  const [tag, setTag] = useState('');
  const act = useMutation({
    mutationFn: (action: Action) =>
      client.runs.bulk({
        action,
        runIds: runs.map(({ id }) => id),
        ...(action === 'tag' ? { addTags: [tag.trim()] } : {}),
      }),
    onSuccess: () => {
      setTag('');
      void queries.invalidateQueries({ queryKey: ['runs'] });
    },
  });
  const isTooMany = runs.length > mostChanged;
  const button = (action: Action, label: string) => (
    <button
      disabled={act.isPending || isTooMany}
      onClick={() => (action === 'cancel' ? setAsking(true) : act.mutate(action))}
    >
      {label}
    </button>
  );
  return (
    <section className="card bulk" aria-label="Chosen runs">
      <div className="row">
        <b role="status">{runs.length} chosen</b>
        {button('pause', 'Pause')}
        {button('resume', 'Resume')}
        {button('cancel', 'Cancel')}
        <form
          className="row"
          onSubmit={(event) => {
            event.preventDefault();
            act.mutate('tag');
          }}
        >
          <input
            aria-label="Tag to add"
            placeholder="tag"
            value={tag}
            maxLength={64}
            onChange={({ target }) => setTag(target.value)}
          />
          <button disabled={tag.trim() === '' || act.isPending || isTooMany}>Add tag</button>
        </form>
        {runs.length > 1 && runs.length <= mostRuns && (
          <Link href={`/compare?runs=${runs.map(({ id }) => id).join(',')}`}>Compare</Link>
        )}
        <button className="plain" onClick={onClear}>
          Clear
        </button>
      </div>
      {isTooMany && <p className="small muted">At most {mostChanged} runs can be changed at once.</p>}
      {runs.length > mostRuns && <p className="small muted">At most {mostRuns} runs can be compared.</p>}
      {act.isError && <ErrorNote error={act.error} />}
      <Refused results={act.data ?? []} runs={runs} />
      {isAsking && (
        <AskCancel
          count={runs.length}
          onAnswer={(isYes) => {
            setAsking(false);
            if (isYes) act.mutate('cancel');
          }}
        />
      )}
    </section>
  );
}

function AskCancel({ count, onAnswer }: { readonly count: number; onAnswer(isYes: boolean): void }) {
  return (
    <Confirm title={`Cancel ${count} runs?`} yes="Cancel runs" onAnswer={onAnswer}>
      Each saves a checkpoint and stops. Those that have stopped already are left as they are.
    </Confirm>
  );
}

interface RefusedProps {
  readonly results: Awaited<ReturnType<ReturnType<typeof useSession>['client']['runs']['bulk']>>;
  readonly runs: readonly RunRow[];
}

/** Which of them were not done, and why. */
function Refused({ results, runs }: RefusedProps) {
  const refused = results.filter(({ refusal }) => refusal !== null);
  if (refused.length === 0) return null;
  const nameOf = (id: string): string => {
    const run = runs.find((one) => one.id === id);
    return toVisible(run === undefined ? id : run.title || run.name);
  };
  return (
    <ul className="problems">
      {refused.map(({ runId, refusal }) => (
        <li key={runId}>
          <b>{nameOf(runId)}</b>: {toVisible(refusal?.message ?? '')}
        </li>
      ))}
    </ul>
  );
}
