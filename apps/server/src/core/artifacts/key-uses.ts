interface Use {
  /** uses that have begun and not ended */
  count: number;
  /** to do once there are none */
  readonly later: (() => Promise<unknown>)[];
  /** what is done while nobody uses the key */
  alone?: Promise<unknown>;
}

/**
 * Who uses a key at the moment. Any number may use it at once, so nobody waits for another who has stalled; what needs
 * it for itself is done when nobody uses it, and who comes meanwhile waits for that.
 */
export class KeyUses {
  private readonly uses = new Map<string, Use>();

  /** Does something with a key that others may use too. */
  async use<T>(key: string, work: () => Promise<T>): Promise<T> {
    const use = this.of(key);
    use.count += 1;
    try {
      await use.alone;
      return await work();
    } finally {
      use.count -= 1;
      void this.rest(key, use);
    }
  }

  /** Does something, which must not fail, while nobody uses the key: at once and awaited, or else later. */
  async whenUnused(key: string, work: () => Promise<unknown>): Promise<void> {
    const use = this.of(key);
    use.later.push(work);
    await this.rest(key, use);
  }

  private of(key: string): Use {
    const use = this.uses.get(key) ?? { count: 0, later: [] };
    this.uses.set(key, use);
    return use;
  }

  /** Does what waited, and forgets the key, if nobody uses it. */
  private async rest(key: string, use: Use): Promise<void> {
    if (use.count > 0 || use.alone !== undefined) return;
    const work = use.later.shift();
    if (work === undefined) {
      if (this.uses.get(key) === use) this.uses.delete(key);
      return;
    }
    use.alone = work();
    await use.alone;
    delete use.alone;
    await this.rest(key, use);
  }
}
