/** @file The short form of the suite: of each kind of case a few, the same ones in every run, others on each database. */
import { numbers, shapes, texts } from './values.js';

const values = [...Object.keys(texts), ...Object.keys(shapes), ...numbers].sort(
  (a, b) => b.length - a.length,
);

/** The kind of a case: its name without the value it tries, up to the first detail. */
export function kindOf(name: string): string {
  const value = values.find((one) => name.endsWith(` ${one}`)) ?? '';
  const place = name.slice(0, name.length - value.length);
  return place.split(/ of | with |: |\?|, | named | "/)[0]?.trim() ?? '';
}

/**
 * Chooses cases. What several transports try alike is one kind, and each of them may have another part of it.
 *
 * @param salt chooses other cases of the kinds that have several
 * @param share one case in so many of a kind, and at least one of each kind
 */
export function chooseCases<T extends { readonly name: string }>(
  transports: Readonly<Record<string, readonly T[]>>,
  salt: number,
  share: number,
): Record<string, T[]> {
  const kinds = new Map<string, T[]>();
  for (const one of Object.values(transports).flat()) {
    const kind = kindOf(one.name);
    kinds.set(kind, [...(kinds.get(kind) ?? []), one]);
  }
  const chosen = new Set<T>();
  for (const [index, ofKind] of [...kinds.values()].entries())
    for (let nth = (salt + index) % Math.min(share, ofKind.length); nth < ofKind.length; nth += share)
      chosen.add(ofKind[nth] as T);
  return Object.fromEntries(
    Object.entries(transports).map(([transport, cases]) => [
      transport,
      cases.filter((one) => chosen.has(one)),
    ]),
  );
}
