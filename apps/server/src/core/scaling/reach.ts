/** @file What could not be reached: warned of once, and told when that is over. */

interface Log {
  log(line: string): void;
  warn(line: string): void;
}

export class Reach {
  private readonly lost = new Set<string>();

  constructor(private readonly logger: Log) {}

  /** @param name of a launcher or a worker */
  fail(name: string, warning: string): void {
    if (this.lost.has(name)) return;
    this.lost.add(name);
    this.logger.warn(warning);
  }

  /** @param news logged if it could not be reached before */
  succeed(name: string, news: string): void {
    if (this.lost.delete(name)) this.logger.log(news);
  }

  /** Nothing is told of it any more. */
  delete(name: string): void {
    this.lost.delete(name);
  }
}
