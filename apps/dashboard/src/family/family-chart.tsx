/** @file Success of a family on its common step axis; runs that differ in their seed only are a mean with a band. */
import type { Run } from '@espalier/client';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { lineColor, lineDash, Plot } from '../charts/plot.js';
import { alignLines, type Points } from '../charts/series.js';
import { readLines } from '../data/read-lines.js';
import { formatValue } from '../format/numbers.js';
import { toVisible } from '../format/visible-text.js';
import { ErrorNote } from '../parts/states.js';
import { useSession } from '../session/session-context.js';
import { type Branch, spreadOf } from './layout.js';

const metric = 'rollout/success_rate';

interface Drawn {
  readonly name: string;
  readonly color: string;
  readonly dash: number[];
  readonly series: Points | undefined;
}

export function FamilyChart({ branches }: { readonly branches: readonly Branch<Run>[] }) {
  const { client } = useSession();
  const [row, setRow] = useState<number | null>(null);
  const ids = branches.map(({ run }) => run.id);
  const steps = branches.map(({ run }) => run.step ?? 0).join();
  const history = useQuery({
    queryKey: ['family-success', ids, steps],
    queryFn: () => readLines(client, ids, [metric], { points: 400 }),
    placeholderData: (old) => old,
  });
  if (history.error !== null) return <ErrorNote error={history.error} />;
  if (history.data === undefined) return null;
  const { aligned, drawn, low, high } = drawFamily(branches, history.data);
  if (aligned.steps.length === 0) return null;
  const valueOf = (index: number): number | null | undefined =>
    row === null
      ? aligned.columns[index]?.filter((value) => typeof value === 'number').at(-1)
      : aligned.columns[index]?.[row];
  return (
    <section className="card panel">
      <header>
        <h3>Success in training</h3>
        <span className="faint small at">{row === null ? 'last' : `step ${aligned.steps[row]}`}</span>
      </header>
      <Plot
        title="Success in training"
        steps={aligned.steps}
        lines={drawn.map(({ name, color, dash }, index) => ({
          label: name,
          color,
          dash,
          values: aligned.columns[index] ?? [],
          // the mean of the seeds is the first
          band: index > 0 || low === undefined || high === undefined ? undefined : ([low, high] as const),
        }))}
        unit="probability"
        sync="family"
        height={200}
        onHover={setRow}
      />
      <ul className="legend">
        {drawn.map(({ name, color, dash }, index) => (
          <li key={index}>
            <i style={{ background: `var(${color})` }} className={dash.length === 0 ? '' : 'dashed'} />
            <span className="cut">{toVisible(name)}</span>
            <b>{formatValue(valueOf(index), 'probability')}</b>
          </li>
        ))}
      </ul>
    </section>
  );
}

type History = Awaited<ReturnType<ReturnType<typeof useSession>['client']['metrics']['history']>>;

/** The lines on the common axis: one for each run, and one with a band for the seeds of the first group. */
function drawFamily(branches: readonly Branch<Run>[], history: History) {
  const series = branches.map(({ offset }, index): Points | undefined => {
    const one = history[index];
    if (one === null || one === undefined) return undefined;
    return {
      steps: one.steps.map((step) => Number(step) + offset),
      values: one.values,
      isDecimated: one.decimated,
    };
  });
  const band = branches.find((one) => one.band !== undefined)?.band;
  const members = branches.flatMap((one, index) => (band !== undefined && one.band === band ? [index] : []));
  const spread = spreadOf(members.flatMap((index) => series[index] ?? []));
  const singles = branches.flatMap((branch, index): Drawn[] =>
    members.includes(index)
      ? []
      : [
          {
            name: branch.run.title || branch.run.name,
            color: lineColor(index),
            dash: lineDash(index),
            series: series[index],
          },
        ],
  );
  const plain = (values: readonly number[]): Points => ({ steps: spread.steps, values, isDecimated: false });
  const mean: Drawn[] =
    members.length === 0
      ? []
      : [
          {
            name: `mean of ${members.length} seeds`,
            color: lineColor(members[0] ?? 0),
            dash: [],
            series: plain(spread.mean),
          },
        ];
  const drawn = [...mean, ...singles];
  const ends = members.length === 0 ? [] : [plain(spread.low), plain(spread.high)];
  const aligned = alignLines(
    [...drawn.map((one) => one.series), ...ends].map((one) => ({ series: one, isSparse: false })),
  );
  const [low, high] = aligned.columns.slice(drawn.length);
  return { aligned, drawn, low, high };
}
