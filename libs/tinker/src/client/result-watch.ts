/**
 * @file How long a result is awaited. A server may work on a request for long, so that is no trouble by itself: it is told
 * when it lasts longer than results did before, and a run that is asked to stop waits no longer than that.
 */
import { AppError } from '@espalier/contracts';

export interface ResultLimits {
  /** longest that a server may work on one request; default an hour */
  readonly resultMs?: number | undefined;
  /** from when on a result is late, unless others took half as long; default 30 s */
  readonly lateMs?: number | undefined;
  /** asks to stop: what is late is waited for no longer */
  readonly stop?: AbortSignal | undefined;
  /** told once until a result comes */
  readonly onTrouble?: ((message: string) => void) | undefined;
}

/** Runs what waits for a result, with the signal that ends it. */
export type ResultWatch = <Result>(
  path: string,
  signal: AbortSignal | undefined,
  work: (signal: AbortSignal) => Promise<Result>,
) => Promise<Result>;

/** Creates the watch over the results of one server; work that it ends fails as `engine.unreachable`. */
export function createResultWatch(url: string, limits: ResultLimits): ResultWatch {
  const { resultMs = 3_600_000, stop, onTrouble } = limits;
  let lateMs = limits.lateMs ?? 30_000;
  let isTold = false;
  // hundreds of samples are awaited at once: one listener for all of them
  const awaited = new Set<() => void>();
  stop?.addEventListener('abort', () => awaited.forEach((endIfStopped) => endIfStopped()));
  return async (path, signal, work) => {
    const started = Date.now();
    const ended = new AbortController();
    let isLate = false;
    let failure: AppError | undefined;
    const end = (why: string): void => {
      failure ??= new AppError('engine.unreachable', `await ${path}: no result ${why}`);
      ended.abort();
    };
    const endIfStopped = (): void => {
      if (isLate && stop?.aborted === true)
        end(
          `for ${secondsSince(started)} s, and the run is asked to stop; it resumes from its last checkpoint`,
        );
    };
    const late = setTimeout(() => {
      isLate = true;
      if (!isTold)
        onTrouble?.(
          `engine at ${url}: no result of ${path} for ${secondsSince(started)} s; waiting for it, ${Math.round((started + resultMs - Date.now()) / 1000)} s more (engine.resultSeconds); look at the server`,
        );
      isTold = true;
      endIfStopped();
    }, lateMs);
    const limit = setTimeout(
      () =>
        end(
          `for ${secondsSince(started)} s; look at the server, or raise engine.resultSeconds, then resume the run`,
        ),
      resultMs,
    );
    awaited.add(endIfStopped);
    try {
      const result = await work(
        signal === undefined ? ended.signal : AbortSignal.any([signal, ended.signal]),
      );
      lateMs = Math.max(lateMs, 2 * (Date.now() - started));
      isTold = false;
      return result;
    } catch (error) {
      throw failure ?? error;
    } finally {
      clearTimeout(late);
      clearTimeout(limit);
      awaited.delete(endIfStopped);
    }
  };
}

const secondsSince = (started: number): number => Math.round((Date.now() - started) / 1000);
