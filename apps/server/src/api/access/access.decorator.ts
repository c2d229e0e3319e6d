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
export const changesNothingKey = Symbol.for('espalier.access.changes-nothing');
export const alsoTicketsKey = Symbol.for('espalier.access.also-tickets');
export const alsoWorkersKey = Symbol.for('espalier.access.also-workers');

/**
 * The role that a route, field, subscription or socket event requires; `public` requires no key. An endpoint that
 * declares none is closed.
 */
export function Access(role: Role | 'public'): CustomDecorator<symbol> {
  return SetMetadata(accessKey, role);
}

/** It is asked for as a change is, but changes nothing, so the audit log has no entry of it. */
export function ChangesNothing(): CustomDecorator<symbol> {
  return SetMetadata(changesNothingKey, true);
}

/** Admits worker keys too; the handler checks which runs they may access. */
export function AlsoWorkers(): CustomDecorator<symbol> {
  return SetMetadata(alsoWorkersKey, true);
}

/** Admits a ticket for the address of the request in place of a key. */
export function AlsoTickets(): CustomDecorator<symbol> {
  return SetMetadata(alsoTicketsKey, true);
}

/** The caller that the guard authenticated. */
export const CurrentCaller = createParamDecorator((_: unknown, context: ExecutionContext): Caller => {
  const { caller } = contextOf(context);
  if (caller === undefined)
    throw new Error('CurrentCaller: used on something public; give it an @Access role');
  return caller;
});
