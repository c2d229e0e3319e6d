/** @file One rating set: rate it blind, then see what everyone said. */
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { codeOf } from '../data/errors.js';
import type { OpenedRatingSet } from '../data/types.js';
import { useLive } from '../data/use-live.js';
import { Confirm } from '../parts/confirm.js';
import { ErrorNote, Notice, Waiting } from '../parts/states.js';
import { Text } from '../parts/text.js';
import { Link } from '../routing/link.js';
import { navigate } from '../routing/router.js';
import { useMayAct, useSession } from '../session/session-context.js';
import { Rate } from './rate.js';
import { Results } from './results.js';
import '../styles/verdicts.css';

export default function RatingPage({ id }: { readonly id: string }) {
  const { client } = useSession();
  const mayAct = useMayAct();
  const queries = useQueryClient();
  const key = ['rating-set', id];
  const { data, error, refetch } = useQuery({ queryKey: key, queryFn: () => client.ratings.open(id) });
  useLive(
    `rating-set/${id}`,
    () => client.ratings.watch(id),
    () => void queries.invalidateQueries({ queryKey: key }),
  );
  if (error !== null && codeOf(error) === 'server.not_found')
    return (
      <Notice title="There is no such rating set">
        <p>It or its run was deleted, or your key does not see its project.</p>
        <Link href="/ratings">All rating sets</Link>
      </Notice>
    );
  if (error !== null && data === undefined) return <ErrorNote error={error} retry={() => void refetch()} />;
  if (data === undefined) return <Waiting what="the rating set" />;
  return (
    <div className="stack">
      <Head set={data} />
      {data.results !== null ? (
        <Results set={data} results={data.results} />
      ) : mayAct ? (
        <Rate set={data} />
      ) : (
        <Notice title="It is being rated">
          <p>
            Your key is read-only, and rating needs the operator role. Results appear here when the set is
            closed.
          </p>
        </Notice>
      )}
    </div>
  );
}

function Head({ set }: { readonly set: OpenedRatingSet }) {
  const { client, me } = useSession();
  const mayAct = useMayAct();
  const queries = useQueryClient();
  const [asking, setAsking] = useState<'close' | 'delete'>();
  const act = useMutation({
    mutationFn: (what: 'close' | 'delete') => client.ratings[what](set.id),
    onSuccess: (_, what) => {
      if (what === 'delete') navigate('/ratings');
      return queries.invalidateQueries({ queryKey: ['rating-set', set.id] });
    },
  });
  const isOwn = mayAct && (set.keyId === me.keyId || me.role === 'admin');
  return (
    <>
      <div className="row between">
        <div>
          <Link href="/ratings" className="small">
            ← all rating sets
          </Link>
          <h1>
            <Text of={set.name} />
          </h1>
          <p className="muted small finished-by">
            {set.size} {set.kind === 'pairwise' ? 'pairs' : 'trajectories'}
            {set.progress.map(({ name, rated, finishedAt }) => (
              <span key={name} className="tag">
                <Text of={name} /> {finishedAt === null ? `${rated} of ${set.size}` : 'finished'}
              </span>
            ))}
          </p>
        </div>
        {isOwn && (
          <div className="row">
            {set.closedAt === null && <button onClick={() => setAsking('close')}>Close</button>}
            <button className="danger" onClick={() => setAsking('delete')}>
              Delete
            </button>
          </div>
        )}
      </div>
      {set.instructions !== '' && (
        <p className="written-text">
          <Text of={set.instructions} />
        </p>
      )}
      {act.error !== null && <ErrorNote error={act.error} />}
      {asking !== undefined && (
        <Confirm
          title={asking === 'close' ? 'Close the set?' : 'Delete the set?'}
          yes={asking === 'close' ? 'Close it' : 'Delete it'}
          no="Keep it"
          onAnswer={(isYes) => {
            setAsking(undefined);
            if (isYes) act.mutate(asking);
          }}
        >
          {asking === 'close'
            ? 'After that nobody can rate, and everyone sees all ratings.'
            : 'Its ratings go with it. Files that were exported stay.'}
        </Confirm>
      )}
    </>
  );
}
