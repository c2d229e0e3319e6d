import { mkdirSync } from 'node:fs';
import { dirname, join, parse } from 'node:path';
import { AppError } from '@espalier/contracts';
import { describeObstacle, saveWholeFile } from '@espalier/files';
import type { Command } from 'commander';
import type { CommandContext } from '../command-context.js';
import type { Console } from '../console.js';
import { examples } from '../examples.js';
import { calledAs, quoteWord } from '../parse-arguments.js';
import { type MeasuredSubject, measureSubject } from '../report/measure-subject.js';
import { readSubjects } from '../report/read-subject.js';
import { renderReport } from '../report/render-report.js';

interface ReportOptions {
  readonly out?: string;
  readonly title: string;
  readonly json?: boolean;
}

/** Adds `espalier report`. */
export function addReportCommand(program: Command, { console }: CommandContext): void {
  program
    .command('report <what...>')
    .description(
      'report on sweeps or runs: curves, intervals, paired tests, costs, and verdicts on their claims',
    )
    .option(
      '--out <file>',
      'write Markdown to a file, pictures into a folder of its name (default: print it)',
    )
    .option('--title <words>', 'heading of the report', 'Report')
    .option('--json', 'print one JSON object')
    .addHelpText(
      'after',
      `\nA sweep is named by its file or its folder. Runs that have not ended are said to be missing and are left out.\n` +
        examples(
          ['report config/recipes/online-k.yaml', 'what the sweep has found so far'],
          ['report config/recipes/*.yaml --out docs/paper.md', 'the claims of a paper beside ours'],
          ['report runs/bandit-grpo-1 runs/bandit-ppo-1', 'two runs'],
        ),
    )
    .action((what: string[], options: ReportOptions) => report(what, options, console));
}

function report(what: readonly string[], { out, title, json }: ReportOptions, console: Console): void {
  const measured = readSubjects(what).map(measureSubject);
  const stem = out === undefined ? undefined : parse(out).name;
  const again = [
    'report',
    ...what,
    ...(out === undefined ? [] : ['--out', out]),
    ...(title === 'Report' ? [] : ['--title', title]),
  ];
  const text = renderReport(measured, {
    title,
    command: [calledAs(), ...again.map(quoteWord)].join(' '),
    program: calledAs(),
    pictures: stem,
  });
  if (out !== undefined && stem !== undefined) save(out, join(dirname(out), stem), text, measured);
  if (json === true) console.line(JSON.stringify({ subjects: measured.map(describe) }));
  else if (out === undefined) console.line(text.trimEnd());
  else {
    const claims = measured.flatMap((one) => one.claims);
    for (const { of, claim, verdict, changed } of claims)
      console.line(
        `${of}: ${verdict}${changed && verdict !== 'not run' ? ' (changed options)' : ''}: ${claim}`,
      );
    console.line(`wrote ${out}`);
  }
}

const describe = ({ subject, claims, variants, tests }: MeasuredSubject) => {
  const { name, title, file, ended, missing, changed } = subject;
  return {
    name,
    title,
    ...(file === undefined ? {} : { file }),
    runs: ended,
    missing,
    changed,
    claims,
    variants,
    tests,
  };
};

/** @throws cli.unusable_folder */
function save(out: string, pictures: string, text: string, measured: readonly MeasuredSubject[]): void {
  try {
    const drawn = measured.flatMap((one) => one.pictures);
    mkdirSync(drawn.length > 0 ? pictures : dirname(out), { recursive: true });
    for (const { name, svg } of drawn) saveWholeFile(join(pictures, name), svg);
    saveWholeFile(out, text);
  } catch (cause) {
    throw new AppError(
      'cli.unusable_folder',
      `report --out ${out}: ${describeObstacle(cause)}; choose another file`,
      { cause },
    );
  }
}
