/** @file `npm run collapse`: trains what is missing of the corpus, then prints how well the rules do on it. */
import { fileURLToPath } from 'node:url';
import { discoverPlugins } from '@espalier/plugin-host';
import { Command } from 'commander';
import { planRuns, type PlannedRun } from './families.js';
import { alarmStep, judgeRun } from './judge.js';
import { loadRecord, recordFile, type RecordedRun, saveRecord, stepsOf } from './record.js';
import { printScores } from './print-scores.js';
import { trainRun } from './train-run.js';

const root = fileURLToPath(new URL('../../..', import.meta.url));

interface Options {
  readonly only: string[];
  readonly seeds: number;
  readonly record: string;
  readonly judge?: boolean;
  readonly json?: boolean;
}

const isSame = (run: RecordedRun, planned: PlannedRun): boolean =>
  run.family === planned.family && run.seed === planned.seed;
const isCurrent = (run: RecordedRun, planned: PlannedRun): boolean =>
  isSame(run, planned) && run.config === planned.config && run.set.join() === planned.set.join();

async function main({ only, seeds, record, judge, json }: Options): Promise<void> {
  const say = (line: string): void => void process.stderr.write(`${line}\n`);
  if (judge !== true) await train(planRuns(seeds, only), record, say);
  const judged = loadRecord(record).map(judgeRun);
  const lines: string[] = [];
  printScores(judged, json === true, (line) => void lines.push(line));
  process.stdout.write(`${lines.join('\n')}\n`);
}

/** Trains the runs that are not stored as they are planned; each is stored when it ends. */
async function train(
  planned: readonly PlannedRun[],
  record: string,
  say: (line: string) => void,
): Promise<void> {
  let stored = loadRecord(record);
  const missing = planned.filter((one) => !stored.some((run) => isCurrent(run, one)));
  if (missing.length === 0) return;
  const registry = await discoverPlugins({ root });
  const stop = new AbortController();
  process.once('SIGINT', () => stop.abort());
  const began = Date.now();
  for (const [index, one] of missing.entries()) {
    const run = await trainRun(one, { root, registry, signal: stop.signal });
    if (stop.signal.aborted) return say('stopped; what was trained is stored, and the same command goes on');
    stored = [...stored.filter((old) => !isSame(old, one)), run];
    saveRecord(stored, record);
    const judged = judgeRun(run);
    const minutes = (Date.now() - began) / 60_000;
    const left = (minutes / (index + 1)) * (missing.length - index - 1);
    say(
      `${index + 1}/${missing.length} ${one.family} seed ${one.seed}: ${judged.outcome}${judged.halvedAt === undefined ? '' : ` at ${judged.halvedAt}`}, ` +
        `warning at ${alarmStep(judged, 'warning') ?? '–'}, collapsed at ${alarmStep(judged, 'collapsed') ?? '–'}, ${stepsOf(run)} steps; ` +
        `${minutes.toFixed(1)} min, about ${left.toFixed(0)} left`,
    );
  }
}

const program = new Command('collapse')
  .description(
    'trains healthy and collapsing runs, and measures how well the collapse monitor tells them apart',
  )
  .option('--only <families...>', 'families whose names begin so (default: all)', [])
  .option('--seeds <n>', 'seeds of each family', Number, 2)
  .option('--record <file>', 'where runs are stored', recordFile)
  .option('--judge', 'train nothing, judge what is stored')
  .option('--json', 'the figures as JSON')
  .action(main);
await program.parseAsync();
