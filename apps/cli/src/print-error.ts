import { type AppError, isAppError } from '@espalier/contracts';
import { findError } from '@espalier/contracts/error-codes';
import { CommanderError } from 'commander';
import type { Console } from './console.js';
import { hintFor, hintForOption } from './error-hints.js';
import { exitCodeOf } from './exit-codes.js';
import { calledAs } from './parse-arguments.js';
import { asTyped } from './typed-commands.js';

/**
 * Prints an error as `error <code>: message` and a hint to standard error, or as one JSON object to standard output;
 * never a stack trace, unless ESPALIER_DEBUG=1.
 *
 * @param command the first word of the command line, for the hint
 * @param argv the whole command line
 * @returns the exit code
 */
export function printError(
  error: unknown,
  console: Console,
  asJson: boolean,
  command?: string,
  argv: readonly string[] = process.argv.slice(2),
): number {
  const exitCode = exitCodeOf(error);
  // Help was requested, or shown instead of a command.
  if (error instanceof CommanderError && (exitCode === 0 || (isHelp(error) && !asJson))) return exitCode;
  const known = isAppError(error);
  const isUsage = error instanceof CommanderError;
  const code = known ? codeOf(error) : isUsage ? 'cli.usage' : 'internal';
  const said = error instanceof Error ? error.message : String(error);
  const message = spellControls(isUsage ? usageMessage(error) : asJson ? said : asTyped(said));
  const hint = known
    ? hintFor(error, command)
    : isUsage
      ? (hintForOption(error.message, argv) ?? helpHint(argv, error))
      : 'run again with ESPALIER_DEBUG=1 for the whole story, and report it';
  if (asJson) {
    const details = known ? error.details : {};
    const retry = findError(code)?.retry === true;
    console.line(
      JSON.stringify({
        error: { code, message, details, exitCode, retry, ...(hint === undefined ? {} : { hint }) },
      }),
    );
  } else {
    const [first = '', ...rest] = message.split('\n');
    console.note(`${console.colors.red('error')} ${console.colors.bold(code)}: ${first}`);
    for (const line of rest) console.note(`      ${line}`);
    if (hint !== undefined) console.note(`${console.colors.dim('hint')}  ${hint}`);
  }
  if (process.env['ESPALIER_DEBUG'] === '1' && error instanceof Error) console.note(inspect(error));
  return exitCode;
}

/** Commands of which each has commands of its own. */
const groups = new Set([
  'alerts',
  'engine',
  'env',
  'key',
  'launcher',
  'model',
  'plugin',
  'rating',
  'run',
  'webhook',
  'worker',
]);

/** Where a command lists what it takes; the program itself, where no command of it was named. */
function helpHint([command, second = '']: readonly string[], error: CommanderError): string {
  const isNamed = command !== undefined && /^[a-z]/.test(command);
  const isOfCommand = error.code !== 'commander.unknownCommand' && groups.has(command ?? '') && second !== '';
  const isUnknown = error.code === 'commander.unknownCommand' && error.message.includes(`'${command}'`);
  const named = isOfCommand ? `${command} ${second}` : command;
  const words = isNamed && !isUnknown ? `${named} --help` : '--help';
  return `${calledAs()} ${words} lists commands and options`;
}

/** A refusal of a server has the server's code. */
function codeOf({ code, details }: AppError): string {
  return code === 'client.refused' && typeof details['code'] === 'string' ? details['code'] : code;
}

/** What a file or an argument holds must not steer a terminal. */
const spellControls = (text: string): string =>
  text.replace(
    /[\0-\x08\x0b-\x1f\x7f-\x9f]/g,
    (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );

const isHelp = ({ code }: CommanderError): boolean => code === 'commander.help';

/** What commander found, in one line and with the quotes of this program. */
function usageMessage(error: CommanderError): string {
  if (isHelp(error)) return 'no command was given';
  return error.message
    .replace(/^error: /, '')
    .replace(/\n\(Did you mean (.+)\?\)$/, '; did you mean $1?')
    .replaceAll("'", '"');
}

function inspect(error: Error): string {
  const cause = error.cause instanceof Error ? `\ncaused by ${inspect(error.cause)}` : '';
  return `${error.stack ?? error.message}${cause}`;
}
