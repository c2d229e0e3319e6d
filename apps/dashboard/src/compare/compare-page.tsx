/** @file Many runs over one another: in groups with bands, against their settings, in numbers, and on the same prompt. */
import type { Run } from '@espalier/client';
import { useEffect, useMemo } from 'react';
import { lineColor } from '../charts/line-style.js';
import { CostTable } from '../cost/cost-table.js';
import { useFold } from '../data/use-pages.js';
import { formatCount } from '../format/numbers.js';
import { toVisible } from '../format/visible-text.js';
import { ErrorNote, Notice, Waiting } from '../parts/states.js';
import { ReportButton } from '../run/report-button.js';
import { useSearch } from '../routing/router.js';
import '../styles/compare.css';
import { Chooser } from './chooser.js';
import { Differences } from './differences.js';
import { FieldPanel, type NamedLine } from './field-panel.js';
import { GroupTable } from './group-table.js';
import { Parallel } from './parallel.js';
import { Prompts } from './prompts.js';
import { Scatter } from './scatter.js';
import { mostRuns, readSelection, tellingSettings, type Selection, writeBrushes } from './selection.js';
import { useChosenRuns } from './use-compared.js';
import { useFacts, useLines, useMetrics, usualMetrics, useWithin } from './use-view.js';
import { ViewBar } from './view-bar.js';

const none: readonly NamedLine[] = [];

export default function ComparePage() {
  const [search] = useSearch();
  const selection = useMemo(() => readSelection(search), [search]);
  const chosen = useChosenRuns(selection);
  useEffect(() => {
    document.title = 'Compare · Espalier';
  }, []);
  const runs = selection.filter === undefined ? [] : (chosen.data?.runs ?? []);
  return (
    <div className="stack">
      <div className="row between">
        <h1>Compare</h1>
        <span className="muted small">
          {runs.length > 0 &&
            `${formatCount(runs.length, 'run')}${chosen.data?.isCut === true ? `: the newest ${mostRuns} of more` : ''}`}
        </span>
      </div>
      <Chooser runs={runs} selection={selection} />
      {chosen.error !== null && <ErrorNote error={chosen.error} retry={() => void chosen.refetch()} />}
      {selection.filter === undefined && (
        <Notice title="Choose runs above">
          <p>
            By words, tag, group, project or state, or one by one, up to {mostRuns}. Runs that differ in their
            seed only become one line with a band.
          </p>
        </Notice>
      )}
      {selection.filter !== undefined && chosen.isPending && <Waiting what="the runs" />}
      {selection.filter !== undefined && chosen.data !== undefined && runs.length === 0 && (
        <Notice title="No run fits">
          <p>Change the words or filters above; runs that were deleted are gone.</p>
        </Notice>
      )}
      {runs.length > 0 && <Compared runs={runs} selection={selection} />}
    </div>
  );
}

function Compared({ runs, selection }: { readonly runs: readonly Run[]; readonly selection: Selection }) {
  const [, setSearch] = useSearch();
  const { known, shown, read } = useMetrics(runs);
  const { numbers, dimensions, ids, kept, within } = useWithin(runs, read, selection);
  const drawnLines = useLines(within, shown, selection, numbers.data);
  const { groups, nameOf, groupOf, lines } = drawnLines;
  const facts = useFacts(runs);
  const error = numbers.error ?? drawnLines.error;
  const retry = (): void => void Promise.all([numbers.refetch(), drawnLines.retry()]);
  const brush = (range: readonly [number, number] | undefined): void => {
    const [from, to] = range?.map(Math.round) ?? [];
    setSearch({ from: from === undefined ? undefined : String(Math.max(0, from)), to: to?.toString() });
  };
  const settings = dimensions.filter(({ kind }) => kind === 'setting').map(({ name }) => name);
  const telling = tellingSettings(dimensions);
  const drawnSettings = useFold(telling, 8);
  const outcomes = dimensions.filter(({ name, kind }) => kind === 'outcome' && shown.includes(name));
  const drawn = {
    statistic: selection.statistic,
    ids,
    kept,
    nameOf,
    colorOf: (id: string): string => lineColor(groupOf(id)),
  };
  return (
    <>
      <ViewBar selection={selection} settings={settings} metrics={known} shown={shown} />
      {error !== null && <ErrorNote error={error} retry={retry} />}
      {numbers.data === undefined && error === null && <Waiting what="the numbers" />}
      {numbers.data !== undefined && <Outside of={ids.length} within={within.length} />}
      <div className="row">
        <ReportButton runIds={within.map(({ id }) => id)} title="Comparison" />
      </div>
      {lines !== undefined && within.length > 0 && (
        <div className="panels">
          {shown.map((metric) => (
            <FieldPanel
              // what was zoomed to is of these steps on this axis
              key={`${metric} ${selection.axis} ${selection.from} ${selection.to}`}
              metric={metric}
              title={usualMetrics.get(metric) ?? toVisible(metric)}
              facts={facts}
              lines={lines.get(metric) ?? none}
              axis={selection.axis}
              band={selection.band === 'interval' ? 'mean, 95 % interval' : 'mean, lowest to highest'}
              onBrush={brush}
            />
          ))}
        </div>
      )}
      {numbers.data !== undefined && ids.length > 1 && (
        <div className="pair">
          <Scatter {...drawn} dimensions={dimensions} telling={telling} more={known} />
          <Parallel
            {...drawn}
            dimensions={[...drawnSettings.items, ...outcomes]}
            part={drawnSettings}
            brushes={selection.brushes}
            onBrush={(brushes) => setSearch({ where: writeBrushes(brushes) })}
          />
        </div>
      )}
      {groups.data !== undefined && within.length > 0 && (
        <>
          <GroupTable
            compared={groups.data}
            shown={shown}
            selection={selection}
            facts={facts}
            nameOf={nameOf}
          />
          {within.length > 1 && <Differences compared={groups.data} nameOf={nameOf} />}
          <CostTable runs={within} nameOf={nameOf} />
          <Prompts runs={within} nameOf={nameOf} />
        </>
      )}
    </>
  );
}

/** How many runs the brushes leave out. */
function Outside({ of, within }: { readonly of: number; readonly within: number }) {
  const [, setSearch] = useSearch();
  if (within === of) return null;
  return (
    <p className="small muted" role="status">
      {within} of {of} runs are within the brushes; everything here shows these.{' '}
      <button className="plain" onClick={() => setSearch({ where: undefined })}>
        keep all
      </button>
    </p>
  );
}
