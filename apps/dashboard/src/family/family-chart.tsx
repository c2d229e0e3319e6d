/** @file Success of a family on its common step axis; runs that differ in their seed only are a mean with a band. */
import type { Client, Run } from '@espalier/client';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Plot } from '../charts/plot.js';
import { readLines } from '../data/read-lines.js';
import { formatValue } from '../format/numbers.js';
import { toVisible } from '../format/visible-text.js';
import { ErrorNote } from '../parts/states.js';
import { useSession } from '../session/session-context.js';
import type { Branch } from './layout.js';
import { drawFamily, legendValue, type SeedCurve, seedsOf } from './lines.js';
import type { Family } from './use-family.js';

const metric = 'rollout/success_rate';
/** of a line */
const points = 400;

const isReported = ({ latest }: Run): boolean => Object.hasOwn(Object(latest), metric);

/** The mean and the ends of the seeds of each setting. */
async function readCurves(client: Client, ids: readonly string[]): Promise<readonly SeedCurve[]> {
  const { groups, metrics } = await client.runs.compare(ids, { metrics: [metric], points });
  const [compared] = metrics;
  return (compared?.groups ?? []).flatMap(({ group, curve }) => {
    const runIds = groups[group]?.runIds;
    return runIds === undefined || curve === null ? [] : [{ runIds, x: compared?.x ?? [], ...curve }];
  });
}

interface Props {
  readonly branches: readonly Branch<Run>[];
  /** of each run, what sets it apart from the others of the family */
  readonly settings: Family['settings'];
}

export function FamilyChart({ branches, settings }: Props) {
  const { client } = useSession();
  const [row, setRow] = useState<number | null>(null);
  const seeds = seedsOf(branches);
  const banded = new Set(seeds.flat());
  const singles = branches.map(({ run }) => run.id).filter((id) => !banded.has(id));
  const hasCurves = branches.some(({ run }) => banded.has(run.id) && isReported(run));
  const steps = branches.map(({ run }) => run.step ?? 0).join();
  const history = useQuery({
    queryKey: ['family-success', seeds, singles, steps, hasCurves],
    queryFn: async () => {
      const [curves, lines] = await Promise.all([
        // a metric that no run has is refused
        hasCurves ? readCurves(client, seeds.flat()) : [],
        singles.length === 0 ? [] : readLines(client, singles, [metric], { points }),
      ]);
      return {
        curves,
        lines: new Map(lines.flatMap((one) => (one === null ? [] : [[one.runId, one] as const]))),
      };
    },
    placeholderData: (old) => old,
  });
  if (history.error !== null) return <ErrorNote error={history.error} retry={() => void history.refetch()} />;
  if (history.data === undefined) return null;
  const { aligned, drawn } = drawFamily(branches, settings, history.data.curves, history.data.lines);
  if (aligned.steps.length === 0) return null;
  return (
    <section className="card panel">
      <header>
        <h3>Success in training</h3>
        <span className="faint small at">{row === null ? 'last' : `step ${aligned.steps[row]}`}</span>
      </header>
      <Plot
        title="Success in training"
        steps={aligned.steps}
        lines={drawn.map(({ name, color, dash, band }, index) => ({
          label: name,
          color,
          dash,
          values: aligned.columns[index] ?? [],
          band,
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
            <b>{formatValue(legendValue(aligned.columns[index], row), 'probability')}</b>
          </li>
        ))}
      </ul>
    </section>
  );
}
