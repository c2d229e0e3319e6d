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
import { calledAs } from '../parse-arguments.js';

export interface DevelopRequest {
  readonly folder: string;
  readonly seed: number;
  readonly params: Readonly<Record<string, unknown>>;
  /** time limit of one call */
  readonly callLimitMs: number;
}

const lookEveryMs = 300;
/** Most builds in a row, where each writes files that the one before did not. */
const mostBuilds = 5;

/** Builds, opens and plays a plugin until the signal, or until the author quits. @throws cli.usage */
export async function developPlugin(
  request: DevelopRequest,
  console: Console,
  signal: AbortSignal,
): Promise<void> {
  const folder = requirePackage(request.folder, 'develop');
  const changes = createFolderChanges(folder);
  /** what changed during two builds in a row: the build writes it */
  const written = new Set<string>();
  let current: { player: Player | undefined; opened: OpenedForCheck } | undefined;
  const close = async (): Promise<void> => {
    await current?.player?.close().catch(() => undefined);
    await current?.opened.registry.dispose();
    current = undefined;
  };
  /** Builds and opens. @returns what changed while it was built */
  const open = async (): Promise<readonly string[]> => {
    await close();
    const { isGood, output } = await buildPlugin(folder, signal);
    const built = changes();
    if (signal.aborted) return built;
    if (isGood) await show().catch((error: unknown) => report(error, console));
    else console.note(`build failed; save again once it is mended\n${output}`);
    return built;
  };
  const show = async (): Promise<void> => {
    const opened = await openForCheck(folder, request.callLimitMs);
    current = { player: undefined, opened };
    current.player = await startPlayer(opened, request, console);
  };
  const reload = async (): Promise<void> => {
    let before: readonly string[] = [];
    // again where files changed meanwhile that builds do not write: they were saved
    for (let time = 0; time < mostBuilds && !signal.aborted; time++) {
      const built = await open();
      for (const path of built) if (before.includes(path)) written.add(path);
      const saved = changes();
      if ([...built, ...saved].every((path) => written.has(path))) return;
      before = built;
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
      const saved = changes();
      if (saved.length === 0) return;
      for (const path of saved) written.delete(path);
      console.line(console.colors.dim('saved; building again'));
      await reload();
    }).then(() => {
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
    `${plugins.map(({ kind, id }) => `${kind} ${id}`).join(', ')}: opened; ${calledAs()} plugin check tests it`,
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
