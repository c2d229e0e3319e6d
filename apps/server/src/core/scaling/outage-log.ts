/** @file Logs the start of an outage once, and its end. */

interface Log {
  log(line: string): void;
  warn(line: string): void;
}

export class OutageLog {
  private readonly lost = new Set<string>();

  constructor(private readonly logger: Log) {}

  /** @param name of a launcher or a worker */
  fail(name: string, warning: string): void {
    if (this.lost.has(name)) return;
    this.lost.add(name);
    this.logger.warn(warning);
  }

  /** @param news logged if it was away */
  succeed(name: string, news: string): void {
    if (this.lost.delete(name)) this.logger.log(news);
  }

  /** Forgets it. */
  delete(name: string): void {
    this.lost.delete(name);
  }
}
