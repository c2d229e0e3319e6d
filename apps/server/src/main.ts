/** @file The entry point of the server process. */
import { runServer } from './program.js';

await runServer();
