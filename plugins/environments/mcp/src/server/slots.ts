/** @file How many servers run at once in this process, and that a shared one has one episode at a time. */

/** Waits in turn for one of a number of slots. */
export class Slots {
  #used = 0;
  readonly #waiting: (() => void)[] = [];

  constructor(public size: number) {}

  /** @returns what gives the slot back; it may be called twice. @throws when the signal is aborted before */
  async take(signal: AbortSignal): Promise<() => void> {
    while (this.#used >= this.size) {
      signal.throwIfAborted();
      await new Promise<void>((resolve) => {
        this.#waiting.push(resolve);
        signal.addEventListener('abort', () => resolve(), { once: true });
      });
    }
    signal.throwIfAborted();
    this.#used++;
    let isHeld = true;
    return () => {
      if (!isHeld) return;
      isHeld = false;
      this.#used--;
      for (const wake of this.#waiting.splice(0)) wake();
    };
  }

  get used(): number {
    return this.#used;
  }
}

const processes = new Slots(1);
const shared = new Map<string, Slots>();

/** A slot for a server's process; the number of slots is that of the last who asked. */
export function takeProcessSlot(size: number, signal: AbortSignal): Promise<() => void> {
  processes.size = size;
  return processes.take(signal);
}

/** The turn of an episode at a server that all share. */
export function takeTurn(url: string, signal: AbortSignal): Promise<() => void> {
  const slots = shared.get(url) ?? new Slots(1);
  shared.set(url, slots);
  return slots.take(signal);
}

/** Servers' processes that run now, for tests. */
export const processesInUse = (): number => processes.used;
