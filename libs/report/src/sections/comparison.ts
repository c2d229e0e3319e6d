/** @file Which of several settings is better, and what differs between them. */
import {
  type Block,
  code,
  heading,
  type Inline,
  note,
  paragraph,
  type Sentence,
  strong,
} from '../document.js';
import { formatPoints, formatSetting } from '../numbers.js';
import type { ReportRun } from '../report-run.js';
import { findDifferences, type GroupTest, type GroupTests, testGroups } from '../seed-groups.js';
import { lookUp, type SourcePart, type Sources } from '../sources.js';

/** Runs that differ in their seed only. */
export interface RunGroup {
  readonly label: string;
  readonly runs: readonly ReportRun[];
}

/** A group is named after its first run. */
export function labelGroup(runs: readonly ReportRun[]): RunGroup {
  const seeds = runs.map(({ spec }) => String(spec['seed']));
  const more = runs.length === 1 ? '' : ` (seeds ${seeds.join(', ')})`;
  return { label: `${runs[0]?.key ?? ''}${more}`, runs };
}

/** At p below this a difference is called one. */
const level = 0.05;

/** Says which setting is better, as far as it can be said. */
export function describeComparison(groups: readonly RunGroup[], sources: Sources): Block[] {
  if (groups.length < 2) return [];
  const { tests, untested } = testGroups(
    groups.map(({ label, runs }) => ({
      label,
      runs: runs.map(({ spec, origin, validations }) => ({
        spec,
        plugins: origin.plugins,
        validated: [...validations.keys()],
        outcomesAt: (step: number) => validations.get(step) ?? [],
      })),
    })),
  );
  const title = heading(2, 'Which is better', 'better');
  if (tests.length === 0) return [title, paragraph('No test can be made.'), listUntested(untested)];
  const seeds = Math.min(...groups.map(({ runs }) => runs.length));
  return [
    title,
    {
      kind: 'list',
      items: tests.map((test) => describeTest(test, groups, sources)),
    },
    {
      kind: 'charts',
      charts: [
        {
          kind: 'intervals',
          id: 'tests',
          title: 'Difference in success, points, with its 95 % interval',
          rows: tests.map((test) => ({ ...test, label: nameTest(test), mean: test.difference })),
        },
      ],
    },
    note(
      `Success on the initial states that both sides have validated at the newest common step, averaged over the seeds of a setting and paired by state; intervals by bootstrap over states, p by McNemar's test, for means over seeds by Fisher's randomization test, corrected for ${tests.length} ${tests.length === 1 ? 'test' : 'tests'} (Holm). It asks whether these runs differ, not what other seeds would do${seeds < 3 ? `, and with ${seeds === 1 ? 'one seed' : 'two seeds'} nothing is known about those` : ''}.`,
    ),
    ...(untested.length === 0 ? [] : [paragraph('Not tested:'), listUntested(untested)]),
  ];
}

const listUntested = (untested: GroupTests['untested']): Block => ({
  kind: 'list',
  items: untested.map(({ first, second, reason }) => [
    strong(first),
    ' and ',
    strong(second),
    `: ${reason}.`,
  ]),
});

const nameTest = ({ first, second, tag }: GroupTest): string =>
  `${first} − ${second}${tag === undefined ? '' : ` on ${tag}`}`;

function describeTest(test: GroupTest, groups: readonly RunGroup[], sources: Sources): Sentence {
  const { first, second, tag, step, states, difference, low, high, adjusted } = test;
  const points = `${formatPoints(difference)} points [${formatPoints(low)}, ${formatPoints(high)}], p ${adjusted < 0.001 ? '< 0.001' : adjusted.toPrecision(2)}`;
  const cited = sources.citeComputed(
    points,
    groups
      .filter(({ label }) => label === first || label === second)
      .flatMap(({ runs }) => runs.flatMap((run) => partsOf(run, tag, step))),
    `${first} − ${second}: success by initial state at step ${step}, paired over ${states} states; 95 % interval by bootstrap, p after Holm`,
  );
  const where = `${tag === undefined ? '' : ` on ${tag}`} at step ${step}`;
  if (adjusted >= level)
    return [
      'Between ',
      strong(first),
      ' and ',
      strong(second),
      ` no difference can be shown${where}: `,
      cited,
      '.',
    ];
  const [better, worse] = difference > 0 ? [first, second] : [second, first];
  return [
    strong(better),
    ' succeeds more often than ',
    strong(worse),
    `${where}: `,
    cited,
    ` on ${states} states.`,
  ];
}

function partsOf(run: ReportRun, tag: string | undefined, step: number): SourcePart[] {
  const names = [
    'validation/success_rate',
    ...(tag === undefined ? [] : [`tag/${tag}/validation/success_rate`]),
  ];
  const name = names.findLast((one) => run.series[one]?.some(([own]) => own === step) === true);
  return name === undefined ? [] : [lookUp(run, { kind: 'metric', name, at: step })];
}

/** Options that differ between the groups. */
export function describeDifferences(groups: readonly RunGroup[], sources: Sources): Block[] {
  if (groups.length < 2) return [];
  const firsts = groups.flatMap(({ runs }) => runs.slice(0, 1));
  const differences = findDifferences(firsts.map(({ spec }) => spec)).filter(({ path }) => path !== 'seed');
  if (differences.length === 0) return [];
  const cell = (run: ReportRun | undefined, path: string, value: unknown): Inline =>
    run === undefined || value === undefined
      ? { kind: 'muted', text: 'not set' }
      : sources.cite(run, { kind: 'setting', path }, formatSetting(value));
  return [
    heading(2, 'What differs', 'differences'),
    {
      kind: 'table',
      head: ['option', ...groups.map(({ label }) => label)],
      rows: differences.map(({ path, values }) => [
        [code(path)],
        ...values.map((value, index) => [cell(firsts[index], path, value)]),
      ]),
    },
  ];
}
