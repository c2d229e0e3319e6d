/**
 * @file The entry point of the server process. It loads the program by `require`, which reads some three thousand files in a
 * row; `import` returns to the event loop between them and takes an eighth more processor time.
 */
import { createRequire } from 'node:module';
import type * as Program from './program.js';

const { runServer } = createRequire(import.meta.url)('./program.js') as typeof Program;
await runServer();
