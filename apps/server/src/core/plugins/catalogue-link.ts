/** @file The server's end of one catalogue process: questions with a deadline; when it ends, they fail with a sentence. */
import { type ChildProcess, fork } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { AppError } from '@espalier/contracts';
import { pluginEnvironment } from '@espalier/protocol';
import type {
  CatalogueAnswers,
  CatalogueQuestion,
  FromCatalogue,
  SerializedError,
  ToCatalogue,
} from './catalogue-messages.js';

/** The process ended because of somebody else's question; ask the next process. */
export class CatalogueLost extends Error {}

interface Waiting {
  resolve(value: unknown): void;
  reject(error: Error): void;
}

export interface CatalogueLink {
  readonly pid: number | undefined;
  readonly isAlive: boolean;
  /**
   * @throws plugin.catalogue_unavailable after the deadline, or when the process ends at this question
   * @throws CatalogueLost when it ends at another one; errors of the answer
   */
  ask<Q extends CatalogueQuestion>(question: Q, limitMs: number): Promise<CatalogueAnswers[Q['op']]>;
  close(): void;
}

/**
 * Starts a catalogue process and waits until it has loaded its plugins.
 *
 * @param root folder with plugins/ and config/plugins.yaml
 * @param passed variables that it sees although they look like secrets
 * @throws plugin.catalogue_unavailable
 */
export async function startCatalogue(
  root: string,
  limitMs: number,
  passed: readonly string[],
): Promise<CatalogueLink> {
  const child = fork(programFile(), [root], {
    serialization: 'advanced',
    execArgv: ['--max-old-space-size=1024'],
    env: pluginEnvironment(process.env, passed),
    // what a plugin prints never mixes with what the server prints for programs
    stdio: ['ignore', 2, 2, 'ipc'],
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
  const waiting = new Map<number, Waiting>();
  let next = 1;
  let isAlive = true;
  const end = (finding: string): void => {
    isAlive = false;
    // it answers in the order in which it is asked, so it was at the oldest question
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
    const late = setTimeout(() => {
      // it may never come back from plugin code, so it is ended; the next question starts another
      child.kill('SIGKILL');
      end(`no answer within ${limitMs} ms`);
    }, limitMs);
    return new Promise<unknown>((resolve, reject) => waiting.set(id, { resolve, reject })).finally(() =>
      clearTimeout(late),
    );
  };
  return {
    pid: child.pid,
    get isAlive() {
      return isAlive;
    },
    ready: async (limitMs) => void (await expect(0, limitMs)),
    async ask<Q extends CatalogueQuestion>(question: Q, limitMs: number) {
      const id = next++;
      const answer = expect(id, limitMs);
      if (isAlive) child.send({ id, question } satisfies ToCatalogue);
      return (await answer) as CatalogueAnswers[Q['op']];
    },
    close() {
      isAlive = false;
      child.kill('SIGKILL');
    },
  };
}

function programFile(): string {
  const beside = fileURLToPath(new URL('catalogue-process.js', import.meta.url));
  return existsSync(beside)
    ? beside
    : fileURLToPath(new URL('../../../dist/core/plugins/catalogue-process.js', import.meta.url));
}

function toError({ code, message, details }: SerializedError): Error {
  return code === null ? unavailable(message) : new AppError(code, message, { details });
}

function unavailable(finding: string): AppError {
  return new AppError(
    'plugin.catalogue_unavailable',
    `ask the plugin catalogue: ${finding}; try again, and look into the server's output if it happens again`,
  );
}
