/** @file The header `idempotency-key`, which stands for the field of that name in the body. */
import { z } from 'zod';
import { idempotencyKey } from '../../core/runs/run-request.js';

const name = 'idempotency-key';

/** The header as a part of the OpenAPI document. */
export const idempotencyHeader = z.object({ [name]: idempotencyKey });

/** Copies the key from the header into the body. */
export function withIdempotencyKey(
  body: unknown,
  headers: Readonly<Record<string, string | string[] | undefined>>,
): unknown {
  const key = headers[name];
  const isObject = typeof body === 'object' && body !== null && !Array.isArray(body);
  return key === undefined || !isObject ? body : { ...body, idempotencyKey: key };
}
