/** @file A cell for each step, shaded by success; several steps share one where there are many. */
import { type KeyboardEvent, type MouseEvent, useMemo, useState } from 'react';
import type { EventCount } from '../data/types.js';
import { type RunMetrics, valueAt } from '../charts/series.js';
import { formatNumber, formatShare } from '../format/numbers.js';

const mostCells = 240;

interface Props {
  readonly steps: number;
  readonly metrics: RunMetrics;
  readonly marks: readonly EventCount[];
  readonly step: number | undefined;
  /** several steps are chosen, up to this */
  readonly to?: number;
  /** @param isExtended the shift key is down: up to that step */
  onPick(step: number, isExtended?: boolean): void;
}

/** One or several steps. */
interface Cell {
  readonly first: number;
  readonly last: number;
  /** 0 to 1; undefined: not reported */
  readonly success: number | undefined;
  readonly isDone: boolean;
  readonly mark: 'warning' | 'checkpoint' | undefined;
}

export function StepBar({ steps, metrics, marks, step, to = step, onPick }: Props) {
  const cells = useMemo(() => cellsOf(steps, metrics, marks), [steps, metrics, marks]);
  const [over, setOver] = useState<Cell>();
  const cellAt = (event: MouseEvent<HTMLElement>): Cell | undefined => {
    const { left, width } = event.currentTarget.getBoundingClientRect();
    return cells[Math.min(cells.length - 1, Math.floor(((event.clientX - left) / width) * cells.length))];
  };
  const pick = (cell: Cell | undefined, isExtended: boolean): void => {
    if (cell?.isDone === true) onPick(cell.last, isExtended);
  };
  const isChosen = ({ first, last }: Cell): boolean =>
    step !== undefined && to !== undefined && step <= last && to >= first;
  const press = (event: KeyboardEvent): void => {
    const by = { ArrowLeft: -1, ArrowRight: 1, PageUp: 10, PageDown: -10 }[event.key];
    if (by === undefined && event.key !== 'Home' && event.key !== 'End') return;
    event.preventDefault();
    const from = step ?? metrics.lastStep;
    const next = event.key === 'Home' ? 1 : event.key === 'End' ? metrics.lastStep : from + (by ?? 0);
    onPick(Math.max(1, Math.min(metrics.lastStep, next)), event.shiftKey);
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
        aria-valuemax={metrics.lastStep}
        aria-valuenow={step ?? metrics.lastStep}
        onKeyDown={press}
        onClick={(event) => pick(cellAt(event), event.shiftKey)}
        onMouseMove={(event) => setOver(cellAt(event))}
        onMouseLeave={() => setOver(undefined)}
      >
        {cells.map((cell) => (
          <i
            key={cell.first}
            className={`${cell.isDone ? '' : 'open'} ${isChosen(cell) ? 'here' : ''} ${cell.mark ?? ''}`}
            style={
              cell.success === undefined
                ? {}
                : {
                    background: `color-mix(in srgb, var(--data-1) ${Math.round(12 + cell.success * 88)}%, var(--sunken))`,
                  }
            }
          />
        ))}
      </div>
      <span className="small muted what">
        {shown === undefined ? (
          <>
            {metrics.lastStep} of {steps} steps, shaded by success
          </>
        ) : (
          <>
            {shown.first === shown.last ? `step ${shown.first}` : `steps ${shown.first}–${shown.last}`}
            {shown.isDone
              ? `: success ${formatShare(shown.success)}, reward ${formatNumber(valueAt(metrics.series['rollout/reward_mean'], shown.last))}`
              : ': not done'}
            {shown.mark === 'checkpoint' ? ', checkpoint' : shown.mark === 'warning' ? ', warning' : ''}
          </>
        )}
      </span>
    </div>
  );
}

function cellsOf(steps: number, metrics: RunMetrics, marks: readonly EventCount[]): Cell[] {
  const size = Math.max(1, Math.ceil(steps / mostCells));
  const success = metrics.series['rollout/success_rate'];
  const marked = new Map<number, 'warning' | 'checkpoint'>();
  for (const { firstStep, lastStep, kind } of marks)
    for (const step of [firstStep, lastStep]) {
      if (step === null) continue;
      const cell = Math.floor((step - 1) / size);
      if (kind === 'warning' || kind === 'monitor') marked.set(cell, 'warning');
      else if (kind === 'checkpoint' && !marked.has(cell)) marked.set(cell, 'checkpoint');
    }
  return Array.from({ length: Math.ceil(steps / size) }, (_, index) => {
    const first = index * size + 1;
    const last = Math.min(steps, first + size - 1);
    const isDone = first <= metrics.lastStep;
    return {
      first,
      last,
      isDone,
      success: isDone ? (valueAt(success, Math.min(last, metrics.lastStep)) ?? undefined) : undefined,
      mark: marked.get(index),
    };
  });
}
