/** Counts failures by address, in windows of a minute; old windows are forgotten. */
export class AttemptLimiter {
  private window = 0;
  private counts = new Map<string, number>();

  /**
   * @param limit failures an address may have in a minute
   * @param clock ms since the epoch
   */
  constructor(
    private readonly limit: number,
    private readonly clock: () => number = Date.now,
  ) {}

  /** Tells whether an address has failed too often in this minute. */
  isExceeded(address: string): boolean {
    return (this.current().get(address) ?? 0) >= this.limit;
  }

  /** Counts a failure. */
  add(address: string): void {
    const counts = this.current();
    counts.set(address, (counts.get(address) ?? 0) + 1);
  }

  /** Seconds until the counting begins anew. */
  secondsLeft(): number {
    return Math.ceil(60 - (this.clock() % 60_000) / 1000);
  }

  private current(): Map<string, number> {
    const window = Math.floor(this.clock() / 60_000);
    if (window !== this.window) [this.window, this.counts] = [window, new Map()];
    return this.counts;
  }
}
