/** @file The server's connection to one catalogue process: requests with a deadline, which fail when the process ends. */
import { type ChildProcess, fork } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { AppError } from '@espalier/contracts';
import { pluginEnvironment } from '@espalier/protocol';
import type {
  CatalogueResponses,
  CatalogueRequest,
  FromCatalogue,
  SerializedError,
  ToCatalogue,
} from './catalogue-messages.js';

/** The process ended because of another request; send this one to the next process. */
export class CatalogueLost extends Error {}

interface Pending {
  resolve(value: unknown): void;
  reject(error: Error): void;
}

export interface CatalogueLink {
  readonly pid: number | undefined;
  readonly isAlive: boolean;
  /**
   * @throws plugin.catalogue_unavailable after the deadline, or when the process ends at this request
   * @throws CatalogueLost when it ends at another one; errors of the response
   */
  send<Q extends CatalogueRequest>(request: Q, limitMs: number): Promise<CatalogueResponses[Q['op']]>;
  close(): void;
}

/**
 * Starts a catalogue process and waits until it has loaded its plugins.
 *
 * @param root folder with plugins/ and config/plugins.yaml
 * @param passEnvironment variables that it gets although they look like secrets
 * @param signal kills the process, also while it loads
 * @throws plugin.catalogue_unavailable
 */
export async function startCatalogue(
  root: string,
  limitMs: number,
  passEnvironment: readonly string[],
  signal?: AbortSignal,
): Promise<CatalogueLink> {
  const child = fork(programFile(), [root], {
    serialization: 'advanced',
    execArgv: ['--max-old-space-size=1024'],
    env: pluginEnvironment(process.env, passEnvironment),
    // output of plugins goes to stderr, as programs may read the server's stdout
    stdio: ['ignore', 2, 2, 'ipc'],
    signal,
    killSignal: 'SIGKILL',
  });
  const link = createLink(child);
  try {
    await link.ready(limitMs);
    return link;
  } catch (error) {
    link.close();
    throw error;
  }
}

function createLink(child: ChildProcess): CatalogueLink & { ready(limitMs: number): Promise<void> } {
  const waiting = new Map<number, Pending>();
  let next = 1;
  let isAlive = true;
  const end = (finding: string): void => {
    isAlive = false;
    // it responds in order, so it was working on the oldest request
    const [current, ...others] = waiting.values();
    waiting.clear();
    current?.reject(unavailable(finding));
    for (const { reject } of others) reject(new CatalogueLost(finding));
  };
  child.on('error', (error) => end(error.message));
  child.on('exit', (code, signal) => end(`its process ended (${signal ?? `exit code ${code}`})`));
  child.on('message', (message: FromCatalogue) => {
    const id = 'id' in message ? message.id : 0;
    const found = waiting.get(id);
    waiting.delete(id);
    if ('error' in message) found?.reject(toError(message.error));
    else if ('cannotStart' in message) found?.reject(toError(message.cannotStart));
    else found?.resolve('value' in message ? message.value : undefined);
  });
  const expect = async (id: number, limitMs: number): Promise<unknown> => {
    if (!isAlive) throw new CatalogueLost('its process ended');
    const timer = setTimeout(() => {
      // plugin code may never return, so the process is killed; the next request starts another
      child.kill('SIGKILL');
      end(`no response within ${limitMs} ms`);
    }, limitMs);
    return new Promise<unknown>((resolve, reject) => waiting.set(id, { resolve, reject })).finally(() =>
      clearTimeout(timer),
    );
  };
  return {
    pid: child.pid,
    get isAlive() {
      return isAlive;
    },
    ready: async (limitMs) => void (await expect(0, limitMs)),
    async send<Q extends CatalogueRequest>(request: Q, limitMs: number) {
      const id = next++;
      const response = expect(id, limitMs);
      if (isAlive) child.send({ id, request } satisfies ToCatalogue);
      return (await response) as CatalogueResponses[Q['op']];
    },
    close() {
      isAlive = false;
      child.kill('SIGKILL');
    },
  };
}

function programFile(): string {
  const built = fileURLToPath(new URL('catalogue-process.js', import.meta.url));
  return existsSync(built)
    ? built
    : fileURLToPath(new URL('../../../dist/core/plugins/catalogue-process.js', import.meta.url));
}

function toError({ code, message, details }: SerializedError): Error {
  return code === null ? unavailable(message) : new AppError(code, message, { details });
}

function unavailable(finding: string): AppError {
  return new AppError(
    'plugin.catalogue_unavailable',
    `use the plugin catalogue: ${finding}; try again, and check the server's output if it happens again`,
  );
}
