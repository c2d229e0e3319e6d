/** One at a time for each key; different keys do not wait for each other. */
export class KeyLocks {
  private readonly last = new Map<string, Promise<unknown>>();

  /** Does something when all that was asked before for the same key is done, whether it failed or not. */
  async hold<T>(key: string, work: () => Promise<T>): Promise<T> {
    const before = this.last.get(key) ?? Promise.resolve();
    const mine = before.then(work, work);
    this.last.set(key, mine);
    try {
      return await mine;
    } finally {
      if (this.last.get(key) === mine) this.last.delete(key);
    }
  }
}
