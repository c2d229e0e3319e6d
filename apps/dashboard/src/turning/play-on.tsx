/** @file Plays the environment on by hand from a turn. The actions are in the address, so a link shows the same state. */
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { TrajectoryDetails } from '@espalier/client';
import type { PlayedState } from '../data/types.js';
import { formatNumber } from '../format/numbers.js';
import { ErrorNote } from '../parts/states.js';
import { Text } from '../parts/text.js';
import { Scene } from '../trajectories/scene.js';
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
            <Board state={data} turn={turn.index} isBusy={isFetching} played={played} onPlay={onPlay} />
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

interface BoardProps {
  readonly state: PlayedState;
  readonly turn: number;
  readonly isBusy: boolean;
  readonly played: readonly string[];
  onPlay(actions: readonly string[]): void;
}

function Board({ state, turn, isBusy, played, onPlay }: BoardProps) {
  const { steps, ended } = state;
  const take = (action: string): void => onPlay([...played, action]);
  return (
    <div className="sides">
      <Scene
        image={state.image}
        text={state.render === '' ? state.observation : state.render}
        alt={`State after ${steps.length} actions by hand from turn ${turn + 1}`}
      />
      <div className="stack tight">
        {ended === null ? (
          <>
            <Choice actions={state.actions} isBusy={isBusy} take={take} />
            <Oracle state={state} isBusy={isBusy} take={take} />
          </>
        ) : (
          <p>
            <b className={ended === 'success' ? 'up' : 'down'}>
              {ended === 'success' ? 'Success' : 'The episode ended without success'}
            </b>{' '}
            <span className="muted">after {steps.length} actions by hand</span>
          </p>
        )}
        <Taken steps={steps} />
        {played.length > 0 && (
          <div className="row small">
            <span className="muted">
              reward {formatNumber(steps.reduce((sum, { reward }) => sum + reward, 0))} by hand
            </span>
            <button className="plain" disabled={isBusy} onClick={() => onPlay(played.slice(0, -1))}>
              take one back
            </button>
            <button className="plain" disabled={isBusy} onClick={() => onPlay([])}>
              start again
            </button>
          </div>
        )}
      </div>
    </div>
  );
}

interface ChoiceProps {
  readonly actions: readonly string[] | null;
  readonly isBusy: boolean;
  take(action: string): void;
}

/** The actions as buttons; a field where any text is one. */
function Choice({ actions, isBusy, take }: ChoiceProps) {
  const [text, setText] = useState('');
  if (actions !== null)
    return (
      <div className="row" role="group" aria-label="Actions">
        {actions.map((name) => (
          <button key={name} disabled={isBusy} onClick={() => take(name)}>
            <Text of={name} />
          </button>
        ))}
      </div>
    );
  return (
    <form
      className="row"
      onSubmit={(event) => {
        event.preventDefault();
        if (text === '') return;
        take(text);
        setText('');
      }}
    >
      <input
        aria-label="Action"
        value={text}
        maxLength={1000}
        placeholder="any text is an action here"
        onChange={({ target }) => setText(target.value)}
      />
      <button disabled={isBusy || text === ''}>Take</button>
    </form>
  );
}

interface OracleProps {
  readonly state: PlayedState;
  readonly isBusy: boolean;
  take(action: string): void;
}

function Oracle({ state: { hasOracle, plan }, isBusy, take }: OracleProps) {
  const [best] = plan ?? [];
  return (
    <p className="small muted">
      {!hasOracle ? (
        'This environment has no oracle.'
      ) : plan === null || best === undefined ? (
        'The oracle knows no way to success from here.'
      ) : (
        <>
          Oracle: {plan.length} more to success, <Text of={plan.slice(0, 8).join(', ')} />{' '}
          <button className="plain" disabled={isBusy} onClick={() => take(best)}>
            take its action
          </button>
        </>
      )}
    </p>
  );
}

function Taken({ steps }: Pick<PlayedState, 'steps'>) {
  if (steps.length === 0) return null;
  return (
    <ol className="played small">
      {steps.map(({ action, reward, valid, effective, slipped }, index) => (
        <li key={index}>
          <b>
            <Text of={action} />
          </b>
          : reward {formatNumber(reward)}
          {!valid && <span className="down">, not legal</span>}
          {valid && !effective && <span className="muted">, no effect</span>}
          {slipped === true && <span className="muted">, slipped</span>}
        </li>
      ))}
    </ol>
  );
}
