import type { Role } from '@espalier/protocol';
import {
  createParamDecorator,
  type CustomDecorator,
  type ExecutionContext,
  SetMetadata,
} from '@nestjs/common';
import type { Caller } from './caller.js';
import { contextOf } from './request-context.js';

export const accessKey = Symbol.for('espalier.access');

/**
 * Says which role a route, field, subscription or socket event needs; `public` needs no key. What says nothing is
 * refused to everybody.
 */
export function Access(role: Role | 'public'): CustomDecorator<symbol> {
  return SetMetadata(accessKey, role);
}

/** The caller, as the guard found it. */
export const CurrentCaller = createParamDecorator((_: unknown, context: ExecutionContext): Caller => {
  const { caller } = contextOf(context);
  if (caller === undefined)
    throw new Error('CurrentCaller: used on something public; give it an @Access role');
  return caller;
});
