/** @file A browser's storage in memory, which can be full or refuse, as those of browsers do. */
import type { BrowserStorage } from '../stored-names.js';

export class FakeStorage implements BrowserStorage {
  quota = Infinity;
  refuses = false;
  private readonly items = new Map<string, string>();

  get length(): number {
    return this.items.size;
  }
  /** characters */
  get used(): number {
    return [...this.items].reduce((sum, [name, text]) => sum + name.length + text.length, 0);
  }
  key(at: number): string | null {
    return [...this.items.keys()][at] ?? null;
  }
  getItem(name: string): string | null {
    return this.items.get(name) ?? null;
  }
  setItem(name: string, text: string): void {
    if (this.refuses) throw new DOMException('not allowed', 'SecurityError');
    const old = this.items.get(name);
    const freed = old === undefined ? 0 : name.length + old.length;
    if (this.used - freed + name.length + text.length > this.quota)
      throw new DOMException('no room', 'QuotaExceededError');
    this.items.set(name, text);
  }
  removeItem(name: string): void {
    this.items.delete(name);
  }
}
