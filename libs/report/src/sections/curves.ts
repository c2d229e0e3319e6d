/** @file The curves of a report, and where trajectories and time went. */
import { failureLabels, type FailureLabel } from '@espalier/contracts/failure-labels';
import type { CurveChart } from '../charts/chart.js';
import { type Block, code, heading, note, type Sentence, withCommas } from '../document.js';
import { formatNumber, formatShare } from '../numbers.js';
import { finitePoints, type ReportRun } from '../report-run.js';
import { lookUp, type Sources } from '../sources.js';
import type { RunGroup } from './comparison.js';

/** What a report draws where a run reports it, in this order. */
const usual = [
  'validation/success_rate',
  'rollout/success_rate',
  'rollout/reward_mean',
  'rollout/reward_std',
  'rollout/entropy',
  'policy/gradient_norm',
  'policy/approx_kl',
  'rollout/response_length',
] as const;

const ofTags = /^tag\/[^/]+\/validation\/success_rate$/;

/** Draws what the runs report; a group of several seeds has a band. */
export function describeCurves(groups: readonly RunGroup[]): Block[] {
  const runs = groups.flatMap((group) => group.runs);
  const known = new Set(runs.flatMap((run) => Object.keys(run.series)));
  const tagged = [...known].filter((name) => ofTags.test(name)).sort();
  const shown = [...usual, ...tagged].filter((name) => known.has(name));
  if (shown.length === 0) return [];
  const missing = usual.filter((name) => !known.has(name));
  const trained = groups.map((group) => trainingSteps(group.runs));
  const hasBands = groups.some((group) => group.runs.length > 1);
  return [
    heading(2, 'Curves', 'curves'),
    note(
      hasBands
        ? 'A line is the mean over the seeds of a setting, its band reaches from the lowest to the highest. '
        : '',
      'A dashed upright line marks where the collapse monitor gave a run another state. Where a value is missing or not finite, a line has a gap.',
      ...(missing.length === 0 ? [] : [' Not reported: ', ...withCommas(missing.map(code)), '.']),
    ),
    { kind: 'charts', charts: shown.map((name) => drawMetric(name, groups, trained)) },
  ];
}

/** @param trained steps of each group, at which metrics of every step should have a value */
function drawMetric(
  metric: string,
  groups: readonly RunGroup[],
  trained: readonly (readonly number[])[],
): CurveChart {
  return {
    kind: 'curves',
    id: `chart-${metric.replaceAll(/[^a-z0-9]+/gi, '-')}`,
    title: metric,
    curves: groups.map(({ label, runs }, index) => ({
      label,
      runs: runs.map((run) => run.series[metric] ?? []).filter((points) => points.length > 0),
      ...(!metric.includes('validation/') && { expected: trained[index] ?? [] }),
    })),
    marks: groups.flatMap(({ runs }) =>
      runs.flatMap((run) =>
        run.events.flatMap((event) =>
          event.kind === 'monitor' ? [{ step: event.step, words: `${run.key}: ${event.state}` }] : [],
        ),
      ),
    ),
  };
}

/** Every step that one of the runs has trained, ascending. */
function trainingSteps(runs: readonly ReportRun[]): number[] {
  const isOfTraining = (name: string): boolean => name.startsWith('rollout/') || name === 'time/step_seconds';
  const steps = runs.flatMap(({ series }) =>
    Object.entries(series).flatMap(([name, points]) =>
      isOfTraining(name) ? points.map(([step]) => step) : [],
    ),
  );
  return [...new Set(steps)].sort((a, b) => a - b);
}

/** Trajectories by what became of them, over the whole run. */
export function describeFlow(runs: readonly ReportRun[], sources: Sources): Block[] {
  const counted = runs.map((run) => ({ run, counts: countFlow(run) }));
  const fates = [...new Set(counted.flatMap(({ counts }) => [...counts.keys()]))];
  const measured = counted.filter(({ counts }) => counts.size > 0);
  const labels = describeLabels(runs, sources);
  if (measured.length === 0 && labels.length === 0) return [];
  return [
    heading(2, 'What was learned from, and what went wrong', 'flow'),
    ...(measured.length === 0 ? [] : flowBlocks(measured, fates)),
    ...labels,
  ];
}

interface CountedRun {
  readonly run: ReportRun;
  readonly counts: ReadonlyMap<string, number>;
}

function flowBlocks(measured: readonly CountedRun[], fates: readonly string[]): Block[] {
  return [
    {
      kind: 'charts',
      charts: [
        {
          kind: 'bars',
          id: 'trajectories',
          title: 'Training trajectories by what became of them',
          parts: fates,
          rows: measured.map(({ run, counts }) => ({
            label: run.key,
            values: fates.map((fate) => counts.get(fate) ?? 0),
          })),
          format: formatNumber,
        },
      ],
    },
    note(
      'Sums of ',
      code('flow/trajectories/…'),
      ' and ',
      code('flow/dropped_trajectories/<reason>'),
      ' over all steps of a run, as its trainer counted them.',
    ),
  ];
}

function countFlow(run: ReportRun): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const name of Object.keys(run.series)) {
    const [, fate] = /^flow\/trajectories\/(.+)$/.exec(name) ?? [];
    const [, reason] = /^flow\/dropped_trajectories\/(.+)$/.exec(name) ?? [];
    // what was dropped is shown by its reasons
    if ((fate === undefined && reason === undefined) || fate === 'dropped') continue;
    const total = finitePoints(run, name).reduce((sum, [, value]) => sum + value, 0);
    counts.set(
      reason === undefined ? (fate ?? '').replaceAll('_', ' ') : `dropped: ${reason.replaceAll('_', '-')}`,
      total,
    );
  }
  return new Map([...counts].sort(([a], [b]) => rank(a) - rank(b) || a.localeCompare(b, 'en')));
}

const rank = (fate: string): number => (fate === 'trained' ? 0 : fate.startsWith('dropped') ? 1 : 2);

/** The share of trajectories with each label, at the first and the newest step. */
function describeLabels(runs: readonly ReportRun[], sources: Sources): Block[] {
  const names = (Object.keys(failureLabels) as FailureLabel[]).filter((label) =>
    runs.some((run) => finitePoints(run, metricOf(label)).some(([, value]) => value > 0)),
  );
  if (names.length === 0) return [];
  return [
    heading(3, 'Failure labels', 'labels'),
    {
      kind: 'table',
      head: ['label', 'meaning', ...runs.map(({ key }) => key)],
      rows: names.map((label) => [
        [code(label)],
        [failureLabels[label]],
        ...runs.map((run) => labelCell(run, metricOf(label), sources)),
      ]),
    },
    note(
      'Share of the trajectories of a training step that have the label: at the first step → at the newest.',
    ),
  ];
}

const metricOf = (label: FailureLabel): string => `rollout/label_${label.replaceAll('-', '_')}`;

function labelCell(run: ReportRun, name: string, sources: Sources): Sentence {
  const points = finitePoints(run, name);
  const [first] = points;
  const last = points.at(-1);
  if (first === undefined || last === undefined) return [{ kind: 'muted', text: 'not reported' }];
  return [
    sources.citeComputed(
      `${formatShare(first[1])} → ${formatShare(last[1])}`,
      [first, last].map(([step]) => lookUp(run, { kind: 'metric', name, at: step })),
      'first and newest training step',
    ),
  ];
}
