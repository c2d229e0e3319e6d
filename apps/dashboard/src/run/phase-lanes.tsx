/** @file The phases of the newest or the chosen steps on the clock, a lane for each, with the attempts that they are of. */
import type { RunDetails } from '@espalier/client';
import { type KeyboardEvent, useMemo, useRef, useState } from 'react';
import { About, type MetricFacts } from '../charts/about.js';
import { panels } from '../charts/panels.js';
import { lineColor } from '../charts/line-style.js';
import type { RunMetrics } from '../charts/series.js';
import { useWidth } from '../charts/use-width.js';
import { attemptsOf } from '../data/attempts-of.js';
import { useFinerMetrics } from '../data/use-run-metrics.js';
import { formatMoment, formatSeconds, formatShare } from '../format/numbers.js';
import type { Range } from '../routing/run-filter.js';
import { chooseByKey, chosenSteps } from './step-keys.js';
import { type Block, type LanePhase, laneMetrics, type Lanes, lanesOf } from './lanes.js';

/** Steps that are drawn unless a range is chosen, and at most. */
const newest = 24;
const most = 200;
const laneHeight = 20;
const labelWidth = 74;
const axisHeight = 20;

interface Props {
  readonly run: RunDetails;
  readonly metrics: RunMetrics;
  readonly facts: ReadonlyMap<string, MetricFacts>;
  readonly range: Range | undefined;
  readonly step: number | undefined;
  onPick(step: number): void;
  onChoose(range: Range): void;
}

export function PhaseLanes({ run, metrics, facts, range, step, onPick, onChoose }: Props) {
  const [over, setOver] = useState<Shown>();
  const place = useRef<HTMLDivElement>(null);
  const width = useWidth(place);
  const { from, to } = windowOf(range, metrics.lastStep);
  // in blocks of steps, or each new step of a long run would be a question to the server
  const part = useMemo(() => ({ from: from - (from % 8), to: to + 7 - (to % 8) }), [from, to]);
  const { series } = useFinerMetrics(run.id, metrics, part) ?? metrics;
  const lanes = useMemo(() => lanesOf(series, { from, to }), [series, from, to]);
  if (lanes === undefined) return null;
  const all = (lanes.to - lanes.from) / 1000;
  const press = (event: KeyboardEvent): void => {
    const chosen = chosenSteps(range, step);
    const { lastStep } = metrics;
    const next = chooseByKey(event, { at: step ?? chosen?.from, range: chosen, lastStep });
    if (next === undefined) return;
    event.preventDefault();
    if (typeof next === 'number') onPick(next);
    else onChoose(next);
  };
  const isCut = range !== undefined && range.to - range.from >= most;
  return (
    <section className="card lanes">
      <header>
        <h3>Phases by the clock</h3>
        <span className="faint small">
          steps {from}–{to}, {formatSeconds(all)}
          {isCut && ` (the first ${most} of the chosen ones)`}
        </span>
        <About
          title="phases by the clock"
          metrics={laneMetrics.filter((name) => facts.has(name))}
          facts={facts}
        />
        <span className="faint small at">{over === undefined ? '' : tellBlock(over)}</span>
      </header>
      <div
        ref={place}
        className="keys-here"
        role="slider"
        tabIndex={0}
        aria-label="Step of the lanes"
        aria-valuemin={1}
        aria-valuemax={metrics.lastStep}
        aria-valuenow={step ?? to}
        aria-valuetext={tellStep(lanes, step ?? to)}
        onKeyDown={press}
      >
        {width > labelWidth && (
          <Drawing
            lanes={lanes}
            attempts={attemptsOf(run)}
            width={width}
            step={step}
            onOver={setOver}
            onPick={onPick}
          />
        )}
      </div>
      <ul className="legend">
        {lanes.lanes.map(({ phase, seconds }) => (
          <li key={phase}>
            <i style={{ background: colorOfPhase(phase) }} />
            {phase} <b>{formatShare(seconds / all)}</b>
          </li>
        ))}
        <li title="Starting, pauses, and what is between steps">
          none of these <b>{formatShare(lanes.restSeconds / all)}</b>
        </li>
      </ul>
      <p className="small faint lanes-note">
        Lengths and ends of steps are as reported; where a phase begins within its step follows from their
        order.
        {series['rollout/policy_lag_mean'] !== undefined &&
          ' This run samples ahead: “collect” is the wait for trajectories, not the time it took to sample them.'}
      </p>
    </section>
  );
}

interface Shown {
  readonly phase: LanePhase;
  readonly block: Block;
}

const tellBlock = ({ phase, block: { step, from, to } }: Shown): string =>
  `step ${step}: ${phase} ${formatSeconds((to - from) / 1000)}, from ${new Date(from).toLocaleTimeString()}`;

/** Every phase of a step, with its time. */
function tellStep({ lanes }: Lanes, step: number): string {
  const parts = lanes.flatMap(({ phase, blocks }) =>
    blocks
      .filter((block) => block.step === step)
      .map((block) => `${phase} ${formatSeconds((block.to - block.from) / 1000)}`),
  );
  return [`step ${step}`, ...parts].join(', ');
}

function windowOf(range: Range | undefined, lastStep: number): Range {
  if (range === undefined) return { from: Math.max(0, lastStep - newest + 1), to: lastStep };
  return { from: range.from, to: Math.min(range.to, lastStep, range.from + most - 1) };
}

/** As in the panel of the same numbers; what it has not follows. */
const order = panels.find(({ id }) => id === 'phases')?.lines.map(({ metric }) => metric) ?? [];
function colorOfPhase(phase: LanePhase): string {
  const at = order.indexOf(`time/${phase}_seconds`);
  return `var(${lineColor(at >= 0 ? at : phase === 'validate' ? 6 : 7)})`;
}

interface DrawingProps {
  readonly lanes: Lanes;
  readonly attempts: RunDetails['attempts'];
  readonly width: number;
  readonly step: number | undefined;
  onOver(shown: Shown | undefined): void;
  onPick(step: number): void;
}

function Drawing({ lanes: { from, to, lanes }, attempts, width, step, onOver, onPick }: DrawingProps) {
  const height = lanes.length * laneHeight;
  const x = (time: number): number =>
    labelWidth + ((time - from) / Math.max(1, to - from)) * (width - labelWidth - 8);
  const begun = attempts.flatMap(({ number, startedAt }) => {
    const time = Date.parse(startedAt ?? '');
    return time > from && time < to ? [{ number, time }] : [];
  });
  const words = lanes.map(({ phase, seconds }) => `${phase} ${formatSeconds(seconds)}`).join(', ');
  return (
    <svg
      width={width}
      height={height + axisHeight}
      role="img"
      aria-label={`Time by phase: ${words}`}
      onMouseLeave={() => onOver(undefined)}
    >
      {lanes.map(({ phase, blocks }, row) => (
        <g key={phase}>
          <text x="14" y={row * laneHeight + 14} className="lane-name">
            {phase}
          </text>
          <line x1={labelWidth} x2={width - 8} y1={(row + 1) * laneHeight} y2={(row + 1) * laneHeight} />
          {blocks.map((block) => (
            <rect
              key={block.step}
              className={block.step === step ? 'here' : undefined}
              x={x(block.from)}
              y={row * laneHeight + 4}
              width={Math.max(1, x(block.to) - x(block.from))}
              height={laneHeight - 7}
              fill={colorOfPhase(phase)}
              onMouseEnter={() => onOver({ phase, block })}
              onClick={() => onPick(block.step)}
            />
          ))}
        </g>
      ))}
      {begun.map(({ number, time }) => (
        <line key={number} className="attempt" x1={x(time)} x2={x(time)} y1="0" y2={height}>
          <title>attempt {number} began</title>
        </line>
      ))}
      {ticksOf(from, to, width).map(({ time, anchor }) => (
        <text key={time} x={x(time)} y={height + 14} textAnchor={anchor} className="lane-time">
          <title>{formatMoment(new Date(time).toISOString())}</title>
          {new Date(time).toLocaleTimeString()}
        </text>
      ))}
    </svg>
  );
}

function ticksOf(from: number, to: number, width: number) {
  const count = Math.max(2, Math.min(6, Math.floor(width / 180)));
  return Array.from({ length: count }, (_, at) => ({
    time: from + ((to - from) * at) / (count - 1),
    anchor: at === 0 ? ('start' as const) : at === count - 1 ? ('end' as const) : ('middle' as const),
  }));
}
