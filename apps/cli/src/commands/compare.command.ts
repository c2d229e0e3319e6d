import { AppError } from '@espalier/contracts';
import { metricsOfInput } from '@espalier/contracts/health';
import { nearestKey } from '@espalier/contracts/nearest-key';
import { findDifferences, type GroupTests } from '@espalier/report';
import { bootstrapMean } from '@espalier/rollout/estimates';
import type { Command } from 'commander';
import type { CommandContext } from '../command-context.js';
import { drawCurves } from '../view/draw-curves.js';
import { examples } from '../examples.js';
import { groupBySeed, type SeedGroup, testGroups } from '../local/compare-runs.js';
import { listMetrics, readCurve, readLocalRun } from '../local/local-runs.js';
import { ledgerLines, readLedger } from '../local/ledger.js';
import { readHealth } from '../local/run-health.js';
import { collect } from '../parse-arguments.js';
import { differenceLines } from '../view/difference-lines.js';
import { short } from '../view/numbers.js';
import { requireSvg, savePicture } from '../view/save-picture.js';
import { drawSparkline } from '../view/sparkline.js';

interface CompareOptions {
  readonly metric: readonly string[];
  readonly svg?: string;
  readonly json?: boolean;
}

/** Success of each environment of a run in several. */
const ofTags = /^tag\/[^/]+\/validation\/success_rate$/;

const usual = ['validation/success_rate', 'rollout/success_rate', 'rollout/reward_mean', 'rollout/entropy'];

/** Adds `espalier compare`. */
export function addCompareCommand(program: Command, { console }: CommandContext): void {
  program
    .command('compare <runs...>')
    .description(
      'put run folders side by side: options that differ, health, curves of metrics, tests between them, what they cost',
    )
    .option('--metric <name>', 'repeatable (default: success, reward, entropy)', collect, [])
    .option(
      '--svg <file>',
      'draw the curves of the first metric; runs that differ in their seed only share a line and a band',
    )
    .option('--json', 'print one JSON object')
    .addHelpText(
      'after',
      examples(
        ['compare runs/bandit-grpo-1 runs/bandit-grpo-2', 'what differs, and what came out'],
        ['compare runs/a-1 runs/b-1 --metric policy/approx_kl --svg kl.svg', 'a picture'],
      ),
    )
    .action((folders: string[], { metric, svg, json }: CompareOptions) => {
      if (svg !== undefined) requireSvg('compare', svg);
      const runs = folders.map(readLocalRun);
      const known = new Set(folders.flatMap(listMetrics));
      const unknown = metric.find((name) => !known.has(name));
      if (unknown !== undefined) throw noSuchMetric(unknown, known);
      const tagged = [...known].filter((name) => ofTags.test(name));
      const metrics = (metric.length > 0 ? metric : [...usual, ...tagged]).filter((name) => known.has(name));
      const curves = metrics.map((name) => ({
        name,
        runs: folders.map((folder) => readCurve(folder, name)),
      }));
      const groups = groupBySeed(runs);
      const tested = testGroups(groups);
      const ledgers = folders.map((folder) => readLedger(folder));
      const health = folders.map(readHealth);
      const differences = findDifferences(runs.map(({ spec }) => spec));
      if (svg !== undefined) {
        const [first] = curves;
        if (first === undefined)
          throw new AppError('cli.usage', 'compare --svg: the runs have no metrics yet');
        const lines = groups.map(({ label, folders: own }) => ({
          label,
          runs: own.map((folder) => readCurve(folder, first.name)),
        }));
        savePicture('compare', svg, drawCurves(first.name, lines));
      }
      if (json === true)
        return console.line(
          JSON.stringify({
            runs: folders,
            differences,
            health,
            groups,
            metrics: curves,
            ...tested,
            ledgers,
          }),
        );
      for (const line of differenceLines(folders, differences, health)) console.line(line);
      for (const { name, runs: each } of curves) {
        console.line(`\n${console.colors.bold(name)}`);
        each.forEach((points, index) => {
          const values = points.map(([, value]) => value);
          const last = points.at(-1);
          const end = last === undefined ? '–' : `${short(last[1])} at step ${last[0]}`;
          console.line(
            `  ${(folders[index] ?? '').padEnd(36)} ${end.padEnd(20)} ${drawSparkline(values, 40)}`.trimEnd(),
          );
        });
        for (const line of bandLines(groups, name)) console.line(line);
      }
      for (const line of testLines(tested)) console.line(line);
      for (const line of ledgerLines(folders, ledgers)) console.line(line);
    });
}

function noSuchMetric(name: string, known: ReadonlySet<string>): AppError {
  return new AppError('cli.usage', `compare --metric ${name}: no run has it; ${suggestMetric(name, known)}`);
}

const mostSuggested = 8;

/** A misspelling, the word of the monitor for a metric, or metrics whose name has a word of it. */
function suggestMetric(name: string, known: ReadonlySet<string>): string {
  const own = metricsOfInput(name).metrics.find((metric) => known.has(metric));
  const near = own ?? nearestKey(name, [...known]);
  if (near !== undefined) return `did you mean ${near}?`;
  const words = name.toLowerCase().split(/[^a-z0-9]+/);
  const alike = [...known].filter((metric) => words.some((word) => word !== '' && metric.includes(word)));
  const shown = (alike.length > 0 ? alike : [...known]).sort();
  const rest = shown.length - mostSuggested;
  return `there are ${shown.slice(0, mostSuggested).join(', ')}${rest > 0 ? ` and ${rest} more` : ''}; docs/reference/metrics.md lists all of them`;
}

/** The newest values of groups of several seeds, and how far they lie apart. */
function bandLines(groups: readonly SeedGroup[], metric: string): string[] {
  return groups.flatMap(({ label, folders }) => {
    if (folders.length < 2) return [];
    const last = folders.flatMap((folder) => readCurve(folder, metric).at(-1)?.[1] ?? []);
    if (last.length === 0) return [];
    const { mean } = bootstrapMean(last);
    return [`  ${label}: mean ${short(mean)}, ${short(Math.min(...last))} to ${short(Math.max(...last))}`];
  });
}

function testLines({ tests, untested }: GroupTests): string[] {
  const points = (value: number): string => `${value >= 0 ? '+' : ''}${(100 * value).toFixed(1)}`;
  const head =
    tests.length === 0
      ? []
      : [
          '',
          `differences in success on common validation states; p corrected for ${tests.length} ${tests.length === 1 ? 'test' : 'tests'} (Holm), before in brackets`,
        ];
  return [
    ...head,
    ...tests.map(({ first, second, tag, step, states, difference, low, high, p, adjusted }) => {
      const where = tag === undefined ? '' : ` on ${tag}`;
      const verdict = adjusted < 0.05 ? '' : ', not separable';
      return `  ${first} − ${second}${where} at step ${step}: ${points(difference)} points [${points(low)}, ${points(high)}] on ${states} states, p ${adjusted.toPrecision(2)} (${p.toPrecision(2)})${verdict}`;
    }),
    ...(untested.length === 0 ? [] : ['', 'differences in success that cannot be tested']),
    ...untested.map(({ first, second, reason }) => `  ${first} − ${second}: ${reason}`),
  ];
}
