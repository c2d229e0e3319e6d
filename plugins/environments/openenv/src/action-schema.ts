/** @file How the text of an action becomes the fields that a server asks for. */
import { AppError, data } from '@espalier/plugin-kit';

interface Field {
  readonly type?: unknown;
  readonly enum?: readonly unknown[];
}

export interface ActionSchema {
  /** the field that the text of an action goes into; undefined: an action is a JSON object with the fields */
  readonly textField: string | undefined;
  /** the values that the field may have, where the schema lists them */
  readonly choices: readonly string[] | undefined;
  /** the schema, for people and for the model */
  readonly json: string;
}

const schemas = new Map<string, Promise<ActionSchema>>();

/** Asks a server for its schema, once in a process. @throws plugin.failed */
export function loadActionSchema(
  place: { readonly url: string; readonly key: string | undefined; readonly connectMs: number },
  chosenField: string | undefined,
): Promise<ActionSchema> {
  const name = JSON.stringify([place.url, chosenField]);
  const known = schemas.get(name);
  if (known !== undefined) return known;
  const loading = fetchSchema(place).then((schema) => describe(schema, chosenField, place.url));
  schemas.set(name, loading);
  // a server that was away may come back
  loading.catch(() => schemas.delete(name));
  return loading;
}

async function fetchSchema({
  url,
  key,
  connectMs,
}: {
  readonly url: string;
  readonly key: string | undefined;
  readonly connectMs: number;
}): Promise<Readonly<Record<string, unknown>>> {
  const address = `${url.replace(/^ws/, 'http').replace(/\/$/, '')}/schema`;
  try {
    const answer = await fetch(address, {
      signal: AbortSignal.timeout(connectMs),
      ...(key === undefined ? {} : { headers: { authorization: `Bearer ${key}` } }),
    });
    if (!answer.ok) throw new Error(`it answered ${answer.status}`);
    const { action } = (await answer.json()) as { action?: unknown };
    if (typeof action === 'object' && action !== null) return action as Readonly<Record<string, unknown>>;
    throw new Error('its answer has no schema of actions');
  } catch (error) {
    throw new AppError(
      'plugin.failed',
      `ask ${address} for the schema of actions: ${data.fetchFailure(error, connectMs)}; check that a server of OpenEnv runs there`,
      { cause: error },
    );
  }
}

function describe(
  schema: Readonly<Record<string, unknown>>,
  chosen: string | undefined,
  url: string,
): ActionSchema {
  const { metadata: _, ...fields } = (schema['properties'] ?? {}) as Readonly<Record<string, Field>>;
  const required = (Array.isArray(schema['required']) ? (schema['required'] as unknown[]) : []).map(String);
  if (chosen !== undefined && !(chosen in fields))
    throw new AppError(
      'plugin.failed',
      `read the schema of actions of ${url}: it has no field "${chosen}" (option actionField); it has ${Object.keys(fields).join(', ') || 'none'}`,
    );
  const asked = required.filter((name) => name in fields);
  const candidates = asked.length > 0 ? asked : Object.keys(fields);
  const [only] = candidates;
  const isText = only !== undefined && candidates.length === 1 && fields[only]?.type === 'string';
  const textField = chosen ?? (isText ? only : undefined);
  const values = textField === undefined ? undefined : fields[textField]?.enum;
  return {
    textField,
    choices: values?.every((value) => typeof value === 'string') === true ? (values as string[]) : undefined,
    json: JSON.stringify({ properties: fields, ...(required.length > 0 ? { required } : {}) }),
  };
}

/** The fields of an action; undefined: its text has to be a JSON object, and is none. */
export function toFields(
  text: string,
  { textField }: ActionSchema,
): Readonly<Record<string, unknown>> | undefined {
  if (textField !== undefined) return { [textField]: text };
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null && !Array.isArray(value))
      return value as Readonly<Record<string, unknown>>;
  } catch {
    // said by the caller
  }
  return undefined;
}
