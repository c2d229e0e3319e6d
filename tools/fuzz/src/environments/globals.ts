/** @file What all code of a process shares: the keys of the prototypes that JavaScript brings. */

const shared = { Object, Array, String, Number, Function, RegExp, Map, Set, Promise };

type Globals = ReadonlyMap<string, readonly PropertyKey[]>;

/** Lists the keys as they are now. */
export function listGlobals(): Globals {
  return new Map(
    Object.entries(shared).map(([name, { prototype }]) => [name, Reflect.ownKeys(prototype as object)]),
  );
}

/** Says which key is new or gone; undefined while all are the same. */
export function findGlobalChange(before: Globals): string | undefined {
  for (const [name, keys] of listGlobals()) {
    const known = before.get(name) ?? [];
    const changed = keys.find((key) => !known.includes(key)) ?? known.find((key) => !keys.includes(key));
    if (changed !== undefined) return `${name}.prototype has changed: ${String(changed)}`;
  }
  return undefined;
}
