/** @file One episode while it is played: its turns as they come, the newest in view until one scrolls up. */
import { useState } from 'react';
import type { EpisodeInFlight } from '../data/types.js';
import { useLive } from '../data/use-live.js';
import { formatNumber } from '../format/numbers.js';
import { Text } from '../parts/text.js';
import { useNewestInView } from '../parts/use-newest-in-view.js';
import { Link } from '../routing/link.js';
import { toPath } from '../routing/router.js';
import { useSession } from '../session/session-context.js';
import { Scene } from './scene.js';

type Turn = EpisodeInFlight['turns'][number];

export function EpisodeReader({ runId, id }: { readonly runId: string; readonly id: string }) {
  const { client } = useSession();
  // the server tells the newest ones; those that were told stay
  const [turns, setTurns] = useState<ReadonlyMap<number, Turn>>(new Map());
  const [ended, setEnded] = useState<string | null>(null);
  useLive(
    `${runId} ${id}`,
    () => client.live.inFlight(runId, [id]),
    (episodes) => {
      for (const episode of episodes) {
        setTurns((old) => mergeTurns(old, episode.turns));
        setEnded(episode.ended);
      }
    },
  );
  const { log, onScroll } = useNewestInView<HTMLDivElement>(turns);
  return (
    <article className="reader" aria-label={`Episode ${id}`}>
      <div className="row between small">
        <Link className="mono" href={toPath('runs', runId, 'trajectories', id)}>
          {id}
        </Link>
        <span className="muted">{ended ?? 'is played'}</span>
      </div>
      <div ref={log} className="turns" tabIndex={0} role="log" aria-label="Its turns" onScroll={onScroll}>
        {[...turns.values()].map((turn) => (
          <TurnView key={turn.turn} turn={turn} />
        ))}
      </div>
    </article>
  );
}

/** Turns with those that were told now, in order. An episode that is tried again begins anew. */
export function mergeTurns(old: ReadonlyMap<number, Turn>, told: readonly Turn[]): ReadonlyMap<number, Turn> {
  const newest = told.at(-1)?.turn ?? Infinity;
  const earlier = [...old].filter(([turn]) => turn <= newest);
  // the server keeps two pictures; the page those that it has
  const next = told.map((turn): [number, Turn] => [
    turn.turn,
    { ...turn, image: turn.image ?? old.get(turn.turn)?.image ?? null },
  ]);
  return new Map([...new Map([...earlier, ...next])].sort(([one], [other]) => one - other));
}

function TurnView({ turn }: { readonly turn: Turn }) {
  const { response, actions, reward, image, render, observation } = turn;
  return (
    <section className="turn-in-flight">
      <h3 className="small">Turn {turn.turn + 1}</h3>
      <Scene
        image={image}
        text={render === '' ? observation : render}
        alt={`State at turn ${turn.turn + 1}`}
      />
      <pre className="part small">
        {response === null ? <span className="faint">writes …</span> : <Text of={response} />}
      </pre>
      {(actions.length > 0 || turn.phase === 'acting') && (
        <div className="small muted">
          {turn.phase === 'acting' ? 'acts …' : <Text of={actions.join(' → ')} />}
          {reward !== null && reward !== 0 && `, reward ${formatNumber(reward)}`}
        </div>
      )}
    </section>
  );
}
