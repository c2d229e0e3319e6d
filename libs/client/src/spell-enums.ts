/**
 * @file Enum values as the wire spells them. GraphQL writes `FINISHED` where REST, sockets and this client have
 * `finished`; the operations of this package are translated both ways.
 */
import { enumPlaces, enumValues } from './generated/operations.js';

type Place = string | object | undefined;
type Spell = (enumName: string, value: string) => string;

const names = new Map(
  Object.entries(enumValues).map(([enumName, values]) => [
    enumName,
    new Map(Object.entries(values).map(([name, value]) => [value, name])),
  ]),
);

const toGraphql: Spell = (enumName, value) => names.get(enumName)?.get(value) ?? value;
const toWire: Spell = (enumName, value) => enumValues[enumName]?.[value] ?? value;

/** Spells the variables of an operation as GraphQL does. */
export const spellVariables = <V>(document: unknown, variables: V): V =>
  respell(variables, enumPlaces.get(document)?.variables, toGraphql) as V;

/** Spells the data of an operation as the wire does. */
export const spellData = <T>(document: unknown, data: T): T =>
  respell(data, enumPlaces.get(document)?.data, toWire) as T;

function respell(value: unknown, place: Place, spell: Spell): unknown {
  if (place === undefined || value === undefined || value === null) return value;
  if (Array.isArray(value)) return value.map((item) => respell(item, place, spell));
  if (typeof place === 'string') return typeof value === 'string' ? spell(place, value) : value;
  const copy: Record<string, unknown> = { ...value };
  for (const [name, inner] of Object.entries(place) as [string, Place][])
    if (name in copy) copy[name] = respell(copy[name], inner, spell);
  return copy;
}
