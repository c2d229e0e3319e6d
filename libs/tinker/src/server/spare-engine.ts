/** @file The engine that samples with weights that are no model's current ones: one is open at a time. */
import type { PolicyEngine } from '@espalier/contracts';
import { ReadWriteLock } from './turns.js';

export class SpareEngine {
  private current: { readonly key: string; readonly engine: Promise<PolicyEngine> } | undefined;
  /** read by those who use the engine, written by who replaces it */
  private readonly lock = new ReadWriteLock();

  /**
   * Works with the engine of these weights. Where it has others, it is closed first, once all are done with it.
   *
   * @param key  names the weights
   * @param open called where another engine is there, or none
   */
  use<Result>(
    key: string,
    open: () => Promise<PolicyEngine>,
    work: (engine: PolicyEngine) => Promise<Result>,
  ): Promise<Result> {
    // noted before anything is awaited: who asks for the same weights meanwhile shares the engine
    const { engine } = this.current?.key === key ? this.current : this.change(key, open);
    return this.lock.read(async () => work(await engine));
  }

  /** Closes the engine once all are done with it. */
  close(): Promise<void> {
    return this.replace(() => Promise.resolve());
  }

  private change(key: string, open: () => Promise<PolicyEngine>) {
    const changed = { key, engine: this.replace(open) };
    this.current = changed;
    // one that could not be opened is opened again for the next who asks
    changed.engine.catch(() => {
      if (this.current === changed) this.current = undefined;
    });
    return changed;
  }

  private replace<Result>(next: () => Promise<Result>): Promise<Result> {
    const { current } = this;
    this.current = undefined;
    return this.lock.write(async () => {
      await current?.engine.then(
        (engine) => engine.dispose(),
        () => undefined,
      );
      return next();
    });
  }
}
