/** @file Ctrl-C, a request to end and a closed terminal, as one request to stop and a second one to end at once. */
import type { Console } from '../console.js';
import { createEchoFilter } from '../echo-filter.js';
import { exitCodes } from '../exit-codes.js';

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

export interface StopRequest {
  /** aborted by the first request */
  readonly signal: AbortSignal;
  /** Resolves with the first request. */
  readonly asked: Promise<void>;
  /** Does something before a second request ends this process. */
  beforeExit(last: () => void): void;
  /** Leaves signals to others again. */
  dispose(): void;
}

/** Listens from now on: the first request aborts the signal, the second ends the process with 130. */
export function listenForStop(): StopRequest {
  const controller = new AbortController();
  const classify = createEchoFilter();
  const lasts: (() => void)[] = [];
  const onSignal = (name: NodeJS.Signals): void => {
    const request = classify();
    if (request === 'first') controller.abort();
    // a closing terminal sends SIGHUP again to all its processes
    if (request !== 'again' || name === 'SIGHUP') return;
    lasts.forEach((last) => last());
    process.exit(130);
  };
  for (const name of signals) process.on(name, onSignal);
  return {
    signal: controller.signal,
    asked: new Promise((done) => controller.signal.addEventListener('abort', () => done(), { once: true })),
    beforeExit: (last) => void lasts.push(last),
    dispose: () => signals.forEach((name) => process.off(name, onSignal)),
  };
}

/**
 * Waits for Ctrl-C or a request to end, then stops; a second one ends at once.
 *
 * @param isTold to people, too
 * @param over resolves when nothing is left to wait for
 * @param request default: listens from now on
 */
export async function untilStopped(
  console: Console,
  stop: () => Promise<void>,
  {
    isTold = true,
    over,
    request = listenForStop(),
  }: {
    readonly isTold?: boolean;
    readonly over?: Promise<void> | undefined;
    readonly request?: StopRequest;
  } = {},
): Promise<void> {
  await (over === undefined ? request.asked : Promise.race([request.asked, over]));
  if (isTold) console.note('stopping; again to end at once');
  try {
    await stop();
  } catch (error) {
    // what does not answer would keep this process alive
    console.note((error as Error).message);
    process.exit(exitCodes.failed);
  }
  request.dispose();
}
