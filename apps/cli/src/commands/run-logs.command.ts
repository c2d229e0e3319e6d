/** @file `espalier run logs`. */
import type { Client } from '@espalier/client';
import { toIsoTime } from '@espalier/protocol/bounds';
import { type Command, Option } from 'commander';
import type { CommandContext } from '../command-context.js';
import type { Console } from '../console.js';
import { connect, type ConnectOptions, withConnection } from '../remote/connect.js';
import { findRun } from '../remote/find-run.js';
import { examples } from '../examples.js';
import { parseCount } from '../parse-arguments.js';

interface LogOptions extends ConnectOptions {
  readonly follow?: boolean;
  readonly attempt?: number;
  readonly grep?: string;
  readonly lines?: number;
}

/** Adds `espalier run logs`. */
export function addRunLogs(run: Command, context: CommandContext): void {
  withConnection(run.command('logs <run>'))
    .description('print what the processes of a run printed')
    .option('-f, --follow', 'follow until the run has stopped')
    .option('--attempt <n>', 'only of this attempt', parseCount('--attempt', 1))
    .option('--grep <text>', 'only lines that contain this text, as it stands')
    .addOption(
      new Option('-n, --lines <n>', 'only the newest n of these')
        .argParser(parseCount('--lines', 1))
        .conflicts('follow'),
    )
    .addHelpText(
      'after',
      examples(
        ['run logs bandit-starpo-s', 'all of it so far'],
        ['run logs bandit-starpo-s -f', 'and what is yet to come'],
        ['run logs bandit-starpo-s --grep "out of memory" -n 3', 'the newest three lines about it'],
      ),
    )
    .action(async (word: string, options: LogOptions) => printLogs(word, options, context.console));
}

interface Line {
  readonly time: string;
  readonly attempt: number;
  readonly text: string;
}

async function printLogs(word: string, options: LogOptions, console: Console): Promise<void> {
  const client = connect(options);
  const id = await findRun(client, word);
  for await (const { time, attempt, text: printed } of readLines(client, id, options)) {
    const text = printed.replace(/\n$/, '');
    console.line(options.json === true ? JSON.stringify({ time, attempt, text }) : text);
  }
}

/** Reads the lines that are wanted, oldest first. */
async function* readLines(
  client: Client,
  id: string,
  { follow = false, attempt: wanted, grep = '', lines: newest }: LogOptions,
): AsyncGenerator<Line> {
  const filter = { attempt: wanted ?? null, text: grep === '' ? null : grep };
  if (newest !== undefined) {
    const found: Line[] = [];
    for await (const line of client.logs.all(id, filter, { field: 'time', direction: 'desc' }))
      if (found.push(line) === newest) break;
    yield* found.reverse();
  } else if (!follow) yield* client.logs.all(id, filter);
  else
    for await (const { records } of client.follow(id, { until: 'stopped', metrics: [] }))
      for (const { kind, time, attempt, body } of records) {
        const text = String(body['text'] ?? '');
        if (kind === 'log' && (wanted ?? attempt) === attempt && text.includes(grep))
          yield { time: toIsoTime(time), attempt, text };
      }
}
