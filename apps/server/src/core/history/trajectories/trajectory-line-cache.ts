/** @file Cache of the lines read last, by file and trajectory; evicts the oldest. */

export class TrajectoryLineCache {
  private readonly lines = new Map<string, string>();
  private size = 0;

  /** @param maxCharacters characters of all lines */
  constructor(readonly maxCharacters: number) {}

  /** Characters on the shelf. */
  get characters(): number {
    return this.size;
  }

  get(file: string, id: string): string | undefined {
    return this.lines.get(keyOf(file, id));
  }

  put(file: string, id: string, line: string): void {
    const key = keyOf(file, id);
    this.size += line.length - (this.lines.get(key)?.length ?? 0);
    this.lines.delete(key);
    this.lines.set(key, line);
    for (const [oldest, { length }] of this.lines) {
      if (this.size <= this.maxCharacters) return;
      this.lines.delete(oldest);
      this.size -= length;
    }
  }
}

const keyOf = (file: string, id: string): string => `${file}\n${id}`;
