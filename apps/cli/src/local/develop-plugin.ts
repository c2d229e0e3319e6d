/** @file Plays a plugin while its author edits it: every save builds and opens it again. */
import { isAppError } from '@espalier/contracts';
import type { Console } from '../console.js';
import { buildPlugin } from './check/build-plugin.js';
import { type OpenedForCheck, openForCheck } from './check/open-for-check.js';
import { createFolderChanges } from './folder-changes.js';
import { openEnvironment } from './open-environment.js';
import { createPlayer, isQuit, type Player } from './play-words.js';
import { readWords } from './read-words.js';
import { requirePackage } from './test-plugin.js';

export interface DevelopRequest {
  readonly folder: string;
  readonly seed: number;
  readonly params: Readonly<Record<string, unknown>>;
  /** time limit of one call */
  readonly callLimitMs: number;
}

const lookEveryMs = 300;

/** Builds, opens and plays a plugin until the signal, or until the author quits. @throws cli.usage */
export async function developPlugin(
  request: DevelopRequest,
  console: Console,
  signal: AbortSignal,
): Promise<void> {
  const folder = requirePackage(request.folder, 'develop');
  const changes = createFolderChanges(folder);
  const written = new Set<string>();
  let current: { player: Player | undefined; opened: OpenedForCheck } | undefined;
  const close = async (): Promise<void> => {
    await current?.player?.close().catch(() => undefined);
    await current?.opened.registry.dispose();
    current = undefined;
  };
  const open = async (): Promise<void> => {
    await close();
    const { isGood, output } = await buildPlugin(folder, signal);
    if (signal.aborted) return;
    if (!isGood) return console.note(`build failed; save again once it is mended\n${output}`);
    const opened = await openForCheck(folder, request.callLimitMs);
    current = { player: undefined, opened };
    current.player = await startPlayer(opened, request, console);
  };
  const reload = async (): Promise<void> => {
    // a second time where files changed meanwhile that a build has not written before: they may have been saved
    for (let time = 0; time < 2 && !signal.aborted; time++) {
      await open().catch((error: unknown) => report(error, console));
      const fresh = changes().filter((path) => !written.has(path));
      if (fresh.length === 0) return;
      for (const path of fresh) written.add(path);
    }
  };
  let queue = Promise.resolve();
  const enqueue = (work: () => Promise<void>): Promise<void> =>
    (queue = queue.then(work).catch((error: unknown) => report(error, console)));
  let isLooking = false;
  const timer = setInterval(() => {
    if (isLooking || signal.aborted) return;
    isLooking = true;
    void enqueue(async () => {
      if (changes().length > 0) {
        console.line(console.colors.dim('saved; building again'));
        await reload();
      }
      isLooking = false;
    });
  }, lookEveryMs);
  try {
    await enqueue(reload);
    await playUntilEnd(
      async (word) => {
        await enqueue(async () => current?.player?.answer(word) ?? console.line('nothing to play yet'));
        // what the plugin writes while it plays is no save
        changes();
      },
      signal,
      console,
    );
  } finally {
    clearInterval(timer);
    await queue;
    await close();
  }
}

/** Plays the first environment of the package; other kinds are only opened. */
async function startPlayer(
  { registry, plugins }: OpenedForCheck,
  { params, seed }: DevelopRequest,
  console: Console,
): Promise<Player | undefined> {
  const environment = plugins.find(({ kind }) => kind === 'environment');
  if (environment !== undefined)
    return createPlayer(openEnvironment(environment.id, params, registry), seed, console);
  console.line(
    `${plugins.map(({ kind, id }) => `${kind} ${id}`).join(', ')}: opened; espalier plugin check tests it`,
  );
  return undefined;
}

async function playUntilEnd(
  answer: (word: string) => Promise<void>,
  signal: AbortSignal,
  console: Console,
): Promise<void> {
  const isTerminal = console.isInteractive && process.stdin.isTTY === true;
  const words = readWords('> ', isTerminal);
  const over = new Promise<undefined>((resolve) =>
    signal.addEventListener('abort', () => resolve(undefined)),
  );
  while (!signal.aborted) {
    const next = await Promise.race([words.next(), over]);
    if (next === undefined) return;
    if (next.done === true) {
      // the end of a pipe is not the end of the work
      if (!isTerminal) await over;
      return;
    }
    if (isQuit(next.value)) return;
    await answer(next.value);
  }
}

function report(error: unknown, console: Console): void {
  if (!(error instanceof Error)) throw error;
  const finding = isAppError(error) ? `error ${error.code}: ${error.message}` : `error: ${error.message}`;
  console.note(`${finding}\nsave again once it is mended`);
}
