interface KeyLock {
  /** uses that have begun and not ended */
  count: number;
  /** to do once there are none */
  readonly waiting: (() => Promise<unknown>)[];
  /** what is done while nobody uses the key */
  exclusive?: Promise<unknown>;
}

/**
 * A shared/exclusive lock per key. Shared use never waits for other shared use, so a stalled client blocks nobody;
 * exclusive work runs when the key is unused, and blocks new use meanwhile.
 */
export class KeyLocks {
  private readonly uses = new Map<string, KeyLock>();

  /** Does something with a key that others may use too. */
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

  /** Does something, which must not fail, while nobody uses the key: at once and awaited, or else later. */
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

  /** Does what waited, and forgets the key, if nobody uses it. */
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
