import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { type CliOptions, type CliResult, runCli } from './run-cli.js';

const host = fileURLToPath(new URL('./cli-host.mjs', import.meta.url));
let child: ChildProcess | undefined;
let isBusy = false;

/**
 * Runs `espalier` as `runCli` does, but the commands of a spec file one after another in one process: most of the time of a
 * short command goes into loading its modules. For what reads no input by its file descriptor, finds its plugins unchanged
 * and does not end its process by itself. A command that is called while another runs has a process of its own.
 */
export async function callCli(
  words: readonly string[],
  { cwd, env = {}, input = '' }: Pick<CliOptions, 'cwd' | 'env' | 'input'> = {},
): Promise<CliResult> {
  if (isBusy) return runCli(words, { env, input, ...(cwd === undefined ? {} : { cwd }) });
  isBusy = true;
  try {
    return await ask({ words, cwd, input, env: { NO_COLOR: '1', ...env } });
  } finally {
    isBusy = false;
  }
}

function ask(command: object): Promise<CliResult> {
  child ??= startHost();
  const asked = child;
  return new Promise((resolve, reject) => {
    const fail = (code: number | null): void => {
      child = undefined;
      reject(new Error(`the command ended its process with ${code}: ${JSON.stringify(command)}`));
    };
    asked.once('exit', fail);
    asked.once('message', (result) => {
      asked.off('exit', fail);
      resolve(result as CliResult);
    });
    asked.send(command);
  });
}

function startHost(): ChildProcess {
  // the variables of this moment stay those of all commands
  const started = fork(host, { stdio: ['ignore', 'ignore', 'inherit', 'ipc'], execArgv: [] });
  // it ends with this process, and never holds it up
  started.unref();
  started.channel?.unref();
  return started;
}
