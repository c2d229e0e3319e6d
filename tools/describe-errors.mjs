/** The page of errors, from the table that the server and the command line read. */
import { errorTables } from '@espalier/contracts/error-codes';
import { exitCodes } from '../apps/cli/dist/exit-codes.js';
import { row } from './markdown.mjs';

const titles = {
  training: 'In a configuration, a model, a plugin or a training',
  engine: 'In an engine',
  runtime: 'From what computes: drivers, sessions, native libraries',
  command: 'At the command line',
  server: 'From a server',
  worker: 'From a worker',
};

/** The page in Markdown, without its heading. */
export function describeErrors() {
  const tables = Object.entries(errorTables).map(([part, table]) => {
    const title = titles[part];
    const rows = Object.entries(table).map(
      ([code, { meaning, exit, status, retry, refusals = [], severity }]) =>
        row(
          `\`${code}\``,
          meaning,
          exitCodes[exit],
          status ?? '',
          retry === true ? 'yes' : '',
          refusals.join(', '),
          severity ?? '',
        ),
    );
    return [
      `## ${title}`,
      [
        row('code', 'meaning', 'exit', 'status', 'retry', 'refusal', 'alert'),
        row('---', '---', '---', '---', '---', '---', '---'),
        ...rows,
      ].join('\n'),
    ].join('\n\n');
  });
  return [
    'Every error has a stable code; its message states the operation, the finding and the remedy. *Exit* names the [exit code](cli.md) of a command that ends with the error, *status* the HTTP status of an answer of the server (none: clients get `server.internal`), *retry* whether the same operation may succeed later without any change, *refusal* the members of the unions of [mutations](../use/api.md) that carry it, *alert* the severity of the alert that it raises as a warning of a run.',
    ...tables,
  ];
}
