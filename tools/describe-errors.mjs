/** The page of errors, from the table that the server and the command line read. */
import { errorCodes } from '@espalier/contracts';
import { exitCodes } from '../apps/cli/dist/exit-codes.js';
import { row } from './markdown.mjs';

const areas = {
  'In a configuration, a model, a plugin or a training':
    /^(contracts|config|graph|runtime|model|objective|engine|plugin|rollout|trainer|recorder)\./,
  'At the command line': /^(cli|client|backup|bench)\./,
  'From a server or a worker': /./,
};

/** The page in Markdown, without its heading. */
export function describeErrors() {
  const left = new Map(Object.entries(errorCodes));
  const tables = Object.entries(areas).map(([title, pattern]) => {
    const found = [...left].filter(([code]) => pattern.test(code));
    for (const [code] of found) left.delete(code);
    const rows = found.map(([code, { meaning, exit, status, retry }]) =>
      row(`\`${code}\``, meaning, exitCodes[exit], status ?? '', retry === true ? 'yes' : ''),
    );
    return [
      `## ${title}`,
      [
        row('code', 'meaning', 'exit', 'status', 'retry'),
        row('---', '---', '---', '---', '---'),
        ...rows,
      ].join('\n'),
    ].join('\n\n');
  });
  return [
    'Every error has a stable code; its message states the operation, the finding and the remedy. *Exit* names the [exit code](cli.md) of a command that ends with the error, *status* the HTTP status of an answer of the server (none: clients get `server.internal`), *retry* whether the same operation may succeed later without any change.',
    ...tables,
  ];
}
