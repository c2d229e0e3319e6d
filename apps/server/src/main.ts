/**
 * @file Where the process of the server begins. It requires its program: that reads some three thousand files one after
 * the other, where an import goes back to the event loop between them, which costs an eighth more processor time.
 */
import { createRequire } from 'node:module';
import type * as Program from './program.js';

const { runServer } = createRequire(import.meta.url)('./program.js') as typeof Program;
await runServer();
