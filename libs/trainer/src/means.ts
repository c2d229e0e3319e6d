/** Running means by name. */
export interface Means {
  add(name: string, value: number): void;
  values(): Record<string, number>;
}

/** Creates means of whatever is added, in order of first appearance. */
export function createMeans(): Means {
  const sums = new Map<string, { sum: number; count: number }>();
  return {
    add(name, value) {
      const entry = sums.get(name) ?? { sum: 0, count: 0 };
      entry.sum += value;
      entry.count += 1;
      sums.set(name, entry);
    },
    values: () => Object.fromEntries([...sums].map(([name, { sum, count }]) => [name, sum / count])),
  };
}
