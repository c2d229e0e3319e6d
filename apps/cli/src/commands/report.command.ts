import { AppError } from '@espalier/contracts';
import type { Command } from 'commander';
import type { CommandContext } from '../command-context.js';
import type { Console } from '../console.js';
import { examples } from '../examples.js';
import { calledAs, quoteWord } from '../parse-arguments.js';
import { checkFile } from '../report/check-file.js';
import { type MeasuredSubject, measureSubject } from '../report/measure-subject.js';
import { readSubjects } from '../report/read-subject.js';
import { connect } from '../remote/connect.js';
import { withFetchedRuns } from '../report/fetch-run.js';
import {
  readRunsOf,
  refuseForeignReport,
  type ReportRequest,
  saveReport,
  writeLocalReport,
  writeServerReport,
} from '../report/write-report.js';

interface ReportOptions {
  readonly out?: string;
  readonly title: string;
  readonly notes?: string;
  readonly brief?: boolean;
  readonly check?: string;
  readonly server?: string;
  readonly key?: string;
  readonly json?: boolean;
}

/** Adds `espalier report`. */
export function addReportCommand(program: Command, { console }: CommandContext): void {
  program
    .command('report [what...]')
    .description(
      'report on sweeps or runs: what happened and why, curves, intervals, paired tests, costs, verdicts on claims, every number with its source',
    )
    .option(
      '--out <file>',
      '.html: one file that opens from disk; else Markdown, pictures in a folder of its name (default: print Markdown)',
    )
    .option('--title <words>', 'heading of the report', 'Report')
    .option(
      '--notes <file>',
      'Markdown to put into the report; its citations, as in [[run:validation/success_rate@40]], are checked',
    )
    .option('--brief', 'of sweeps: claims, curves, tests and costs, without what happened to each run')
    .option(
      '--check <file>',
      'check an HTML report made earlier against its runs; name those that have moved',
    )
    .option('--server <url>', 'report on runs of a server, by name or id')
    .option('--key <secret>', 'API key of the server (default: ESPALIER_KEY, as for `run list`)')
    .option('--json', 'print one JSON object')
    .addHelpText(
      'after',
      `\nA sweep is named by its file or its folder. Its runs that have not ended are said to be missing and are left out.\n` +
        `Sources and citations: docs/use/reports.md\n` +
        examples(
          [
            'report runs/bandit-grpo-1 runs/bandit-ppo-1 --out report.html',
            'two runs, in a file to send around',
          ],
          ['report runs/bandit-grpo-* --notes notes.md --out report.html', 'with words of your own, checked'],
          ['report --check report.html', 'whether its runs still say what it says'],
          ['report config/recipes/online-k.yaml', 'what the sweep has found so far'],
          ['report config/recipes/*.yaml --brief --out claims.md', 'the claims of a paper beside ours'],
        ),
    )
    .action(async (what: string[], options: ReportOptions) => {
      if (options.check !== undefined) return check(options.check, what, options, console);
      if (what.length === 0)
        throw new AppError(
          'cli.usage',
          'report: nothing to report on; name run folders, the file of a sweep or its folder',
        );
      if (options.out !== undefined) refuseForeignReport(options.out);
      const version = program.version() ?? '';
      if (options.brief === true && options.server !== undefined)
        throw new AppError(
          'cli.usage',
          'report --brief --server: leaves single runs out, and a server has no sweeps; leave one of the two out',
        );
      if (options.server === undefined) return report(what, options, console, version);
      return reportServer(what, { ...options, server: options.server }, console, version);
    });
}

async function check(
  file: string,
  folders: readonly string[],
  { json, server, key }: ReportOptions,
  console: Console,
): Promise<void> {
  const checked = await checkFile(file, folders, {
    ...(server === undefined ? {} : { server }),
    ...(key === undefined ? {} : { key }),
  });
  const { title, runs, values, problems, notes } = checked;
  if (problems.length > 0)
    throw new AppError(
      'report.outdated',
      `check ${file}: ${problems.length} things do not hold; make the report again\n${problems.slice(0, 20).join('\n')}`,
      { details: { problems: problems.slice(0, 100) } },
    );
  if (json === true) return console.line(JSON.stringify(checked));
  for (const note of notes) console.note(`note: ${note}`);
  console.line(
    `${file}: "${title}" holds: ${values} values of ${runs} ${runs === 1 ? 'run' : 'runs'} are what it says`,
  );
}

async function reportServer(
  what: readonly string[],
  options: ReportOptions & { readonly server: string },
  console: Console,
  version: string,
): Promise<void> {
  const { out, json, server, key } = options;
  const client = connect({ server, ...(key === undefined ? {} : { key }) });
  const report = await withFetchedRuns(client, what, undefined, (runs) =>
    writeServerReport(runs, server, requestOf(what, options, version)),
  );
  const { text, sources } = report;
  if (out !== undefined) saveReport(out, report);
  if (json === true) console.line(JSON.stringify({ out, sources }));
  else console.line(out === undefined ? text.trimEnd() : `wrote ${out} (${sources} sources)`);
}

async function report(
  what: readonly string[],
  options: ReportOptions,
  console: Console,
  version: string,
): Promise<void> {
  const { out, json } = options;
  const measured = readSubjects(what).map(measureSubject);
  if (options.brief === true && measured.every(({ subject }) => subject.spec === undefined))
    throw new AppError(
      'cli.usage',
      `report --brief ${what.join(' ')}: leaves single runs out, and none of these is a sweep; name the file of a sweep or its folder`,
    );
  const runs = readRunsOf(what, measured, out ?? 'report.md');
  const report = await writeLocalReport(runs, measured, requestOf(what, options, version));
  if (out !== undefined) saveReport(out, report);
  if (json === true) console.line(JSON.stringify({ subjects: measured.map(describe) }));
  else if (out === undefined) console.line(report.text.trimEnd());
  else printSummary(out, measured, report.sources, console);
}

function requestOf(
  what: readonly string[],
  { out, title, notes, brief = false, server }: ReportOptions,
  version: string,
): ReportRequest {
  const again = [
    'report',
    ...what,
    ...(server === undefined ? [] : ['--server', server]),
    ...(notes === undefined ? [] : ['--notes', notes]),
    ...(brief ? ['--brief'] : []),
    ...(out === undefined ? [] : ['--out', out]),
    ...(title === 'Report' ? [] : ['--title', title]),
  ];
  return {
    title,
    version,
    notes,
    out,
    isBrief: brief,
    again: [calledAs(), ...again.map(quoteWord)].join(' '),
  };
}

function printSummary(
  out: string,
  measured: readonly MeasuredSubject[],
  sources: number,
  console: Console,
): void {
  for (const { of, claim, verdict, changed } of measured.flatMap((one) => one.claims))
    console.line(
      `${of}: ${verdict}${changed && verdict !== 'not run' ? ' (changed options)' : ''}: ${claim}`,
    );
  console.line(`wrote ${out} (${sources} sources)`);
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
