/** @file The parts of a report about sweeps: which runs have ended, the claims, success, tests, costs. */
import type { Block, Inline, Sentence } from '@espalier/report';
import type { Interval } from '@espalier/rollout/estimates';
import { percent, short } from '../view/numbers.js';
import { type CostName, costNames, type MeasuredSubject, type VariantRow } from './measure-subject.js';
import type { MissingRun, Subject } from './read-subject.js';

/** The claims of all in one table, then a part for each. @param program how `espalier` is called here */
export function describeSubjects(measured: readonly MeasuredSubject[], program: string): Block[] {
  const claims = measured.flatMap((one) => one.claims.map((claim) => ({ ...claim, name: one.subject.name })));
  return [
    ...(claims.length === 0 ? [] : [paragraph(...explanation), summaryTable(claims)]),
    ...measured.flatMap((one) => describeSubject(one, program)),
  ];
}

const paragraph = (...content: Inline[]): Block => ({ kind: 'paragraph', content });
const code = (text: string): Inline => ({ kind: 'code', text });
const emphasis = (text: string): Inline => ({ kind: 'emphasis', text });
const heading = (level: 2 | 3, text: string, id: string): Block => ({ kind: 'heading', level, text, id });
const textTable = (head: readonly string[], rows: readonly (readonly (string | Sentence)[])[]): Block => ({
  kind: 'table',
  head,
  rows: rows.map((row) => row.map((cell) => (typeof cell === 'string' ? [cell] : cell))),
});

const explanation: Sentence = [
  'A verdict follows from the rules in the file of the sweep, not from reading curves. A difference has an interval of 95 %: the hull of what it varies by over seeds (Student) and over states (bootstrap, paired). It ',
  emphasis('holds'),
  ' where the whole interval lies as claimed, ',
  emphasis('does not hold'),
  ' where it lies as the claim excludes, and is ',
  emphasis('not separable at this size'),
  ' otherwise, always so with one seed. An order of events is decided by a sign test over runs: where both come at the same step, a run tells nothing; where the first never comes, it counts against. A claim ',
  emphasis('holds'),
  ' if all its rules do, and ',
  emphasis('does not hold'),
  ' as soon as one does not. ',
  emphasis('Not run'),
  ': runs that it needs are missing.',
];

type ReportedClaim = MeasuredSubject['claims'][number];

/** Runs with other options than the file's are not quite what the claim asks for. */
const withChange = ({ verdict, changed }: ReportedClaim): string =>
  changed && verdict !== 'not run' ? ' (changed options)' : '';

/** By figure, then by table, each by number. */
function summaryTable(claims: readonly (ReportedClaim & { readonly name: string })[]): Block {
  const sorted = [...claims].sort((a, b) => a.of.localeCompare(b.of, 'en', { numeric: true }));
  return textTable(
    ['of the paper', 'claim', 'here', 'runs'],
    sorted.map(({ name, ...one }) => [
      one.of,
      one.claim,
      [{ kind: 'strong', text: one.verdict }, withChange(one)],
      [{ kind: 'link', text: name, to: name }],
    ]),
  );
}

function describeSubject(measured: MeasuredSubject, program: string): Block[] {
  const { subject, claims, variants, tests, charts } = measured;
  const { name, title, file, spec } = subject;
  return [
    heading(2, name, name),
    file === undefined ? paragraph(`${title}.`) : paragraph(`${title}: `, code(file), '.'),
    ...(spec?.about === undefined ? [] : [paragraph(spec.about)]),
    stateLine(subject, program),
    ...(spec === undefined || spec.deviations.length === 0
      ? []
      : [
          paragraph('Differs from the paper:'),
          { kind: 'list' as const, items: spec.deviations.map((one) => [one]) },
        ]),
    ...subject.changed.map(({ options, runs }) =>
      paragraph(
        `Changed against the file, in ${runs.length} of the runs: `,
        ...separate(options.map((option) => [code(option)])),
        ' (',
        ...namesOf(runs),
        ').',
      ),
    ),
    ...claims.flatMap((claim, index) => describeClaim(claim, `${name}-claim-${index + 1}`)),
    ...(variants.length === 0 ? [] : [heading(3, 'Success', `${name}-success`), successTable(variants)]),
    ...(charts.length === 0 ? [] : [{ kind: 'charts' as const, charts }]),
    ...(tests.length === 0 ? [] : [heading(3, 'Tests', `${name}-tests`), ...testBlocks(measured)]),
    ...(variants.length === 0 ? [] : [heading(3, 'Cost', `${name}-cost`), ...costBlocks(variants)]),
  ];
}

const separate = (items: readonly Sentence[], by = ', '): Inline[] =>
  items.flatMap((item, index) => (index === 0 ? item : [by, ...item]));

function stateLine({ ended, missing, resume }: Subject, program: string): Block {
  const early = ended.filter(({ outcome }) => outcome !== 'finished');
  const all = ended.length + missing.length;
  const line = [
    `${ended.length} of ${all} runs have ended`,
    ...(early.length === 0
      ? []
      : [
          `${early.length} of them early: ${early.map((run) => `${run.variant} seed ${run.seed} (${run.outcome})`).join(', ')}`,
        ]),
  ].join(', ');
  if (missing.length === 0) return paragraph(`${line}.`);
  const command: Inline[] =
    resume === undefined ? [] : [' To run what is missing: ', code(`${program} ${resume}`), '.'];
  return paragraph(`${line}; `, ...describeMissing(missing), '.', ...command);
}

function describeMissing(missing: readonly MissingRun[]): Inline[] {
  const reasons = [...new Set(missing.map(({ why }) => why))];
  return separate(
    reasons.map((why) => [
      `${why}: `,
      ...namesOf(missing.filter((one) => one.why === why).map(({ name }) => name)),
    ]),
    '; ',
  );
}

/** `a-seed-1`, `a-seed-2` → `a` (seeds 1, 2). */
function namesOf(runs: readonly string[]): Inline[] {
  const byVariant = new Map<string, string[]>();
  for (const run of runs) {
    const [, variant = run, seed] = /^(.*)-seed-(\d+)$/.exec(run) ?? [];
    byVariant.set(variant, [...(byVariant.get(variant) ?? []), ...(seed === undefined ? [] : [seed])]);
  }
  return separate(
    [...byVariant].map(([variant, seeds]) => [
      code(variant),
      ...(seeds.length === 0 ? [] : [` (${seeds.join(', ')})`]),
    ]),
  );
}

function describeClaim(one: ReportedClaim, id: string): Block[] {
  const { of, claim, paper, rules, verdict } = one;
  return [
    heading(3, `${of}: ${verdict}${withChange(one)}`, id),
    paragraph(`${claim}${paper === undefined ? '' : ` The paper: ${paper}.`}`),
    textTable(
      ['rule', 'found', 'verdict'],
      rules.map(({ rule, finding, verdict: own }) => [rule, finding, own]),
    ),
  ];
}

const signedPoints = (share: number): string => `${share < 0 ? '−' : '+'}${Math.abs(100 * share).toFixed(1)}`;

/** Of a difference of rates, which cannot be more than one. */
const interval = ({ mean, low, high }: Interval): string =>
  `${signedPoints(mean)} [${signedPoints(Math.max(-1, low))}, ${signedPoints(Math.min(1, high))}]`;

function successTable(variants: readonly VariantRow[]): Block {
  return textTable(
    ['variant', 'seeds', 'steps', 'before', 'after', 'gain in points'],
    variants.map(({ variant, seeds, steps, before, after, gain }) => [
      variant,
      seeds.join(', '),
      [...new Set(steps)].join(', '),
      percent(before),
      percent(after),
      gain === undefined ? '–' : `${interval(gain)}${seeds.length === 1 ? ', of states only' : ''}`,
    ]),
  );
}

function testBlocks({ tests }: MeasuredSubject): Block[] {
  const head =
    'Success at the end of the runs on common validation states, paired. The test asks whether these runs differ, not what other seeds would do; p after Holm’s correction within the group.';
  const rows = tests.map(({ first, second, tag, step, states, difference, low, high, adjusted }) => [
    `${first} − ${second}${tag === undefined ? '' : ` on ${tag}`}`,
    String(step),
    String(states),
    interval({ mean: difference, low, high }),
    adjusted.toPrecision(2),
  ]);
  return [paragraph(head), textTable(['difference', 'newest step', 'states', 'points', 'p'], rows)];
}

const costHeads: Readonly<Record<CostName, string>> = {
  wallSeconds: 'wall s',
  processorSeconds: 'processor s',
  energyWattHours: 'energy Wh',
  sampledTokens: 'tokens sampled',
  trainedTokens: 'trained',
  environmentSteps: 'environment steps',
  optimizerSteps: 'optimizer steps',
  successPoints: 'success points',
  perMillionTokens: 'per 10⁶ tokens',
  perThousandInteractions: 'per 10³ interactions',
  perDeviceHour: 'per device-hour',
  price: 'price',
  perPrice: 'per unit of price',
};

function costBlocks(variants: readonly VariantRow[]): Block[] {
  const head =
    'Means over the seeds, and ratios of these means; validations are part of the time. Energy is measured or estimated: the comparison of the runs says which.';
  const hasPrice = variants.some(({ cost }) => cost.price !== undefined);
  const names = costNames.filter((name) => hasPrice || (name !== 'price' && name !== 'perPrice'));
  const rows = variants.map(({ variant, cost }) => [variant, ...names.map((name) => count(cost[name]))]);
  return [paragraph(head), textTable(['variant', ...names.map((name) => costHeads[name])], rows)];
}

const count = (value: number | undefined): string =>
  value !== undefined && Math.abs(value) >= 1000 ? String(Math.round(value)) : short(value);
