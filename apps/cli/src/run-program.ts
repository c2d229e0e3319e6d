import { createProcessConsole } from './console.js';
import { exitCodes } from './exit-codes.js';
import { endOnUncaught } from './end-on-uncaught.js';
import { printError } from './print-error.js';
import { createProgram } from './program.js';

/** Runs the command that the arguments of this process name, and returns its exit code. */
export async function runProgram(): Promise<number> {
  const console = createProcessConsole();
  const asJson = process.argv.includes('--json');
  const [first, second] = process.argv.slice(2);
  const command = first === 'help' ? second : first;
  let exitCode: number = exitCodes.ok;
  endOnUncaught(console, asJson, command);
  try {
    const program = await createProgram({ console, finish: (code) => void (exitCode = code) }, command);
    await program.parseAsync();
    return exitCode;
  } catch (error) {
    return printError(error, console, asJson, command);
  }
}
