/** @file Why a run collapsed, or was warned of: the rules that fired, what they saw, and when. */
import { type HealthFinding, inputInMetrics, metricsOfInput, ruleMeanings } from '@espalier/contracts/health';
import type { CurveChart } from '../charts/chart.js';
import { type Block, code, heading, type Inline, note, paragraph, type Sentence } from '../document.js';
import { formatNumber } from '../numbers.js';
import type { ReportEvent, ReportRun } from '../report-run.js';
import type { Sources } from '../sources.js';

type MonitorEvent = Extract<ReportEvent, { kind: 'monitor' }>;

/** Inputs that are drawn for a run, at most. */
const maxCharts = 4;
/** Changes of health in full, at most; others are counted. */
const maxChanges = 12;

/** The evidence of every run whose health changed, and the warnings of all. */
export function describeEvidence(runs: readonly ReportRun[], sources: Sources): Block[] {
  const parts = runs.flatMap((run) => [...describeChanges(run, sources), ...describeWarnings(run, sources)]);
  return parts.length === 0 ? [] : [heading(2, 'Collapse and warnings', 'evidence'), ...parts];
}

function describeChanges(run: ReportRun, sources: Sources): Block[] {
  const changes = run.events.filter((event): event is MonitorEvent => event.kind === 'monitor');
  if (changes.length === 0) return [];
  const findings = changes.flatMap((change) => change.findings);
  return [
    heading(3, run.key, `evidence-${run.key}`),
    {
      kind: 'table',
      head: ['step', 'health', 'rule', 'looks for', 'found', 'limit', 'action'],
      rows: changes.slice(-maxChanges).flatMap((change) => changeRows(run, change, sources)),
      numeric: [0],
    },
    ...(changes.length <= maxChanges
      ? []
      : [
          note(
            `${changes.length - maxChanges} earlier changes of health are left out; the log of events has them.`,
          ),
        ]),
    ...drawInputs(run, changes, findings),
  ];
}

function changeRows(run: ReportRun, change: MonitorEvent, sources: Sources): Sentence[][] {
  const { step, state, previous, action, restored } = change;
  const target = { kind: 'event', event: 'monitor', step } as const;
  const done = action === null ? '–' : action;
  const about: Sentence[] = [
    [sources.cite(run, target, String(step))],
    [
      { kind: 'muted', text: `${previous} → ` },
      {
        kind: 'badge',
        text: state,
        tone: state === 'healthy' ? 'good' : state === 'warning' ? 'warn' : 'bad',
      },
    ],
  ];
  const end: Sentence = [restored === null ? done : `${done} to the checkpoint of step ${restored}`];
  if (change.findings.length === 0) return [[...about, ['–'], [change.message], ['–'], ['–'], end]];
  return change.findings.map((finding, index) => [
    ...(index === 0 ? about : [[''], ['']]),
    [code(finding.rule)],
    [ruleMeanings[finding.rule] ?? ''],
    foundCell(finding),
    [limitOf(finding)],
    index === 0 ? end : [''],
  ]);
}

const foundCell = ({ input, value, baseline, since }: HealthFinding): Sentence => [
  code(inputInMetrics(input)),
  ` ${formatNumber(value)}${baseline === null ? '' : `, was ${formatNumber(baseline)}`}, since step ${since}`,
];

const limitOf = ({ limit, measure }: HealthFinding): string =>
  `${formatNumber(limit)}, at ${formatNumber(measure)}`;

/** What the rules looked at, over the whole run. */
function drawInputs(
  run: ReportRun,
  changes: readonly MonitorEvent[],
  findings: readonly HealthFinding[],
): Block[] {
  const inputs = [...new Set(findings.flatMap(({ input }) => metricOf(run, input) ?? []))];
  if (inputs.length === 0) return [];
  const charts = inputs.slice(0, maxCharts).map((name): CurveChart => ({
    kind: 'curves',
    id: `evidence-${run.key}-${name.replaceAll(/[^a-z0-9]+/gi, '-')}`,
    title: name,
    curves: [{ label: run.key, runs: [run.series[name] ?? []] }],
    marks: changes.map(({ step, state }) => ({ step, words: state })),
  }));
  return [{ kind: 'charts', charts }];
}

function metricOf(run: ReportRun, input: string): string | undefined {
  const { metrics } = metricsOfInput(input);
  return (metrics.length === 0 ? [input] : metrics).find((name) => name in run.series);
}

/** Warnings by code: how often, when, and the newest in words. */
function describeWarnings(run: ReportRun, sources: Sources): Block[] {
  // a change of health is told above
  const warnings = run.events
    .filter((event) => event.kind === 'warning')
    .filter((event) => !event.code.startsWith('monitor.'));
  if (warnings.length === 0) return [];
  const codes = [...new Set(warnings.map((warning) => warning.code))];
  const items = codes.map((one): Inline[] => {
    const own = warnings.filter((warning) => warning.code === one);
    const last = own.at(-1);
    const step = last?.step ?? 0;
    return [
      code(one),
      ' ',
      sources.cite(run, { kind: 'event', event: 'warning', step }, `at step ${step}`),
      `${own.length === 1 ? '' : `, the last of ${own.length}`}: ${last?.message ?? ''}`,
    ];
  });
  return [paragraph('Warnings of ', code(run.key), ':'), { kind: 'list', items }];
}
