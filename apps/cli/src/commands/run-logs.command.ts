import type { Command } from 'commander';
import type { CommandContext } from '../command-context.js';
import type { Console } from '../console.js';
import { connect, type ConnectOptions, withConnection } from '../remote/connect.js';
import { findRun } from '../remote/find-run.js';
import { examples } from '../examples.js';
import { parseCount } from '../parse-arguments.js';

interface LogOptions extends ConnectOptions {
  readonly follow?: boolean;
  readonly attempt?: number;
}

/** Adds `espalier run logs`. */
export function addRunLogs(run: Command, context: CommandContext): void {
  withConnection(run.command('logs <run>'))
    .description('print what the processes of a run printed')
    .option('-f, --follow', 'follow until the run has stopped')
    .option('--attempt <n>', 'only of this attempt', parseCount('--attempt', 1))
    .addHelpText(
      'after',
      examples(
        ['run logs bandit-starpo-s', 'all of it so far'],
        ['run logs bandit-starpo-s -f', 'and what is yet to come'],
      ),
    )
    .action(async (word: string, options: LogOptions) => printLogs(word, options, context.console));
}

async function printLogs(word: string, options: LogOptions, console: Console): Promise<void> {
  const client = connect(options);
  const id = await findRun(client, word);
  const until = options.follow === true ? 'stopped' : 'now';
  for await (const { records } of client.follow(id, { until, metrics: [] })) {
    for (const { kind, time, attempt, body } of records) {
      if (kind !== 'log' || (options.attempt ?? attempt) !== attempt) continue;
      const text = String(body['text'] ?? '').replace(/\n$/, '');
      console.line(options.json === true ? JSON.stringify({ time, attempt, text }) : text);
    }
  }
}
