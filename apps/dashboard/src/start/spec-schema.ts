/** @file Reads the JSON Schema of a run spec: which options there are at a path, as forms and completion need it. */

export interface Schema {
  readonly type?: string;
  readonly description?: string;
  readonly default?: unknown;
  readonly unit?: string;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: Schema | boolean;
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
}

type Path = readonly (string | number)[];

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The plugins that may stand somewhere; a schema without a choice has none. */
export function pluginsOf(schema: Schema | undefined): readonly string[] {
  return (schema?.anyOf ?? []).flatMap(({ properties }) =>
    typeof properties?.['use']?.const === 'string' ? [properties['use'].const] : [],
  );
}

/** The branch of a choice that a value takes: by its plugin, or by a key that only it has. */
export function chosenBranch(schema: Schema, value: unknown): Schema {
  const branches = schema.anyOf ?? schema.oneOf;
  if (branches === undefined || schema.properties !== undefined) return schema;
  if (!isRecord(value)) return schema;
  const byPlugin = branches.find(({ properties }) => {
    const use = properties?.['use']?.const;
    return use !== undefined && use === value['use'];
  });
  const fits = (one: Schema): boolean =>
    one.properties !== undefined && Object.keys(value).every((key) => key in (one.properties ?? {}));
  return byPlugin ?? branches.find(fits) ?? schema;
}

/** The schema at a path of a value, along the branches that the value takes; undefined: there is nothing. */
export function schemaAt(schema: Schema | undefined, path: Path, value: unknown): Schema | undefined {
  if (schema === undefined) return undefined;
  const branch = chosenBranch(schema, value);
  const [key, ...rest] = path;
  if (key === undefined) return branch;
  const inner = isRecord(value) || Array.isArray(value) ? (value as Record<string, unknown>)[key] : undefined;
  if (/^\d+$/.test(String(key)) && branch.items !== undefined) return schemaAt(branch.items, rest, inner);
  const own = branch.properties?.[key];
  if (own !== undefined) return schemaAt(own, rest, inner);
  return typeof branch.additionalProperties === 'object'
    ? schemaAt(branch.additionalProperties, rest, inner)
    : undefined;
}

export type FieldKind =
  | 'number'
  | 'boolean'
  | 'choice'
  | 'text'
  | 'strings'
  | 'section'
  | 'plugin'
  | 'plugins'
  | 'other';

/** How an option is edited; `strings` and `plugins`: lists of them; `other`: as YAML only. */
export function kindOf(schema: Schema): FieldKind {
  if (pluginsOf(schema).length > 0) return 'plugin';
  if (schema.enum?.every((one) => typeof one === 'string') === true) return 'choice';
  if (schema.type === 'boolean') return 'boolean';
  if (schema.type === 'number' || schema.type === 'integer') return 'number';
  if (schema.type === 'string') return 'text';
  if (schema.type === 'array' && pluginsOf(schema.items).length > 0) return 'plugins';
  if (schema.type === 'array' && schema.items?.type === 'string') return 'strings';
  return schema.properties === undefined ? 'other' : 'section';
}

/** Reads what was typed into a field; undefined: the option is left out. Anything else is for the server to refuse. */
export function readField(kind: FieldKind, text: string): unknown {
  const trimmed = text.trim();
  if (trimmed === '') return undefined;
  if (kind === 'boolean') return trimmed === 'true';
  if (kind === 'strings') {
    const parts = trimmed.split(',').map((part) => part.trim());
    return parts.filter((part) => part !== '');
  }
  if (kind !== 'number') return trimmed;
  const number = Number(trimmed);
  return Number.isFinite(number) ? number : trimmed;
}

/** The default of an option as a hint. */
export function hintOf({ default: standard, unit }: Schema): string {
  if (standard === undefined || typeof standard === 'object') return '';
  return `${String(standard)}${unit === undefined ? '' : ` ${unit}`}`;
}

/** Whether a list can be typed with commas: no part has one, or is changed by trimming. */
export const isCommaList = (value: unknown): value is readonly string[] =>
  Array.isArray(value) &&
  value.every((one) => typeof one === 'string' && one !== '' && one === one.trim() && !one.includes(','));
