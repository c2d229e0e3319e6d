/** @file Order: requests of a model by their numbers, and reading apart from writing. */
import { AppError } from '@espalier/contracts';

/** Lets any number of readers, or one writer, at a model; in the order in which they ask. */
export class ReadWriteLock {
  private readers = new Set<Promise<unknown>>();
  private writer: Promise<unknown> = Promise.resolve();

  read<Result>(work: () => Promise<Result>): Promise<Result> {
    const done = this.writer.then(work);
    const settled = done.catch(() => undefined);
    this.readers.add(settled);
    void settled.then(() => this.readers.delete(settled));
    return done;
  }

  write<Result>(work: () => Promise<Result>): Promise<Result> {
    const before = Promise.all([this.writer, ...this.readers]);
    const done = before.then(work);
    this.writer = done.catch(() => undefined);
    return done;
  }
}

interface Held {
  readonly work: () => Promise<unknown>;
  readonly settle: (outcome: Promise<unknown>) => void;
  readonly timer: NodeJS.Timeout;
}

/**
 * Runs numbered requests in the order of their numbers, whatever the order in which they come: a client may send parts of a
 * batch at once. A request whose predecessor never comes fails after a while.
 */
export class NumberedQueue {
  private readonly held = new Map<number, Held>();
  /** numbers whose turn has not come yet */
  private readonly skipped = new Set<number>();
  private last: Promise<unknown> = Promise.resolve();

  constructor(
    private next: number,
    private readonly patienceMs: number,
  ) {}

  /** @param number of the request; undefined: behind all that came before */
  run<Result>(number: number | undefined, work: () => Promise<Result>): Promise<Result> {
    if (number === undefined || number < this.next) return this.append(work);
    return new Promise<Result>((resolve, reject) => {
      const timer = setTimeout(() => {
        this.held.delete(number);
        const finding = `request ${number} came, and ${this.next} before it never did`;
        reject(
          new AppError(
            'engine.invalid_request',
            `order of requests: ${finding}; send every seq_id once, from 1`,
          ),
        );
      }, this.patienceMs);
      timer.unref();
      this.held.set(number, { work, settle: (outcome) => resolve(outcome as Promise<Result>), timer });
      this.release();
    });
  }

  /** Passes over a number: its request was refused, so those after it wait for nothing. */
  skip(number: number): void {
    if (number >= this.next) this.skipped.add(number);
    this.release();
  }

  private release(): void {
    while (this.held.has(this.next) || this.skipped.has(this.next)) {
      const one = this.held.get(this.next);
      this.held.delete(this.next);
      this.skipped.delete(this.next);
      this.next += 1;
      if (one === undefined) continue;
      clearTimeout(one.timer);
      one.settle(this.append(one.work));
    }
  }

  private append<Result>(work: () => Promise<Result>): Promise<Result> {
    const done = this.last.then(work);
    this.last = done.catch(() => undefined);
    return done;
  }
}
