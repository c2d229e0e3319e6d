/** @file Workers as jobs of a Slurm cluster. Slurm never restarts them itself: a lost one is replaced by a new job. */
import { join } from 'node:path';
import type { SlurmLauncherOptions } from '../../config/launcher-options.js';
import { assertPlainName, type LaunchedRef, type Launcher, type Observation } from './launcher.js';
import { oneLine, plainEnvironment, runProgram } from './run-program.js';
import { batchScript } from './worker-script.js';

type Phase = Observation['phase'];

/** States of `squeue` and `sacct`; those not listed have ended. */
const phases: Readonly<Record<string, Phase>> = {
  PENDING: 'pending',
  CONFIGURING: 'pending',
  REQUEUED: 'pending',
  REQUEUE_HOLD: 'pending',
  REQUEUE_FED: 'pending',
  SPECIAL_EXIT: 'pending',
  RESV_DEL_HOLD: 'pending',
  RUNNING: 'running',
  COMPLETING: 'running',
  STAGE_OUT: 'running',
  SIGNALING: 'running',
  RESIZING: 'running',
  STOPPED: 'running',
  SUSPENDED: 'running',
};

/** What ended states mean; a user knows Slurm's own words too, so they stay in the text. */
const meanings: Readonly<Record<string, string>> = {
  COMPLETED: 'it ended',
  CANCELLED: 'it was cancelled in Slurm',
  PREEMPTED: 'it was pre-empted by another job of the cluster',
  NODE_FAIL: 'its node failed',
  TIMEOUT: 'its time limit was reached',
  OUT_OF_MEMORY: 'it ran out of memory',
  FAILED: 'it failed',
  BOOT_FAIL: 'its node did not boot',
  DEADLINE: 'its deadline passed',
};

/** Why a job waits, where Slurm's word needs an explanation. */
const waits: Readonly<Record<string, string>> = {
  Resources: 'all nodes that fit are busy',
  Priority: 'other jobs of the cluster are ahead of it',
  ReqNodeNotAvail: 'a node it needs is drained or down',
  PartitionDown: 'its partition is down',
  PartitionNodeLimit: 'it asks for more nodes than its partition has',
};

const isHandle = (handle: string | null): handle is string => handle !== null && /^\d+$/.test(handle);

/** Runs a program of Slurm. */
type Run = (
  program: string,
  words: readonly string[],
  more?: { readonly input?: string; readonly environment?: Record<string, string> },
) => Promise<string>;

/** Jobs that `squeue` still knows: those that wait, run, or ended a few minutes ago. */
async function readQueue(run: Run, known: readonly LaunchedRef[]): Promise<Map<string, Observation>> {
  const names = known.map(({ name }) => name);
  names.forEach(assertPlainName);
  // restricted to jobs of this user: a name of another one's job means nothing here
  const words = [
    '--me',
    '--noheader',
    '--states=all',
    `--name=${names.join(',')}`,
    '--format=%i|%j|%T|%r|%N',
  ];
  const found = new Map<string, Observation>();
  for (const line of (await run('squeue', words)).split('\n')) {
    const [handle = '', name = '', state = '', reason = '', nodes = ''] = line.trim().split('|');
    if (isHandle(handle)) found.set(name, describe(handle, state, reason, nodes));
  }
  return found;
}

/** Jobs that `squeue` has forgotten, as far as the cluster keeps accounts. */
async function readAccounts(run: Run, handles: readonly string[]): Promise<Map<string, Observation>> {
  const columns = '--format=JobIDRaw,State,NodeList';
  const words = ['--allocations', '--noheader', '--parsable2', `--jobs=${handles.join(',')}`, columns];
  const found = new Map<string, Observation>();
  // many clusters keep no accounts; then such a job is simply over
  const text = await run('sacct', words).catch(() => '');
  for (const line of text.split('\n')) {
    const [handle = '', state = '', nodes = ''] = line.trim().split('|');
    if (isHandle(handle)) found.set(handle, describe(handle, state.split(' ')[0] ?? '', '', nodes));
  }
  return found;
}

export function createSlurmLauncher(options: SlurmLauncherOptions, command: readonly string[]): Launcher {
  const { folder, logs, setup, programs, commandSeconds } = options;
  const run: Run = (program, words, more = {}) =>
    runProgram({
      program: programs === '' ? program : join(programs, program),
      words,
      ...more,
      timeoutMs: commandSeconds * 1000,
    });
  return {
    async start(order) {
      const known = (await readQueue(run, [{ name: order.name, handle: null }])).get(order.name);
      if (known !== undefined) return known.handle;
      const words = [
        '--parsable',
        `--job-name=${order.name}`,
        '--no-requeue',
        '--export=ALL',
        '--open-mode=append',
        `--output=${logs === '' ? `/tmp/${order.name}.log` : join(logs, `${order.name}.log`)}`,
        ...options.options,
      ];
      const standard = order.command.length > 0 ? order : { ...order, command };
      const environment = { ...plainEnvironment(), ...order.environment };
      const text = await run('sbatch', words, { input: batchScript(setup, folder, standard), environment });
      const handle = text.trim().split(/[;\s]/)[0] ?? '';
      if (!isHandle(handle))
        throw new Error(`sbatch: it printed "${oneLine(text)}" instead of the id of a job`);
      return handle;
    },
    async observe(known) {
      if (known.length === 0) return new Map();
      const found = await readQueue(run, known);
      const gone = known.filter(({ name, handle }) => !found.has(name) && isHandle(handle));
      if (gone.length === 0) return found;
      const accounts = await readAccounts(
        run,
        gone.map(({ handle }) => handle ?? ''),
      );
      for (const { name, handle } of gone) {
        const seen = accounts.get(handle ?? '');
        found.set(
          name,
          seen ?? { phase: 'ended', handle: handle ?? '', reason: 'Slurm no longer knows its job' },
        );
      }
      return found;
    },
    async stop(ref, isForced = false) {
      const seen = (await readQueue(run, [ref])).get(ref.name);
      if (seen === undefined || seen.phase === 'ended') return;
      // to the script alone, which hands it on: Slurm itself would kill the worker after KillWait
      const isGentle = seen.phase === 'running' && !isForced;
      const words = isGentle ? ['--batch', '--signal=TERM', seen.handle] : [seen.handle];
      await run('scancel', words).catch((error: Error) => {
        // it has ended in between
        if (!/invalid job id|already complet/i.test(error.message)) throw error;
      });
    },
    // the script of the job removes its folder where the worker ended well
    cleanUp: () => Promise.resolve(),
  };
}

function describe(handle: string, state: string, reason: string, nodes: string): Observation {
  const phase = phases[state] ?? 'ended';
  if (phase === 'pending') return { phase, handle, reason: describeWait(reason) };
  if (phase === 'running') return { phase, handle, reason: nodes === '' ? '' : `on ${nodes}` };
  const place = nodes === '' || nodes === 'None assigned' ? '' : ` on ${nodes}`;
  return { phase, handle, reason: `${meanings[state] ?? 'it ended'}${place} (${state})` };
}

function describeWait(reason: string): string {
  if (reason === '' || reason === 'None') return '';
  // such as "ReqNodeNotAvail, UnavailableNodes:n1"
  const meaning = waits[reason.split(/[,(\s]/)[0] ?? ''];
  return meaning === undefined ? reason : `${meaning} (${reason})`;
}
