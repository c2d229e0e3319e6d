/**
 * @file An episode in a process of its own, for tests that kill it: `node run-episode.mjs <task file>`. It needs what the build
 * made. It is no module of the environment.
 */
import mcp from '../../dist/index.js';

const [file = ''] = process.argv.slice(2);
const instance = mcp.create(
  mcp.params.parse({
    tasks: { source: 'files', train: [file], validation: [file], test: [file] },
    startTimeoutMs: 60_000,
    toolTimeoutMs: 60_000,
  }),
);
await instance.reset({ state: 2_000_000, noise: 0 });
process.stdout.write('open\n');
setInterval(() => undefined, 1000);
