/** @file Starts the built worker in its own process, with its options as JSON in the first argument. */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

const entry = new URL('../../apps/worker/dist/index.js', import.meta.url).href;
const root = fileURLToPath(new URL('../..', import.meta.url));
const script = `
const { startWorker } = await import(${JSON.stringify(entry)});
const worker = await startWorker(JSON.parse(process.argv[1]));
console.log('started');
try { await worker.ended; } catch (error) { console.error(error.code + ': ' + error.message); process.exit(1); }
`;

export interface WorkerProcess {
  readonly child: ChildProcess;
  /** what it has printed to stderr */
  readonly errors: () => string;
  /** Kills it with SIGKILL. */
  kill(): Promise<void>;
}

/** Starts a worker; resolves when it has adopted the attempts of an earlier one. */
export async function spawnWorker(options: object): Promise<WorkerProcess> {
  const words = ['--input-type=module', '-e', script, JSON.stringify(options)];
  const env = { ...process.env, ESPALIER_LOG: 'warn' };
  const child = spawn(process.execPath, words, { cwd: root, env, stdio: ['ignore', 'pipe', 'pipe'] });
  let errors = '';
  child.stderr.on('data', (chunk: Buffer) => {
    errors += chunk.toString();
    process.stderr.write(chunk);
  });
  await once(child.stdout, 'data');
  return {
    child,
    errors: () => errors,
    async kill() {
      const ended = once(child, 'exit');
      child.kill('SIGKILL');
      await ended;
    },
  };
}
