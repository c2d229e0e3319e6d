/** @file The table of an evaluation as lines for a terminal. */
import { formatCost } from '../agents/spent.js';
import { clean } from '../console.js';
import { counted, percent, percentWithInterval, short } from '../view/numbers.js';
import type { Cell, Comparison, Entry, TableResult } from './result.js';
import { alignColumns } from '../view/align-columns.js';

type Passes = NonNullable<Cell['passes']>;
type Write = (cell: Cell) => string | undefined;

const methods: Readonly<Record<Comparison['method'], string>> = {
  'mcnemar-exact': 'McNemar, exact',
  'sign-flip-exact': 'changes of signs, all',
  'sign-flip-drawn': 'changes of signs, 10,000 drawn',
};

/** Writes the table of success, that of the score, the chances of k episodes, the tests, and what was not measured. */
export function tableLines(result: TableResult): string[] {
  const { columns, entries, tests, draws, split } = result;
  const counts = [...new Set(columns.map(({ states }) => states))].join(', ');
  const each = draws === 1 ? 'one episode each' : `${draws} episodes each`;
  const hasBaselines = entries.some(({ kind }) => kind === 'baseline');
  const isTrained = entries.some(({ trainedOn }) => trainedOn.length > 0);
  return [
    `success on ${counts} states of ${split}, ${each}; 95 % intervals${isTrained ? '; * the run was trained in this environment' : ''}`,
    ...grid(result, successText),
    '',
    `score${hasBaselines ? ' (of constant, random and oracle: the reward of the environment alone)' : ''}`,
    ...grid(result, ({ score }) =>
      score === undefined ? undefined : `${short(score.value)} [${short(score.low)}, ${short(score.high)}]`,
    ),
    ...passLines(result),
    ...spentLines(result),
    ...entries.flatMap(failureLines),
    ...testLines(tests),
    ...probeLines(result),
  ];
}

const successText: Write = ({ success, action, seeds }) => {
  if (success === undefined) return undefined;
  const which = action === undefined ? '' : ` ${JSON.stringify(clean(action)).slice(0, 24)}`;
  const spread = seeds === undefined ? '' : `, each ${percent(seeds.lowest)} to ${percent(seeds.highest)}`;
  return `${percentWithInterval(success.value, success.low, success.high)}${which}${spread}`;
};

function grid({ columns, entries }: TableResult, write: Write): string[] {
  const rows = entries.map((entry) => [
    clean(entry.name),
    ...columns.map(({ label }) => {
      const cell = entry.cells.find(({ column }) => column === label);
      const text = cell === undefined ? undefined : write(cell);
      return text === undefined ? '–' : `${text}${entry.trainedOn.includes(label) ? ' *' : ''}`;
    }),
  ]);
  const heads = ['', ...columns.map(({ label }) => label)];
  return alignColumns([heads, ...rows]).map((line) => `  ${line}`.trimEnd());
}

function passLines(result: TableResult): string[] {
  const ks = [
    ...new Set(
      result.entries.flatMap(({ cells }) => cells.flatMap(({ passes = [] }) => passes.map(({ k }) => k))),
    ),
  ]
    .filter((k) => k > 1)
    .sort((a, b) => a - b);
  if (ks.length === 0) return [];
  return [
    '',
    `pass@k / pass^k for k = ${ks.join(', ')}: at least one, and all, of k episodes succeed`,
    ...grid(result, ({ passes, states }) =>
      passes === undefined
        ? undefined
        : ks
            .map((k) =>
              passText(
                passes.find((pass) => pass.k === k),
                states.length,
              ),
            )
            .join(', '),
    ),
  ];
}

function passText(pass: Passes[number] | undefined, states: number): string {
  if (pass === undefined) return '–';
  const few = pass.states < states ? ` (${counted(pass.states, 'state')})` : '';
  return `${(100 * pass.any).toFixed(1)} / ${(100 * pass.all).toFixed(1)}${few}`;
}

/** What API agents took. */
function spentLines({ entries }: TableResult): string[] {
  const agents = entries.flatMap(({ name, spent }) => (spent === undefined ? [] : [{ name, spent }]));
  if (agents.length === 0) return [];
  const rows = agents.map(({ name, spent: { requests, input, output, unmetered, episodes, cost } }) => {
    const money =
      cost === undefined
        ? []
        : [`cost ${formatCost(cost)}`, `${formatCost(cost / Math.max(1, episodes))} per episode`];
    const untold = unmetered === 0 ? [] : [`${count(unmetered)} without a count of tokens`];
    return `  ${clean(name)}: ${[`${count(requests)} requests`, `${count(input)} tokens in`, `${count(output)} out`, ...untold, ...money].join(', ')}`;
  });
  return ['', 'what API agents took', ...rows];
}

const count = (value: number): string => value.toLocaleString('en-US');

function failureLines({ name, cells }: Entry): string[] {
  return cells.flatMap(({ column, error, episodes, failed, unplayed, reason }) => {
    const where = `${clean(name)} on ${column}`;
    if (error !== undefined) return [`${where}: not measured: ${clean(error).slice(0, 300)}`];
    if (unplayed !== undefined) return [`${where}: ${unplayed} states were not played, as ${reason}`];
    return failed === 0
      ? []
      : [`${where}: ${failed} of ${episodes + failed} attempts failed and count nowhere`];
  });
}

const points = (value: number): string => `${value >= 0 ? '+' : ''}${(100 * value).toFixed(1)}`;
const chance = (p: number): string => (p < 1e-4 ? 'p < 0.0001' : `p ${p.toPrecision(2)}`);

function testLines(tests: readonly Comparison[]): string[] {
  if (tests.length === 0) return [];
  return [
    '',
    `differences in success on common states; p corrected for ${tests.length} ${tests.length === 1 ? 'test' : 'tests'} (Holm), before in brackets`,
    ...tests.map(({ first, second, column, difference, states, p, adjusted, method }) => {
      const { value, low, high } = difference;
      const verdict = adjusted < 0.05 ? '' : ', not separable';
      return `  ${clean(first)} − ${clean(second)} on ${column}: ${points(value)} points [${points(low)}, ${points(high)}] on ${states} states, ${chance(adjusted)} (${chance(p)}, ${methods[method]})${verdict}`;
    }),
  ];
}

/** Warns of a model that is not better than its probe. */
function probeLines({ entries, tests }: TableResult): string[] {
  return entries
    .filter(({ kind }) => kind === 'probe')
    .flatMap(({ name, of, cells }) =>
      cells.flatMap(({ column, success }) => {
        const test = tests.find((one) => one.second === name && one.first === of && one.column === column);
        const isBetter = test !== undefined && test.adjusted < 0.05 && test.difference.value > 0;
        if (success === undefined || success.value === 0 || isBetter) return [];
        return [
          `warning: ${clean(name)} succeeds in ${percent(success.value)} on ${column}, and ${clean(of ?? '')} is not measurably better: what it earns may not need the task`,
        ];
      }),
    );
}
