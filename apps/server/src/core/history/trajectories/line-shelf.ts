/** @file Lines that were read last, by file and trajectory; the oldest go when there is no room. */

export class LineShelf {
  private readonly lines = new Map<string, string>();
  private held = 0;

  /** @param most characters of all lines */
  constructor(readonly most: number) {}

  /** Characters on the shelf. */
  get characters(): number {
    return this.held;
  }

  get(file: string, id: string): string | undefined {
    return this.lines.get(keyOf(file, id));
  }

  put(file: string, id: string, line: string): void {
    const key = keyOf(file, id);
    this.held += line.length - (this.lines.get(key)?.length ?? 0);
    this.lines.delete(key);
    this.lines.set(key, line);
    for (const [oldest, { length }] of this.lines) {
      if (this.held <= this.most) return;
      this.lines.delete(oldest);
      this.held -= length;
    }
  }
}

const keyOf = (file: string, id: string): string => `${file}\n${id}`;
