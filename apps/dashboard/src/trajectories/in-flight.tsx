/** @file The episodes of a running run while they are played, pushed turn by turn: all of the step, and one to read along. */
import type { InFlightSummary } from '../data/types.js';
import { useVirtualizer } from '@tanstack/react-virtual';
import { type KeyboardEvent, useRef, useState } from 'react';
import { useLive } from '../data/use-live.js';
import { formatNumber } from '../format/numbers.js';
import { Text } from '../parts/text.js';
import { useSession } from '../session/session-context.js';
import { chooseEpisode, countPhases, nonePlayed, type Played, withChanges } from './in-flight-list.js';
import { EpisodeReader } from './in-flight-reader.js';

const rowHeight = 32;

export function InFlight({ runId }: { readonly runId: string }) {
  const { client } = useSession();
  const [played, setPlayed] = useState<{ readonly shown: Played; readonly next: Played | undefined }>({
    shown: nonePlayed,
    next: undefined,
  });
  const [chosen, setChosen] = useState<string>();
  const card = useRef<HTMLElement>(null);
  /** somebody points at it, or is in it: it stays with its step */
  const isHeld = (): boolean =>
    card.current !== null &&
    (card.current.matches(':hover') || card.current.contains(document.activeElement));
  useLive(
    runId,
    () => client.live.inFlightSummaries(runId),
    (changed) =>
      setPlayed(({ shown, next }) => {
        const now = withChanges(next ?? shown, changed);
        const stays = now.step !== shown.step && shown.step !== undefined && isHeld();
        return stays ? { shown, next: now } : { shown: now, next: undefined };
      }),
  );
  const { shown, next } = played;
  const current = chooseEpisode(shown, chosen);
  const episodes = [...shown.episodes.values()];
  return (
    <section ref={card} className="card in-flight" aria-label="Played now">
      <header>
        <h2>Played now</h2>
        <span className="small muted">
          {shown.step === undefined
            ? 'the episodes of a step appear here turn by turn, where the run plays them itself'
            : tellPlayed(shown.step, episodes)}
        </span>
        {next !== undefined && (
          <button onClick={() => setPlayed({ shown: next, next: undefined })}>
            Step {next.step} is played: show
          </button>
        )}
      </header>
      {/* without an episode there is nothing to reserve the height for */}
      {current !== undefined && (
        <div className="split">
          <Rows episodes={episodes} current={current} onChoose={setChosen} />
          <EpisodeReader key={current} runId={runId} id={current} />
        </div>
      )}
    </section>
  );
}

function tellPlayed(step: number, episodes: readonly InFlightSummary[]): string {
  const { write, act, ended } = countPhases(episodes);
  const parts = [`${write} write`, ...(act === 0 ? [] : [`${act} act`]), `${ended} ended`];
  return `${episodes.length} of step ${step}: ${parts.join(', ')}; all are stored when it ends`;
}

interface RowsProps {
  readonly episodes: readonly InFlightSummary[];
  readonly current: string | undefined;
  onChoose(id: string): void;
}

function Rows({ episodes, current, onChoose }: RowsProps) {
  const place = useRef<HTMLDivElement>(null);
  const rows = useVirtualizer({
    count: episodes.length,
    getScrollElement: () => place.current,
    estimateSize: () => rowHeight,
    overscan: 10,
  });
  const press = (event: KeyboardEvent<HTMLElement>): void => {
    const by = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    const at = episodes.findIndex(({ id }) => id === current);
    const other = by === undefined ? undefined : episodes[at + by];
    if (other === undefined) return;
    event.preventDefault();
    onChoose(other.id);
    rows.scrollToIndex(at + (by ?? 0));
    event.currentTarget.querySelector<HTMLElement>(`[data-episode="${CSS.escape(other.id)}"]`)?.focus();
  };
  return (
    <div ref={place} className="rows">
      <ul style={{ height: rows.getTotalSize() }} onKeyDown={press} aria-label="Episodes that are played">
        {rows.getVirtualItems().map(({ index, start }) => {
          const episode = episodes[index];
          if (episode === undefined) return null;
          return (
            <li
              key={episode.id}
              aria-setsize={episodes.length}
              aria-posinset={index + 1}
              style={{ transform: `translateY(${start}px)` }}
            >
              <Row episode={episode} isCurrent={episode.id === current} onChoose={onChoose} />
            </li>
          );
        })}
      </ul>
    </div>
  );
}

interface RowProps {
  readonly episode: InFlightSummary;
  readonly isCurrent: boolean;
  onChoose(id: string): void;
}

function Row({ episode, isCurrent, onChoose }: RowProps) {
  const { id, turn, phase, preview, reward, ended } = episode;
  return (
    <button
      className={`plain ${ended === null ? 'live' : 'over'}`}
      data-episode={id}
      aria-pressed={isCurrent}
      // one stop for the Tab key; arrows go on from there
      tabIndex={isCurrent ? 0 : -1}
      onClick={() => onChoose(id)}
    >
      <span className="mono">{id}</span>
      <span>
        turn {turn + 1}, {ended ?? (phase === 'acting' ? 'acts' : 'writes …')}
      </span>
      <span className="cut">
        <Text of={preview} />
      </span>
      <span className="number-cell">{reward === 0 ? '' : formatNumber(reward)}</span>
    </button>
  );
}
