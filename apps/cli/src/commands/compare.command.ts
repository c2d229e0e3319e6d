import { writeFileSync } from 'node:fs';
import { basename } from 'node:path';
import { leaves } from '@espalier/config';
import { AppError } from '@espalier/contracts';
import { describeObstacle } from '@espalier/files';
import type { Command } from 'commander';
import type { CommandContext } from '../command-context.js';
import { drawCurves } from '../view/draw-curves.js';
import { examples } from '../examples.js';
import { listMetrics, readCurve, readLocalRun } from '../local/local-runs.js';
import { collect } from '../parse-arguments.js';
import { short } from '../view/numbers.js';
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
    .description('put run folders side by side: options that differ, curves of metrics')
    .option('--metric <name>', 'repeatable (default: success, reward, entropy)', collect, [])
    .option('--svg <file>', 'draw the curves of the first metric')
    .option('--json', 'print one JSON object')
    .addHelpText(
      'after',
      examples(
        ['compare runs/bandit-grpo-1 runs/bandit-grpo-2', 'what differs, and what came out'],
        ['compare runs/a-1 runs/b-1 --metric policy/approx_kl --svg kl.svg', 'a picture'],
      ),
    )
    .action((folders: string[], { metric, svg, json }: CompareOptions) => {
      const runs = folders.map(readLocalRun);
      const known = new Set(folders.flatMap(listMetrics));
      const unknown = metric.find((name) => !known.has(name));
      if (unknown !== undefined)
        throw new AppError(
          'cli.usage',
          `compare --metric ${unknown}: no run has it; there are ${[...known].sort().join(', ')}`,
        );
      const tagged = [...known].filter((name) => ofTags.test(name));
      const metrics = (metric.length > 0 ? metric : [...usual, ...tagged]).filter((name) => known.has(name));
      const curves = metrics.map((name) => ({
        name,
        runs: folders.map((folder) => readCurve(folder, name)),
      }));
      const differences = findDifferences(runs.map(({ spec }) => new Map(leaves(spec))));
      if (svg !== undefined) {
        const [first] = curves;
        if (first === undefined)
          throw new AppError('cli.usage', 'compare --svg: the runs have no metrics yet');
        const lines = first.runs.map((points, index) => ({ label: basename(folders[index] ?? ''), points }));
        savePicture(svg, drawCurves(first.name, lines));
      }
      if (json === true) return console.line(JSON.stringify({ runs: folders, differences, metrics: curves }));
      for (const { path, values } of differences)
        console.line(
          `${path.padEnd(30)} ${values.map((value) => (JSON.stringify(value) ?? '–').padEnd(16)).join(' ')}`.trimEnd(),
        );
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
      }
    });
}

/** @throws cli.unusable_folder */
function savePicture(file: string, svg: string): void {
  try {
    writeFileSync(file, svg);
  } catch (cause) {
    throw new AppError(
      'cli.unusable_folder',
      `compare --svg ${file}: ${describeObstacle(cause)}; choose another file`,
      { cause },
    );
  }
}

function findDifferences(
  specs: readonly ReadonlyMap<string, unknown>[],
): { path: string; values: unknown[] }[] {
  const paths = [...new Set(specs.flatMap((spec) => [...spec.keys()]))];
  return paths
    .filter((path) => path !== 'name')
    .map((path) => ({ path, values: specs.map((spec) => spec.get(path)) }))
    .filter(({ values }) => new Set(values.map((value) => JSON.stringify(value))).size > 1);
}
