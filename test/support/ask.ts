/** @file Sends HTTP requests to a server as a client would and returns status and body. */

export interface Told {
  readonly status: number;
  readonly headers: Headers;
  readonly body: {
    data?: Record<string, unknown> | null;
    errors?: { message: string; extensions: { code: string; requestId?: string } }[];
    code?: string;
    message?: string;
    requestId?: string;
    [name: string]: unknown;
  };
}

/** Sends a GraphQL operation. */
export function ask(
  url: string,
  key: string | undefined,
  query: string,
  variables: Record<string, unknown> = {},
  headers: Record<string, string> = {},
): Promise<Told> {
  return call(url, key, 'POST', '/graphql', { query, variables }, headers);
}

/** Sends a REST request; a body goes as JSON. */
export async function call(
  url: string,
  key: string | undefined,
  method: string,
  path: string,
  body?: unknown,
  headers: Record<string, string> = {},
): Promise<Told> {
  const response = await fetch(`${url}${path}`, {
    method,
    headers: {
      ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
  const text = await response.text();
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch {
    parsed = { text };
  }
  return { status: response.status, headers: response.headers, body: parsed as Told['body'] };
}

/** The error codes of a GraphQL response. */
export function codesOf({ body }: Told): string[] {
  return (body.errors ?? []).map(({ extensions }) => extensions.code);
}
