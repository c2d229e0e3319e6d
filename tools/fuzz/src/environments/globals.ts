/** @file What all code of a process shares: the global object, the prototypes and the functions that JavaScript brings. */

const classes = { Object, Array, String, Number, Boolean, Function, RegExp, Map, Set, Promise, Date, Error };
const shared: Readonly<Record<string, object>> = {
  globalThis,
  ...Object.fromEntries(
    Object.entries(classes).map(([name, { prototype }]) => [`${name}.prototype`, prototype as object]),
  ),
  ...classes,
  JSON,
  Math,
  Reflect,
};

type Keys = ReadonlyMap<PropertyKey, PropertyDescriptor>;
export type Globals = ReadonlyMap<string, Keys>;

/** Lists what there is now. */
export function listGlobals(): Globals {
  return new Map(
    Object.entries(shared).map(([name, owner]) => [
      name,
      new Map(
        Reflect.ownKeys(owner).map((key) => [key, Reflect.getOwnPropertyDescriptor(owner, key)!] as const),
      ),
    ]),
  );
}

/** Says what is new, gone or replaced; undefined while all is the same. */
export function findGlobalChange(before: Globals): string | undefined {
  for (const [name, now] of listGlobals()) {
    const known = before.get(name)!;
    for (const key of new Set([...known.keys(), ...now.keys()]))
      if (!isSame(known.get(key), now.get(key))) return `${name} has changed: ${String(key)}`;
  }
  return undefined;
}

/** What Node loads when it is first asked for is an accessor before, and a value afterwards. */
function isSame(before: PropertyDescriptor | undefined, now: PropertyDescriptor | undefined): boolean {
  if (before === undefined || now === undefined) return false;
  return before.get !== undefined || Object.is(before.value, now.value);
}
