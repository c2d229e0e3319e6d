interface KeyLock {
  /** active shared uses */
  count: number;
  /** exclusive work to run once there are none */
  readonly waiting: (() => Promise<unknown>)[];
  /** the exclusive work that runs now */
  exclusive?: Promise<unknown>;
}

/**
 * A shared/exclusive lock per key. Shared use never waits for other shared use, so a stalled client does not block others;
 * exclusive work runs when the key is unused, and blocks new use meanwhile.
 */
export class KeyLocks {
  private readonly uses = new Map<string, KeyLock>();

  /** Runs work that shares the key. */
  async shared<T>(key: string, work: () => Promise<T>): Promise<T> {
    const use = this.of(key);
    use.count += 1;
    try {
      await use.exclusive;
      return await work();
    } finally {
      use.count -= 1;
      void this.runExclusive(key, use);
    }
  }

  /** Runs work that must not fail while the key is unused: now, and awaited, or else later. */
  async exclusive(key: string, work: () => Promise<unknown>): Promise<void> {
    const use = this.of(key);
    use.waiting.push(work);
    await this.runExclusive(key, use);
  }

  private of(key: string): KeyLock {
    const use = this.uses.get(key) ?? { count: 0, waiting: [] };
    this.uses.set(key, use);
    return use;
  }

  /** If the key is unused, runs the waiting work, then drops the key. */
  private async runExclusive(key: string, use: KeyLock): Promise<void> {
    if (use.count > 0 || use.exclusive !== undefined) return;
    const work = use.waiting.shift();
    if (work === undefined) {
      if (this.uses.get(key) === use) this.uses.delete(key);
      return;
    }
    use.exclusive = work();
    await use.exclusive;
    delete use.exclusive;
    await this.runExclusive(key, use);
  }
}
