/** @file What a run came to, in a few sentences. */
import {
  describeUnchanged,
  type HealthFinding,
  type HealthState,
  inputInMetrics,
} from '@espalier/contracts/health';
import { type Block, type Inline, paragraph, strong, type Tone, withCommas } from '../document.js';
import { formatMetric, formatNumber, formatPoints, formatShare } from '../numbers.js';
import { finitePoints, type ReportEvent, type ReportRun } from '../report-run.js';
import { lookUp, type Sources } from '../sources.js';
import { findSuccess } from './success.js';

type MonitorEvent = Extract<ReportEvent, { kind: 'monitor' }>;

const states: Readonly<Record<string, { readonly tone: Tone; readonly words: string }>> = {
  finished: { tone: 'good', words: 'finished' },
  collapsed: { tone: 'bad', words: 'was stopped by the collapse monitor' },
  'no-signal': { tone: 'warn', words: 'ended early, as nothing was left to learn from' },
  failed: { tone: 'bad', words: 'failed' },
  cancelled: { tone: 'warn', words: 'was cancelled' },
  paused: { tone: 'warn', words: 'is paused' },
  interrupted: { tone: 'warn', words: 'was interrupted' },
  queued: { tone: 'plain', words: 'waits for a device' },
  running: { tone: 'plain', words: 'is still running' },
  killed: { tone: 'warn', words: 'was killed' },
};

/** A run that finished and is collapsed did not go well. */
export function toneOf(run: ReportRun): Tone {
  const own = states[run.state]?.tone ?? 'plain';
  const health = healthOf(run);
  if (health === 'collapsed' || own === 'bad') return 'bad';
  return health === 'warning' ? 'warn' : own;
}

/** The newest change of health; undefined where it never changed. */
export const newestChange = ({ events }: ReportRun): MonitorEvent | undefined =>
  events.findLast((event): event is MonitorEvent => event.kind === 'monitor');

/** The health that a run came to; undefined: the monitor checked nothing. */
export function healthOf(run: ReportRun): HealthState | undefined {
  const change = newestChange(run);
  if (change !== undefined) return change.state;
  const value = finitePoints(run, 'monitor/state').at(-1)?.[1];
  return value === undefined ? undefined : (['healthy', 'warning', 'collapsed'] as const)[value];
}

/** State, steps, how success moved, and what the monitor says. */
export function describeVerdict(run: ReportRun, sources: Sources): Block[] {
  return [
    paragraph(...stateSentence(run, sources), ...successSentence(run, sources)),
    ...healthPart(run, sources),
  ];
}

function stateSentence(run: ReportRun, sources: Sources): Inline[] {
  const { state, step, steps, message } = run;
  const words = states[state]?.words ?? state;
  const cited = sources.cite(run, { kind: 'state' }, words);
  const reason = state === 'failed' && message !== '' ? `: ${message}` : '';
  if (step < 1) return [strong(run.key), ' ', cited, ` before its first step${reason}. `];
  return [strong(run.key), ' ', cited, ` after ${step} of ${steps} steps${reason}. `];
}

function successSentence(run: ReportRun, sources: Sources): Inline[] {
  const change = findSuccess(run);
  if (change === undefined) return rewardSentence(run, sources);
  const { metric, first, last, interval, gain } = change;
  const name = metric.startsWith('validation') ? 'Success on validation' : 'Success in training';
  const at = (step: number, text: string): Inline =>
    sources.cite(run, { kind: 'metric', name: metric, at: step }, text);
  const end: Inline[] = [
    at(last[0], formatShare(last[1])),
    ...(interval === undefined
      ? []
      : [
          ' ',
          sources.citeComputed(
            `[${formatShare(interval.low)}, ${formatShare(interval.high)}]`,
            ['validation/success_low', 'validation/success_high'].map((one) =>
              lookUp(run, { kind: 'metric', name: one, at: last[0] }),
            ),
            'Wilson interval of 95 %, as the run recorded it',
          ),
        ]),
  ];
  if (first[0] === last[0]) return [`${name} was `, ...end, ` at step ${last[0]}.`];
  const way = last[1] > first[1] ? 'rose' : last[1] < first[1] ? 'fell' : 'stayed';
  const moved: Inline[] =
    way === 'stayed'
      ? [`${name} stayed at `, ...end]
      : [`${name} ${way} from `, at(first[0], formatShare(first[1])), ' to ', ...end];
  return [...moved, ...(gain === undefined ? ['.'] : gainSentence(run, change, sources))];
}

function gainSentence(
  run: ReportRun,
  { metric, first, last, gain }: NonNullable<ReturnType<typeof findSuccess>>,
  sources: Sources,
): Inline[] {
  if (gain === undefined) return ['.'];
  const isClear = gain.low > 0 || gain.high < 0;
  const cited = sources.citeComputed(
    `${formatPoints(gain.mean)} points [${formatPoints(gain.low)}, ${formatPoints(gain.high)}]`,
    [first, last].map(([step]) => lookUp(run, { kind: 'metric', name: metric, at: step })),
    `difference on the ${gain.states} initial states of both validations, paired; 95 % interval by bootstrap over states`,
  );
  return [
    ': ',
    cited,
    ` on ${gain.states} states${isClear ? '' : ', which is not separable from no change'}.`,
  ];
}

function rewardSentence(run: ReportRun, sources: Sources): Inline[] {
  const name = 'rollout/reward_mean';
  const points = finitePoints(run, name);
  const [first] = points;
  const last = points.at(-1);
  if (first === undefined || last === undefined) return ['It has reported no success and no reward.'];
  const at = (step: number, value: number): Inline =>
    sources.cite(run, { kind: 'metric', name, at: step }, formatMetric(name, value));
  return ['Reward went from ', at(...first), ' to ', at(...last), '; success was not reported.'];
}

function healthPart(run: ReportRun, sources: Sources): Block[] {
  const change = newestChange(run);
  if (change === undefined) return [{ kind: 'paragraph', content: [unchangedWords(run)], muted: true }];
  const { state, step, message, findings } = change;
  if (state === 'healthy')
    return [
      paragraph(
        'The collapse monitor: ',
        sources.cite(run, eventAt(step), 'healthy again'),
        ` since step ${step}.`,
      ),
    ];
  return [
    paragraph(
      'The collapse monitor: ',
      { kind: 'badge', text: state, tone: state === 'collapsed' ? 'bad' : 'warn' },
      ' ',
      sources.cite(run, eventAt(step), `since step ${step}`),
      ...(findings.length === 0
        ? [`: ${message}`]
        : [
            ': ',
            ...withCommas(findings.map((finding) => describeFinding(run, finding, step, sources))),
            '. ',
            { kind: 'link', text: 'Evidence', to: `evidence-${run.key}` } as const,
          ]),
    ),
  ];
}

/** What is said of a run that logged no change of its health. */
function unchangedWords(run: ReportRun): string {
  const last = finitePoints(run, 'monitor/state').at(-1);
  if (last === undefined) return 'The collapse monitor checked nothing.';
  const state = healthOf(run);
  if (state !== 'healthy') return `The collapse monitor: ${state}, as the run was that it was forked from.`;
  const { every = 1 } = (run.spec['monitor'] ?? {}) as { readonly every?: number };
  const finding = describeUnchanged(last[0], every);
  return finding === '' ? 'The collapse monitor found nothing.' : `Health: ${finding}.`;
}

/** A rule and what it looked at: entropy-rise (entropy 0.743, was 0.09). */
function describeFinding(
  run: ReportRun,
  { rule, input, value, baseline }: HealthFinding,
  step: number,
  sources: Sources,
): Inline {
  const was = baseline === null ? '' : `, was ${formatNumber(baseline)}`;
  return sources.cite(run, eventAt(step), `${rule} (${inputInMetrics(input)} ${formatNumber(value)}${was})`);
}

const eventAt = (step: number) => ({ kind: 'event', event: 'monitor', step }) as const;
