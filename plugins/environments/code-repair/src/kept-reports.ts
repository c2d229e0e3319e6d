/** @file Reports that are kept, up to a number of characters, so that a program is run once. */
import type { Report } from './report.js';

interface Kept {
  readonly report: Promise<Report>;
  size: number;
}

/** Reports by what they depend on. What was cut off is not kept: a moment later the program may end in time. */
export class KeptReports {
  /** the one asked for last at the end */
  private readonly reports = new Map<string, Kept>();
  private characters = 0;

  /** @param most most characters of keys and reports; more is let go, the longest unused first */
  constructor(private readonly most: number) {}

  /** Characters that are kept. */
  get size(): number {
    return this.characters;
  }

  /** The report under a key: one that is kept or on its way, else what `make` makes. */
  get(key: string, make: () => Promise<Report>): Promise<Report> {
    const known = this.reports.get(key);
    if (known !== undefined) {
      this.reports.delete(key);
      this.reports.set(key, known);
      return known.report;
    }
    const report = make();
    const entry: Kept = { report, size: key.length };
    this.reports.set(key, entry);
    this.characters += entry.size;
    report.then(
      (found) => {
        if (found.isCutOff) this.drop(key, entry);
        else this.grow(key, entry, JSON.stringify(found).length);
      },
      () => this.drop(key, entry),
    );
    return report;
  }

  private grow(key: string, entry: Kept, more: number): void {
    if (this.reports.get(key) !== entry) return;
    entry.size += more;
    this.characters += more;
    for (const [oldest, kept] of this.reports) {
      if (this.characters <= this.most) return;
      this.drop(oldest, kept);
    }
  }

  private drop(key: string, entry: Kept): void {
    if (this.reports.get(key) !== entry) return;
    this.reports.delete(key);
    this.characters -= entry.size;
  }
}
