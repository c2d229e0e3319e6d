/**
 * @file Every sampled token of a trajectory, coloured by one quantity, and what the update did to it. Only the tokens that
 * are seen are in the page; the others are asked for as they come into view.
 */
import { useWindowVirtualizer } from '@tanstack/react-virtual';
import { lazy, Suspense, useEffect, useMemo, useRef, useState } from 'react';
import type { OpenedTrajectory, TokenPage } from '../data/types.js';
import { isTyping } from '../parts/is-typing.js';
import { ErrorNote, Waiting } from '../parts/states.js';
import { useSearch, wholeNumber } from '../routing/router.js';
import { type Block, blockAt, blocksOf, pagesOf } from './blocks.js';
import { Legend } from './legend.js';
import { type Measure, measures, seriesOf } from './measures.js';
import { TokenDetail } from './token-detail.js';
import { TokenList } from './token-list.js';
import { TokenMap } from './token-map.js';
import { usePages } from './use-pages.js';

const UnderCheckpoints = lazy(() => import('./under-checkpoints.js'));

interface Props {
  readonly runId: string;
  readonly trajectory: OpenedTrajectory;
}

export function Microscope({ runId, trajectory }: Props) {
  const [search, setSearch] = useSearch();
  const summary = trajectory.tokenSummary;
  const measure = measures.find(({ id }) => id === search.get('by')) ?? (measures[0] as Measure);
  const blocks = useMemo(() => blocksOf(trajectory.turns), [trajectory]);
  const chosen = wholeNumber(search.get('token'));
  const [over, setOver] = useState<number>();
  const list = useRef<HTMLDivElement>(null);
  const rows = useWindowVirtualizer({
    count: blocks.length,
    estimateSize: (at) => heightOf(blocks[at]),
    overscan: 1,
    scrollMargin: list.current?.offsetTop ?? 0,
  });
  const items = rows.getVirtualItems();
  const seen = items.flatMap(({ index }) => blocks[index] ?? []);
  const focus = over ?? chosen;
  const pages = usePages(runId, trajectory.row.id, startsOf(seen, [focus, chosen], summary.total));
  const choose = (token: number, isMoved: boolean): void => {
    setOver(undefined);
    setSearch({ token: String(token) });
    if (isMoved) rows.scrollToIndex(blockAt(blocks, token), { align: 'center' });
  };
  useFirstScroll(chosen, () => rows.scrollToIndex(blockAt(blocks, chosen ?? 0), { align: 'center' }));
  const extremes = seriesOf(summary, measure)?.extremes ?? [];
  useKeys((key) => {
    if (key === 'e') {
      const next = extremes[(extremes.indexOf(chosen ?? null) + 1) % Math.max(1, extremes.length)];
      if (typeof next === 'number') choose(next, true);
    } else if (chosen !== undefined) {
      const next = neighbourOf(trajectory, chosen, key === 'ArrowRight' ? 1 : -1);
      if (next !== undefined) choose(next, !items.some(({ index }) => index === blockAt(blocks, next)));
    }
  });
  return (
    <div className="stack">
      <div className="token-head">
        <MeasureButtons summary={summary} measure={measure} choose={(id) => setSearch({ by: id })} />
        <Legend measure={measure} trajectory={trajectory} />
        <TokenMap
          summary={summary}
          measure={measure}
          turns={trajectory.turns}
          chosen={chosen}
          view={[seen[0]?.start ?? 0, seen.at(-1)?.end ?? 0]}
          onPick={(token) => choose(nearestSampled(trajectory, token), true)}
        />
      </div>
      <Extremes
        runId={runId}
        trajectory={trajectory}
        tokens={extremes}
        chosen={chosen}
        page={chosen === undefined ? undefined : pages.of(chosen)}
        choose={(token) => choose(token, true)}
      />
      {pages.error !== null && <ErrorNote error={pages.error} retry={pages.retry} />}
      <div className="microscope">
        <TokenList
          runId={runId}
          trajectory={trajectory}
          blocks={blocks}
          rows={rows}
          place={list}
          pages={pages}
          measure={measure}
          chosen={chosen}
          onPoint={setOver}
          onChoose={(token) => choose(token, false)}
        />
        <TokenDetail
          trajectory={trajectory}
          token={focus}
          page={focus === undefined ? undefined : pages.of(focus)}
          isFailed={pages.error !== null}
        />
      </div>
    </div>
  );
}

interface MeasureButtonsProps {
  readonly summary: OpenedTrajectory['tokenSummary'];
  readonly measure: Measure;
  choose(id: string): void;
}

function MeasureButtons({ summary, measure, choose }: MeasureButtonsProps) {
  return (
    <div className="row">
      <div className="segmented" role="group" aria-label="Colour by">
        {measures.map((one) => {
          const isKnown = seriesOf(summary, one) !== undefined;
          return (
            <button
              key={one.id}
              aria-pressed={measure === one}
              disabled={!isKnown}
              title={isKnown ? undefined : 'This trajectory has no such values'}
              onClick={() => choose(one.id)}
            >
              {one.label}
            </button>
          );
        })}
      </div>
    </div>
  );
}

interface ExtremesProps extends Props {
  readonly tokens: readonly (number | null)[];
  readonly chosen: number | undefined;
  /** that of the chosen token */
  readonly page: TokenPage | undefined;
  choose(token: number): void;
}

/** The tokens that stand out, and what checkpoints think of the chosen one. */
function Extremes({ runId, trajectory, tokens, chosen, page, choose }: ExtremesProps) {
  const [search, setSearch] = useSearch();
  const isUnder = search.get('under') === 'checkpoints';
  return (
    <>
      <div className="row small muted extremes">
        {tokens.length > 0 && 'Most extreme:'}
        {tokens.slice(0, 6).map((token) => (
          <button
            key={token}
            className="plain mono"
            aria-pressed={token === chosen}
            onClick={() => choose(token ?? 0)}
          >
            #{token}
          </button>
        ))}
        <button
          className="plain under"
          aria-pressed={isUnder}
          onClick={() => setSearch({ under: isUnder ? undefined : 'checkpoints' })}
        >
          Score under checkpoints…
        </button>
      </div>
      {isUnder && (
        <Suspense fallback={<Waiting what="the view" />}>
          <UnderCheckpoints runId={runId} trajectory={trajectory} token={chosen} page={page} />
        </Suspense>
      )}
    </>
  );
}

/** About how high a block is, until it is measured. */
const heightOf = (block: Block | undefined): number =>
  block === undefined ? 0 : 14 + (block.end - block.start) * 1.6 + (block.read === undefined ? 0 : 34);

/** The pages that hold what is in view, and tokens that are looked at. */
const startsOf = (seen: readonly Block[], tokens: readonly (number | undefined)[], total: number): number[] =>
  [
    ...new Set([
      ...seen.flatMap(({ start, end }) => pagesOf(start, end)),
      ...tokens.flatMap((token) => (token === undefined || token >= total ? [] : pagesOf(token, token + 1))),
    ]),
  ].sort((a, b) => a - b);

/** Scrolls once to the token that the address names. */
function useFirstScroll(chosen: number | undefined, scroll: () => void): void {
  const isDone = useRef(false);
  useEffect(() => {
    if (isDone.current) return;
    isDone.current = true;
    if (chosen !== undefined && chosen > 400) scroll();
  });
}

function useKeys(press: (key: string) => void): void {
  const latest = useRef(press);
  latest.current = press;
  useEffect(() => {
    const listen = (event: KeyboardEvent): void => {
      const { key } = event;
      if (isTyping(event)) return;
      if (event.ctrlKey || event.metaKey || !['ArrowLeft', 'ArrowRight', 'e'].includes(key)) return;
      event.preventDefault();
      latest.current(key);
    };
    document.addEventListener('keydown', listen);
    return () => document.removeEventListener('keydown', listen);
  }, []);
}

/** The sampled token before or after one. */
function neighbourOf({ turns }: OpenedTrajectory, token: number, by: 1 | -1): number | undefined {
  const ranges = turns.map(({ sampled }) => sampled).filter(({ start, end }) => end > start);
  if (ranges.some(({ start, end }) => token + by >= start && token + by < end)) return token + by;
  return by > 0
    ? ranges.find(({ start }) => start > token)?.start
    : ranges.findLast(({ end }) => end <= token) &&
        (ranges.findLast(({ end }) => end <= token)?.end ?? 1) - 1;
}

const nearestSampled = (trajectory: OpenedTrajectory, token: number): number =>
  trajectory.turns.some(({ sampled }) => token >= sampled.start && token < sampled.end)
    ? token
    : (neighbourOf(trajectory, token, 1) ?? neighbourOf(trajectory, token, -1) ?? token);
