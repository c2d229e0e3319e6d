import type { Role } from '@espalier/protocol';
import {
  createParamDecorator,
  type CustomDecorator,
  type ExecutionContext,
  SetMetadata,
} from '@nestjs/common';
import type { Caller } from '../../core/access/caller.js';
import { contextOf } from './request-context.js';

export const accessKey = Symbol.for('espalier.access');
export const alsoTicketsKey = Symbol.for('espalier.access.also-tickets');
export const alsoWorkersKey = Symbol.for('espalier.access.also-workers');

/**
 * Says which role a route, field, subscription or socket event needs; `public` needs no key. What says nothing is
 * refused to everybody.
 */
export function Access(role: Role | 'public'): CustomDecorator<symbol> {
  return SetMetadata(accessKey, role);
}

/** Lets keys of workers in, too; the handler checks which runs they may touch. */
export function AlsoWorkers(): CustomDecorator<symbol> {
  return SetMetadata(alsoWorkersKey, true);
}

/** Lets a ticket for this very address in, in place of a key. */
export function AlsoTickets(): CustomDecorator<symbol> {
  return SetMetadata(alsoTicketsKey, true);
}

/** The caller, as the guard found it. */
export const CurrentCaller = createParamDecorator((_: unknown, context: ExecutionContext): Caller => {
  const { caller } = contextOf(context);
  if (caller === undefined)
    throw new Error('CurrentCaller: used on something public; give it an @Access role');
  return caller;
});
