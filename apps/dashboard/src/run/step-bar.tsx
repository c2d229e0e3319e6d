/** @file A cell for each step, shaded by success; several steps share one where there are many. */
import { type KeyboardEvent, type MouseEvent, useMemo, useState } from 'react';
import { meanOver, type RunMetrics } from '../charts/series.js';
import { About } from '../charts/about.js';
import { formatNumber, formatShare } from '../format/numbers.js';
import type { Range } from '../routing/run-filter.js';
import { chooseByKey, rangeUpTo, walkByKey } from './step-keys.js';
import { type Happening, type MarkKind, tellHappenings } from './marks.js';
import type { StepWalk } from './step-walk.js';

const mostCells = 240;

/** What the cells are shaded by. */
export interface Shade {
  /** such as "share that fits the filter" */
  readonly words: string;
  /** 0 to 1 by step; a step without one has no shade */
  readonly values: ReadonlyMap<number, number>;
}

interface Props {
  readonly steps: number;
  readonly metrics: RunMetrics;
  readonly happenings: readonly Happening[];
  /** what is chosen, if only one step; undefined: nothing is */
  readonly range: Range | undefined;
  /** where keys without shift go on from; undefined: where the range begins */
  readonly at?: number | undefined;
  /** undefined: success in training */
  readonly shade?: Shade | undefined;
  /** what ↑, ↓ and Enter do: the trajectories of the chosen steps */
  readonly walk: Pick<StepWalk, 'move' | 'open'>;
  onPick(step: number): void;
  onChoose(range: Range): void;
}

/** One or several steps. */
interface Cell {
  readonly first: number;
  readonly last: number;
  /** 0 to 1; undefined: not known */
  readonly value: number | undefined;
  readonly isDone: boolean;
  readonly happenings: readonly Happening[];
}

export function StepBar(props: Props) {
  const { steps, metrics, happenings, range, at = range?.from, shade, walk, onPick, onChoose } = props;
  const { lastStep } = metrics;
  const cells = useMemo(
    () => cellsOf(steps, metrics, happenings, shade),
    [steps, metrics, happenings, shade],
  );
  const [over, setOver] = useState<Cell>();
  const cellAt = (event: MouseEvent<HTMLElement>): Cell | undefined => {
    const { left, width } = event.currentTarget.getBoundingClientRect();
    const place = Math.floor(((event.clientX - left) / width) * cells.length);
    return cells[Math.max(0, Math.min(cells.length - 1, place))];
  };
  const pick = (cell: Cell | undefined, isExtended: boolean): void => {
    if (cell?.isDone !== true) return;
    const picked = Math.min(cell.last, lastStep);
    if (isExtended) onChoose(rangeUpTo(picked, { range, lastStep }));
    else onPick(picked);
  };
  const isChosen = ({ first, last }: Cell): boolean =>
    range !== undefined && range.from <= last && range.to >= first;
  const press = (event: KeyboardEvent): void => {
    const through = walkByKey(event);
    if (through !== undefined) {
      event.preventDefault();
      if (through === 'open') walk.open();
      else walk.move(through);
      return;
    }
    const next = chooseByKey(event, { at, range, lastStep });
    if (next === undefined) return;
    event.preventDefault();
    if (typeof next === 'number') onPick(next);
    else onChoose(next);
  };
  const shown = over ?? cells.find(isChosen);
  return (
    <div className="step-bar">
      <div
        className={`cells ${cells.length > 80 ? 'dense' : ''}`}
        role="slider"
        tabIndex={0}
        aria-label="Step"
        aria-valuemin={1}
        aria-valuemax={lastStep}
        aria-valuenow={range?.from ?? lastStep}
        onKeyDown={press}
        onMouseDown={(event) => event.button === 0 && pick(cellAt(event), event.shiftKey)}
        onMouseMove={(event) => {
          const cell = cellAt(event);
          // dragging goes through the steps
          if (event.buttons === 1 && !event.shiftKey && cell !== over) pick(cell, false);
          setOver(cell);
        }}
        onMouseLeave={() => setOver(undefined)}
      >
        {cells.map((cell) => (
          <i
            key={cell.first}
            className={`${cell.isDone ? '' : 'open'} ${isChosen(cell) ? 'here' : ''} ${gravest(cell.happenings) ?? ''}`}
            style={
              cell.value === undefined
                ? {}
                : {
                    background: `color-mix(in srgb, var(--data-1) ${Math.round(12 + cell.value * 88)}%, var(--sunken))`,
                  }
            }
          />
        ))}
      </div>
      <div className="small muted what">
        {shown === undefined
          ? `${metrics.lastStep} of ${steps} steps, shaded by ${shade?.words ?? 'success'}`
          : tellCell(shown, metrics, shade)}
        <About title="the bar of steps" words={whatItIs} />
      </div>
    </div>
  );
}

const whatItIs =
  'Each cell is a step, or several where a run has more than 240. The darker it is, the larger the share of successful episodes in training, or of trajectories that fit the filter, as the mean of its steps; a cell without shade has no value. A dot is a checkpoint, a ring a fork, a lozenge a warning, a hollow one a change of health, a bar another attempt. ← and → go from step to step, ↑ and ↓ through the trajectories of the chosen ones, Enter opens one.';

function tellCell({ first, last, isDone, value, happenings }: Cell, metrics: RunMetrics, shade?: Shade) {
  const what = first === last ? `step ${first}` : `steps ${first}–${last}`;
  const told = tellHappenings(happenings);
  const rest = told === '' ? '' : `, ${told}`;
  if (!isDone) return `${what}: not done${rest}`;
  if (shade !== undefined) return `${what}: ${shade.words} ${formatShare(value)}${rest}`;
  const reward = formatNumber(meanOver(metrics.series['rollout/reward_mean'], first, last));
  return `${what}: ${first === last ? '' : 'mean '}success ${formatShare(value)}, reward ${reward}${rest}`;
}

const byGravity: readonly MarkKind[] = ['health', 'warning', 'fork', 'attempt', 'checkpoint'];
const gravest = (happenings: readonly Happening[]): MarkKind | undefined =>
  byGravity.find((kind) => happenings.some((one) => one.kind === kind));

function cellsOf(
  steps: number,
  metrics: RunMetrics,
  happenings: readonly Happening[],
  shade: Shade | undefined,
): Cell[] {
  const size = Math.max(1, Math.ceil(steps / mostCells));
  const success = metrics.series['rollout/success_rate'];
  const happened = new Map<number, Happening[]>();
  for (const one of happenings)
    for (const step of new Set([one.step, one.lastStep])) {
      const cell = Math.floor((Math.max(1, step) - 1) / size);
      happened.set(cell, [...(happened.get(cell) ?? []), one]);
    }
  return Array.from({ length: Math.ceil(steps / size) }, (_, index) => {
    const first = index * size + 1;
    const last = Math.min(steps, first + size - 1);
    const isDone = first <= metrics.lastStep;
    return {
      first,
      last,
      isDone,
      value: shade === undefined ? meanOver(success, first, last) : meanOf(shade.values, first, last),
      happenings: happened.get(index) ?? [],
    };
  });
}

/** Of the steps that have a value. */
function meanOf(values: ReadonlyMap<number, number>, first: number, last: number): number | undefined {
  let [sum, count] = [0, 0];
  for (let step = first; step <= last; step++) {
    const value = values.get(step);
    if (value === undefined) continue;
    sum += value;
    count += 1;
  }
  return count === 0 ? undefined : sum / count;
}
