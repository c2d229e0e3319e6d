/** @file Episodes of a running run while they are played, pushed turn by turn: the first few of the step. */
import { useState } from 'react';
import type { EpisodeInFlight } from '../data/types.js';
import { useLive } from '../data/use-live.js';
import { formatNumber } from '../format/numbers.js';
import { Text } from '../parts/text.js';
import { Link } from '../routing/link.js';
import { toPath } from '../routing/router.js';
import { useSession } from '../session/session-context.js';
import { Scene } from './scene.js';

type Episodes = ReadonlyMap<string, EpisodeInFlight>;

/** Puts an episode among those of its step; those of other steps go. */
export function addEpisode(old: Episodes, episode: EpisodeInFlight): Episodes {
  const same = [...old].filter(([, { step }]) => step === episode.step);
  const all = new Map([...same, [episode.id, episode]]);
  return new Map([...all].sort(([one], [other]) => one.localeCompare(other, 'en', { numeric: true })));
}

export function InFlight({ runId }: { readonly runId: string }) {
  const { client } = useSession();
  const [episodes, setEpisodes] = useState<Episodes>(new Map());
  useLive(
    runId,
    () => client.live.inFlight(runId),
    (episode) => setEpisodes((old) => addEpisode(old, episode)),
  );
  const shown = [...episodes.values()];
  return (
    <section className="card in-flight" aria-label="Played now">
      <header>
        <h2>Played now</h2>
        <span className="small muted">
          {shown[0] === undefined
            ? 'the first episodes of a step appear here turn by turn, where the run plays them itself'
            : `the first of step ${shown[0].step}; all are stored when it ends`}
        </span>
      </header>
      <ul>
        {shown.map((episode) => (
          <Episode key={episode.id} runId={runId} episode={episode} />
        ))}
      </ul>
    </section>
  );
}

function Episode({ runId, episode }: { readonly runId: string; readonly episode: EpisodeInFlight }) {
  const turn = episode.turns.at(-1);
  if (turn === undefined) return null;
  const { ended, turns } = episode;
  const reward = turns.reduce((sum, one) => sum + (one.reward ?? 0), 0);
  return (
    <li className={ended === null ? '' : 'over'} data-episode={episode.id}>
      <div className="row between small">
        <Link className="mono" href={toPath('runs', runId, 'trajectories', episode.id)}>
          {episode.id}
        </Link>
        <span className="muted">
          turn {turn.turn + 1}, {ended === null ? (turn.response === null ? 'writes …' : 'acts') : ended}
        </span>
      </div>
      <div className="now">
        <Scene
          image={turn.image}
          text={turn.render === '' ? turn.observation : turn.render}
          alt={`State at turn ${turn.turn + 1}`}
        />
        <pre className="part small">
          {turn.response === null ? <span className="faint">…</span> : <Text of={turn.response} />}
        </pre>
      </div>
      <div className="small muted cut">
        <Text of={turns.flatMap(({ actions }) => actions).join(' → ') || 'no action yet'} />
        {reward !== 0 && `, reward ${formatNumber(reward)}`}
      </div>
    </li>
  );
}
