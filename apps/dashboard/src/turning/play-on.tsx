/** @file Plays the environment on by hand from a turn. The actions are in the address, so a link shows the same state. */
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { TrajectoryDetails } from '@espalier/client';
import { formatCount } from '../format/numbers.js';
import { ErrorNote } from '../parts/states.js';
import { Board } from '../play/board.js';
import { useSession } from '../session/session-context.js';

interface Props {
  readonly runId: string;
  readonly id: string;
  readonly turn: TrajectoryDetails['turns'][number];
  readonly played: readonly string[];
  onPlay(actions: readonly string[]): void;
}

export function PlayOn({ runId, id, turn, played, onPlay }: Props) {
  const { client } = useSession();
  const [isOpen, setOpen] = useState(played.length > 0);
  const { data, error, isFetching, refetch } = useQuery({
    queryKey: ['played', runId, id, turn.index, played],
    queryFn: () => client.trajectories.play(runId, id, turn.index, played),
    enabled: isOpen,
    placeholderData: (old) => old,
    staleTime: Infinity,
    retry: false,
  });
  return (
    <section className="card play-on">
      <header>
        <h2>Play on by hand</h2>
        <span className="small muted">
          from turn {turn.index + 1}, with the environment’s chance of this trajectory; nothing is stored
        </span>
      </header>
      {!isOpen ? (
        <p className="note">
          <button onClick={() => setOpen(true)}>Play on from here</button>
        </p>
      ) : (
        <div className="note stack tight">
          {error !== null && <ErrorNote error={error} retry={() => void refetch()} />}
          {data === undefined && error === null && (
            <p className="muted">Bringing the environment to the turn …</p>
          )}
          {data !== undefined && error === null && (
            <Board
              state={data}
              alt={`State after ${formatCount(data.steps.length, 'action')} by hand from turn ${turn.index + 1}`}
              isBusy={isFetching}
              played={played}
              onPlay={onPlay}
            />
          )}
          {error !== null && played.length > 0 && (
            <p>
              <button onClick={() => onPlay(played.slice(0, -1))}>Take the last action back</button>
            </p>
          )}
        </div>
      )}
    </section>
  );
}
