/** @file Workers as processes: on the machine of the server, and on others through SSH. Both run the same scripts. */
import type { LocalLauncherOptions, SshLauncherOptions } from '../../config/launcher-options.js';
import type { LaunchedRef, Launcher, LaunchOrder, Observation } from './launcher.js';
import { oneLine, runProgram } from './run-program.js';
import { cleanUpScript, observeScript, parseObserved, startScript, stopScript } from './worker-script.js';

/** Runs a script on a machine. */
type Shell = (script: string) => Promise<string>;

const endings: Readonly<Record<string, string>> = {
  '0': 'it ended',
  killed: 'its process was killed, or its machine restarted',
  lost: 'its process did not start',
};

async function observeOn(
  shell: Shell,
  folder: string,
  names: readonly string[],
): Promise<Map<string, Observation>> {
  const found = new Map<string, Observation>();
  if (names.length === 0) return found;
  for (const { name, phase, code, output } of parseObserved(await shell(observeScript(folder, names)))) {
    const ending = endings[code] ?? `it ended with code ${code}`;
    // one that was killed has not said why
    const hasSaid = code !== '0' && code !== 'killed' && output.trim() !== '';
    const reason = phase === 'ended' ? `${ending}${hasSaid ? `: ${oneLine(output)}` : ''}` : '';
    found.set(name, { phase: phase as Observation['phase'], handle: name, reason });
  }
  return found;
}

/** Processes on the machine of the server. */
export function createLocalLauncher(
  { folder, setup, commandSeconds }: LocalLauncherOptions,
  command: readonly string[],
): Launcher {
  const shell: Shell = (input) =>
    runProgram({ program: 'sh', words: ['-s'], input, timeoutMs: commandSeconds * 1000, isDetached: true });
  return {
    async start(order) {
      await shell(startScript(folder, setup, withCommand(order, command)));
      return order.name;
    },
    observe: (known) =>
      observeOn(
        shell,
        folder,
        known.map(({ name }) => name),
      ),
    stop: async ({ name }, isForced = false) => void (await shell(stopScript(folder, name, isForced))),
    cleanUp: async ({ name }) => void (await shell(cleanUpScript(folder, name))),
  };
}

/** Processes on other machines; a handle is the machine, a slash and the name. */
export function createSshLauncher(options: SshLauncherOptions): Launcher {
  const { hosts, folder, program, commandSeconds } = options;
  const connectSeconds = Math.max(1, Math.floor(commandSeconds / 2));
  const words = ['-o', 'BatchMode=yes', '-o', `ConnectTimeout=${connectSeconds}`, ...options.options];
  const shellOn =
    (host: string): Shell =>
    (input) =>
      runProgram({
        program,
        words: [...words, '--', host, 'sh -s'],
        input,
        timeoutMs: commandSeconds * 1000,
      });
  const onHost = new Map<string, string>();
  const hostOf = ({ name, handle }: LaunchedRef): string | undefined =>
    handle === null ? onHost.get(name) : handle.slice(0, handle.lastIndexOf('/'));

  const observe: Launcher['observe'] = async (known) => {
    const found = new Map<string, Observation>();
    for (const ref of known) {
      // workers of an earlier server count, also where their host cannot be reached now
      const host = hostOf(ref);
      if (host !== undefined) onHost.set(ref.name, host);
    }
    const interrupted = known.filter((ref) => hostOf(ref) === undefined).map(({ name }) => name);
    await Promise.all(
      hosts.map(async (host) => {
        const own = known.filter((ref) => hostOf(ref) === host).map(({ name }) => name);
        try {
          for (const [name, seen] of await observeOn(shellOn(host), folder, [...own, ...interrupted])) {
            found.set(name, { ...seen, handle: `${host}/${name}` });
            onHost.set(name, host);
          }
        } catch (error) {
          // its workers may well go on
          for (const name of [...own, ...interrupted])
            if (!found.has(name))
              found.set(name, {
                phase: 'unknown',
                handle: `${host}/${name}`,
                reason: oneLine((error as Error).message),
              });
        }
      }),
    );
    for (const ref of known) {
      const host = hostOf(ref);
      if (host !== undefined && !hosts.includes(host))
        found.set(ref.name, {
          phase: 'ended',
          handle: ref.handle ?? '',
          reason: `the host ${host} is no longer in the settings`,
        });
    }
    for (const [name, { phase }] of found) if (phase === 'ended') onHost.delete(name);
    return found;
  };

  const onOwnHost = async (ref: LaunchedRef, script: string): Promise<void> => {
    const host = hostOf(ref);
    if (host !== undefined && hosts.includes(host)) await shellOn(host)(script);
  };

  return {
    observe,
    start: (order) => startOnOne(order, options, onHost, shellOn),
    stop: (ref, isForced = false) => onOwnHost(ref, stopScript(folder, ref.name, isForced)),
    async cleanUp(ref) {
      await onOwnHost(ref, cleanUpScript(folder, ref.name)).finally(() => onHost.delete(ref.name));
    },
  };
}

/** Starts a worker on the host with the fewest; another takes its place if it cannot be reached. */
async function startOnOne(
  order: LaunchOrder,
  { hosts, perHost, folder, setup }: SshLauncherOptions,
  onHost: Map<string, string>,
  shellOn: (host: string) => Shell,
): Promise<string> {
  const used = (host: string): number => [...onHost.values()].filter((other) => other === host).length;
  const open = hosts.filter((host) => used(host) < perHost).sort((a, b) => used(a) - used(b));
  if (open.length === 0)
    throw new Error(`each of its ${hosts.length} hosts has ${perHost} workers already (perHost)`);
  const reasons: string[] = [];
  for (const host of open) {
    // before the call: if its answer is lost, the worker is found again there
    onHost.set(order.name, host);
    try {
      const command = order.command.length > 0 ? order.command : ['espalier', 'worker'];
      await shellOn(host)(startScript(folder, setup, { ...order, command }));
      return `${host}/${order.name}`;
    } catch (error) {
      reasons.push(`${host}: ${oneLine((error as Error).message)}`);
      // a host that never answered has started nothing; another would start a second worker otherwise
      if (!isUnreached(error)) break;
      onHost.delete(order.name);
    }
  }
  throw new Error(reasons.join('; '));
}

/** What `ssh` says when it got no connection, so that no script has run; it also ends with 255 when one breaks later. */
const noConnection =
  /connection refused|connect to host|could not resolve|no route to host|permission denied|host key verification failed|kex_exchange/i;
const isUnreached = (error: unknown): boolean => noConnection.test((error as Error).message);

const withCommand = (order: LaunchOrder, standard: readonly string[]): LaunchOrder =>
  order.command.length > 0 ? order : { ...order, command: standard };
