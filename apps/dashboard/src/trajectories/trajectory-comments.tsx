import { useState } from 'react';
import { Comments, type CommentPlace } from '../comments/comments.js';
import { useSearch } from '../routing/router.js';

interface Props {
  readonly runId: string;
  readonly id: string;
  readonly turns: number;
  readonly tokens: number;
}

/** Comments on a trajectory, on one of its turns, or on some of its tokens. */
export function TrajectoryComments({ runId, id, turns, tokens }: Props) {
  const [search] = useSearch();
  const [about, setAbout] = useState('all');
  const chosen = Number(search.get('token') ?? 0) || 0;
  const [range, setRange] = useState<readonly [start: number, end: number]>();
  const [start, end] = range ?? [chosen, Math.min(tokens, chosen + 1)];
  const place: CommentPlace =
    about === 'all'
      ? { trajectoryId: id }
      : about === 'tokens'
        ? { trajectoryId: id, tokenStart: start, tokenEnd: end }
        : { trajectoryId: id, turn: Number(about) };
  return (
    <Comments runId={runId} place={place} title="Comments on this trajectory">
      <div className="row choices">
        <label className="small">
          about{' '}
          <select aria-label="About" value={about} onChange={({ target }) => setAbout(target.value)}>
            <option value="all">all of it</option>
            {Array.from({ length: turns }, (_, turn) => (
              <option key={turn} value={turn}>
                turn {turn + 1}
              </option>
            ))}
            <option value="tokens">tokens</option>
          </select>
        </label>
        {about === 'tokens' && (
          <>
            <label className="small">
              from{' '}
              <input
                type="number"
                min={0}
                max={tokens - 1}
                value={start}
                onChange={({ target }) => setRange([Number(target.value), end])}
              />
            </label>
            <label className="small">
              up to, not including{' '}
              <input
                type="number"
                min={1}
                max={tokens}
                value={end}
                onChange={({ target }) => setRange([start, Number(target.value)])}
              />
            </label>
          </>
        )}
      </div>
    </Comments>
  );
}
