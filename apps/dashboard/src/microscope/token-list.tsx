/** @file The tokens that are in view; pointing and choosing is heard once for all of them. */
import type { Virtualizer } from '@tanstack/react-virtual';
import { type MouseEvent, type RefObject, useCallback, useRef, useState } from 'react';
import type { OpenedTrajectory } from '../data/types.js';
import type { Block } from './blocks.js';
import type { Measure } from './measures.js';
import { useFlow } from './flow.js';
import { TokenBlock } from './token-block.js';
import type { Pages } from './use-pages.js';

interface Props {
  readonly runId: string;
  readonly trajectory: OpenedTrajectory;
  readonly blocks: readonly Block[];
  readonly rows: Virtualizer<Window, Element>;
  readonly place: RefObject<HTMLDivElement>;
  readonly pages: Pages;
  readonly measure: Measure;
  readonly chosen: number | undefined;
  onPoint(token: number | undefined): void;
  onChoose(token: number): void;
}

function tokenOf({ target }: MouseEvent): number | undefined {
  const given = (target as HTMLElement).closest<HTMLElement>('[data-token]')?.dataset['token'];
  return given === undefined ? undefined : Number(given);
}

/** The first token below the bar and the head of the microscope. */
function firstInView(list: HTMLElement): number | undefined {
  const below =
    48 + (list.closest('.stack')?.querySelector('.token-head')?.getBoundingClientRect().height ?? 0);
  const seen = [...list.querySelectorAll<HTMLElement>('[data-token]')];
  const first = seen.find((one) => one.getBoundingClientRect().top >= below) ?? seen[0];
  return first === undefined ? undefined : Number(first.dataset['token']);
}

/** A list that scrolls under a pointer that rests points at nothing. */
function usePointerMoved(): (event: MouseEvent) => boolean {
  const last = useRef('');
  return ({ clientX, clientY }) => {
    const place = `${clientX} ${clientY}`;
    const isNew = place !== last.current;
    last.current = place;
    return isNew;
  };
}

export function TokenList(props: Props) {
  const { runId, trajectory, blocks, rows, place, pages, measure, chosen, onPoint, onChoose } = props;
  const isMoved = usePointerMoved();
  // of the tokens that a turn read, how many are shown; a block that leaves the view keeps it
  const [shownRead, setShownRead] = useState<ReadonlyMap<number, number>>(new Map());
  const showRead = useCallback(
    (turn: number, shown: number) => setShownRead((old) => new Map(old).set(turn, shown)),
    [],
  );
  useFlow(place, blocks, rows.measureElement);
  return (
    <div
      ref={place}
      className="card token-list"
      role="group"
      tabIndex={0}
      aria-label="Tokens: Enter chooses the first one in view, arrow keys go on from there"
      onKeyDown={({ key, currentTarget, target }) => {
        if (key !== 'Enter' || target !== currentTarget) return;
        const token = firstInView(currentTarget);
        if (token !== undefined) onChoose(token);
      }}
      style={{ height: rows.getTotalSize() }}
      onMouseMove={(event) => isMoved(event) && onPoint(tokenOf(event))}
      onMouseLeave={() => onPoint(undefined)}
      onClick={(event) => {
        const token = tokenOf(event);
        if (token !== undefined) onChoose(token);
      }}
    >
      {rows.getVirtualItems().map(({ index, key, start }) => {
        const block = blocks[index];
        if (block === undefined) return null;
        return (
          <div
            key={key}
            ref={rows.measureElement}
            data-index={index}
            className="token-block"
            style={{ transform: `translateY(${start - rows.options.scrollMargin}px)` }}
          >
            <TokenBlock
              runId={runId}
              id={trajectory.row.id}
              block={block}
              turn={trajectory.turns[block.turn]}
              page={pages.of(block.start)}
              nextPage={pages.of(Math.max(block.start, block.end - 1))}
              measure={measure}
              chosen={
                chosen !== undefined && chosen >= block.start - (block.read ?? 0) && chosen < block.end
                  ? chosen
                  : undefined
              }
              hasMask={trajectory.update?.hasTokens === true}
              shownRead={shownRead.get(block.turn) ?? 0}
              onRead={showRead}
            />
          </div>
        );
      })}
    </div>
  );
}
