/** @file Rewards as dots on one scale, each of which opens its trajectory, before the quantiles of all. */
import type { TrajectoryRow } from '@espalier/client';
import { formatNumber } from '../format/numbers.js';
import { Link } from '../routing/link.js';
import { toPath } from '../routing/router.js';
import { isGreedyBaseline } from './groups.js';
import { type Quantiles, quantilesOf } from './rewards.js';

/** What all dots of a list are drawn on. */
export interface RewardScale {
  readonly low: number;
  readonly high: number;
  readonly quantiles: Quantiles;
}

/** undefined: there is no reward */
export function scaleOf(rewards: readonly number[]): RewardScale | undefined {
  const quantiles = quantilesOf(rewards);
  return quantiles && { low: Math.min(...rewards), high: Math.max(...rewards), quantiles };
}

/** The bands behind the dots, in words. */
export function tellScale(scale: RewardScale | undefined): string {
  if (scale === undefined) return 'No trajectory has a reward.';
  const { p10, p25, median, p75, p90 } = scale.quantiles;
  const between = (from: number, to: number): string => `${formatNumber(from)} to ${formatNumber(to)}`;
  return `Median ${formatNumber(median)}, middle half ${between(p25, p75)}, middle 80 % ${between(p10, p90)}.`;
}

/** From 0 to 1; a greedy baseline may be off the scale of the others, and is at its end. */
function placeOf(reward: number | null, low: number, span: number): number {
  if (reward === null) return 1;
  return span > 0 ? Math.min(1, Math.max(0, (reward - low) / span)) : 0.5;
}

interface DotsProps {
  readonly runId: string;
  readonly rows: readonly TrajectoryRow[];
  readonly scale: RewardScale | undefined;
  readonly fitting: ReadonlySet<string> | undefined;
  /** @param what the episode under the pointer; undefined: none */
  onPoint(what: string | undefined): void;
}

/** Dots on one scale for all groups; equal rewards lie beside each other, those without a reward at the end. */
export function RewardDots({ runId, rows, scale, fitting, onPoint }: DotsProps) {
  const seen = new Map<number, number>();
  const { low, high } = scale ?? { low: 0, high: 0 };
  const span = high - low;
  return (
    <span className="dots">
      {scale !== undefined && span > 0 && <Bands scale={scale} />}
      {rows.map((row) => {
        const place = placeOf(row.reward, low, span);
        const key = Math.round(place * 60);
        const before = seen.get(key) ?? 0;
        seen.set(key, before + 1);
        const reward = row.reward === null ? 'no reward' : `reward ${formatNumber(row.reward)}`;
        const role = isGreedyBaseline(row) ? ', greedy baseline' : '';
        const what = `${row.id}: ${reward}${row.success ? ', success' : ''}${role}`;
        return (
          <Link
            key={row.id}
            className={`${row.reward === null ? 'none' : row.success ? 'solved' : ''} ${fitting?.has(row.id) === false ? 'dim' : ''}`}
            style={{
              left: `calc(${place * 100}% + ${Math.floor(before / 4) * 8 - 6}px)`,
              top: `${1 + (before % 4) * 8}px`,
            }}
            href={toPath('runs', runId, 'trajectories', row.id)}
            aria-label={what}
            title={what}
            onPointerEnter={() => onPoint(what)}
            onPointerLeave={() => onPoint(undefined)}
            onFocus={() => onPoint(what)}
            onBlur={() => onPoint(undefined)}
          />
        );
      })}
    </span>
  );
}

/** Behind the dots: where the middle half and the middle 80 % of all rewards lie, and the median. */
function Bands({ scale: { low, high, quantiles } }: { readonly scale: RewardScale }) {
  const { p10, p25, median, p75, p90 } = quantiles;
  const span = high - low;
  const left = (value: number): string => `${((value - low) / span) * 100}%`;
  const band = (from: number, to: number) => (
    <i className="band" style={{ left: left(from), width: `${((to - from) / span) * 100}%` }} />
  );
  return (
    <span aria-hidden="true">
      {band(p10, p90)}
      {band(p25, p75)}
      <i className="median" style={{ left: left(median) }} />
    </span>
  );
}

export const whatDotsAre =
  'A dot is a trajectory at its total reward, raw key reward; filled: success. All groups have one scale, from the lowest to the highest reward of the chosen steps. The bands behind are the middle half and the middle 80 % of these rewards, the dashed line their median.';
