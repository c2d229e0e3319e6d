#!/usr/bin/env node
import { createProcessConsole } from './console.js';
import { endOnUncaught } from './end-on-uncaught.js';
import { exitCodes } from './exit-codes.js';
import { printError } from './print-error.js';
import { createProgram } from './program.js';

const console = createProcessConsole();
let exitCode: number = exitCodes.ok;
endOnUncaught(console, process.argv.includes('--json'), process.argv[2]);

try {
  const program = await createProgram({ console, finish: (code) => void (exitCode = code) }, process.argv[2]);
  await program.parseAsync();
} catch (error) {
  exitCode = printError(error, console, process.argv.includes('--json'), process.argv[2]);
}
process.exitCode = exitCode;
