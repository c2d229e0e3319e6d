/** @file Validates a value against a JSON Schema of the OpenAPI document: missing, wrong or undocumented members. */

type Schema = Readonly<Record<string, unknown>>;

const kindOf = (value: unknown): string =>
  value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value;

/**
 * Lists what is wrong with a value, by path. Members that the schema does not name are flaws, too, where it names any.
 *
 * @param schemas those that a `$ref` may name
 */
export function listFlaws(value: unknown, schema: Schema, schemas: Schema, path = '$'): string[] {
  if (typeof schema['$ref'] === 'string') {
    const name = schema['$ref'].replace('#/components/schemas/', '');
    const found = schemas[name] as Schema | undefined;
    return found === undefined ? [`${path}: no schema ${name}`] : listFlaws(value, found, schemas, path);
  }
  const choices = (schema['anyOf'] ?? schema['oneOf']) as readonly Schema[] | undefined;
  if (choices !== undefined) {
    const tries = choices.map((choice) => listFlaws(value, choice, schemas, path));
    return tries.some((flaws) => flaws.length === 0)
      ? []
      : [`${path}: none of ${tries.length}: ${String(tries)}`];
  }
  if ('const' in schema && schema['const'] !== value) return [`${path}: is not ${String(schema['const'])}`];
  if (Array.isArray(schema['enum']) && !schema['enum'].includes(value))
    return [`${path}: ${JSON.stringify(value)} is none of ${schema['enum'].join(', ')}`];
  const types = [schema['type'] ?? []].flat() as string[];
  const isKind = (type: string): boolean =>
    type === 'integer' ? Number.isInteger(value) : type === kindOf(value);
  if (types.length > 0 && !types.some(isKind))
    return [`${path}: ${kindOf(value)} instead of ${types.join(' or ')}`];
  if (schema['format'] === 'date-time' && value !== null && !/^\d{4}-.*Z$/.test(String(value)))
    return [`${path}: ${JSON.stringify(value)} is no moment`];
  if (Array.isArray(value) && schema['items'] !== undefined)
    return value.flatMap((item, index) =>
      listFlaws(item, schema['items'] as Schema, schemas, `${path}[${index}]`),
    );
  return kindOf(value) === 'object' ? listMembers(value as Schema, schema, schemas, path) : [];
}

function listMembers(value: Schema, schema: Schema, schemas: Schema, path: string): string[] {
  const properties = schema['properties'] as Readonly<Record<string, Schema>> | undefined;
  const others = schema['additionalProperties'] as Schema | undefined;
  const missing = ((schema['required'] ?? []) as string[])
    .filter((name) => value[name] === undefined)
    .map((name) => `${path}.${name}: missing`);
  const wrong = Object.entries(value).flatMap(([name, member]) => {
    const described = properties?.[name] ?? (typeof others === 'object' ? others : undefined);
    if (described !== undefined) return listFlaws(member, described, schemas, `${path}.${name}`);
    return properties === undefined ? [] : [`${path}.${name}: not described`];
  });
  return [...missing, ...wrong];
}
