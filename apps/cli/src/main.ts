#!/usr/bin/env node
import { createProcessConsole } from './console.js';
import { exitCodes } from './exit-codes.js';
import { printError } from './print-error.js';
import { createProgram } from './program.js';

const console = createProcessConsole();
let exitCode: number = exitCodes.ok;

// A reader that has seen enough (`| head`) is no error.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit(exitCodes.ok);
  throw error;
});

try {
  await createProgram({ console, finish: (code) => void (exitCode = code) }).parseAsync();
} catch (error) {
  exitCode = printError(error, console, process.argv.includes('--json'));
}
process.exitCode = exitCode;
