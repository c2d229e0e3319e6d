/** @file A worker as a process of its own, from what was built; its options are JSON in the first argument. */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

const door = new URL('../../apps/worker/dist/index.js', import.meta.url).href;
const root = fileURLToPath(new URL('../..', import.meta.url));
const script = `
const { startWorker } = await import(${JSON.stringify(door)});
const worker = await startWorker(JSON.parse(process.argv[1]));
console.log('started');
try { await worker.ended; } catch (error) { console.error(error.code + ': ' + error.message); process.exit(1); }
`;

export interface WorkerProcess {
  readonly child: ChildProcess;
  /** Ends it without a word to anybody. */
  kill(): Promise<void>;
}

/** Starts a worker; resolves when it has taken up what an earlier one left. */
export async function spawnWorker(options: object): Promise<WorkerProcess> {
  const words = ['--input-type=module', '-e', script, JSON.stringify(options)];
  const env = { ...process.env, ESPALIER_LOG: 'warn' };
  const child = spawn(process.execPath, words, { cwd: root, env, stdio: ['ignore', 'pipe', 'inherit'] });
  await once(child.stdout, 'data');
  return {
    child,
    async kill() {
      const ended = once(child, 'exit');
      child.kill('SIGKILL');
      await ended;
    },
  };
}
