/** @file Runs commands of the built command line one after another, as call-cli.ts asks. */
import { Readable } from 'node:stream';
import { runProgram } from '../../apps/cli/dist/run-program.js';

const home = process.cwd();
const own = { ...process.env };
const main = new URL('../../apps/cli/dist/main.js', import.meta.url).pathname;
let said = { stdout: '', stderr: '' };
for (const name of ['stdout', 'stderr'])
  process[name].write = (chunk) => {
    said[name] += chunk.toString();
    return true;
  };
// each command listens for what ends it
process.setMaxListeners(0);
process.stdout.setMaxListeners(0);
process.stderr.setMaxListeners(0);
process.on('disconnect', () => process.exit());
process.on('message', async ({ words, cwd, env, input }) => {
  for (const name of Object.keys(process.env)) delete process.env[name];
  Object.assign(process.env, own, env);
  process.chdir(cwd ?? home);
  process.argv = [process.execPath, main, ...words];
  Object.defineProperty(process, 'stdin', { value: Readable.from([Buffer.from(input)]), configurable: true });
  said = { stdout: '', stderr: '' };
  const code = await runProgram();
  process.removeAllListeners('uncaughtException');
  process.send({ code, ...said });
});
