/** @file Tells listeners of this process that a lane has something to take. */

/** A set of listeners; one that throws does not keep the others from hearing. */
export class OfferBell {
  readonly #listeners = new Set<(lane: string) => void>();

  /** Adds a listener and returns the way to remove it. */
  add(listener: (lane: string) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** Calls every listener after the current call has returned. */
  ring(lane: string): void {
    for (const listener of this.#listeners) queueMicrotask(() => listener(lane));
  }
}
