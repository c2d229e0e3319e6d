/** @file The header `idempotency-key`, which stands for the field of that name in the body. */
import { ApiHeader } from './open-api-decorators.js';

const name = 'idempotency-key';

/** Describes the header for the document of REST. */
export const openApiIdempotencyKey = (): MethodDecorator =>
  ApiHeader({
    name,
    required: false,
    description:
      'chosen by the client, new for each new request; the same request sent again with it is answered with the same run',
  });

/** Puts the key of a request's header into its body, where all other ways in have it. */
export function withIdempotencyKey(
  body: unknown,
  headers: Readonly<Record<string, string | string[] | undefined>>,
): unknown {
  const key = headers[name];
  const isObject = typeof body === 'object' && body !== null && !Array.isArray(body);
  return key === undefined || !isObject ? body : { ...body, idempotencyKey: key };
}
