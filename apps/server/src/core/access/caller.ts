import { AppError } from '@espalier/contracts';
import type { Role } from '@espalier/protocol';
import type { ObjectLiteral, SelectQueryBuilder } from 'typeorm';

/** The caller that a valid key stands for. */
export interface Caller {
  readonly keyId: string;
  readonly keyName: string;
  readonly role: Role;
  /** `*` alone stands for all */
  readonly projects: readonly string[];
}

/** Returns whether a caller may see a project. */
export function canSee(caller: Caller, project: string): boolean {
  return caller.projects.includes('*') || caller.projects.includes(project);
}

/** Restricts a query of rows with a project to those that a caller may see. */
export function restrictToVisible<T extends ObjectLiteral>(
  query: SelectQueryBuilder<T>,
  { projects }: Caller,
): SelectQueryBuilder<T> {
  if (projects.includes('*')) return query;
  // an empty list would not be valid SQL
  return query.andWhere(`${query.alias}.project IN (:...seen)`, { seen: [...projects, ''] });
}

/**
 * Returns what a caller may see. What belongs to another project is treated as missing.
 *
 * @param what for the message, such as `run "run-1"`
 * @throws server.not_found
 */
export function visibleOrFail<T extends { readonly project: string }>(
  caller: Caller,
  found: T | null,
  what: string,
): T {
  if (found !== null && canSee(caller, found.project)) return found;
  throw new AppError(
    'server.not_found',
    `read ${what}: there is no such thing in the projects of this key; check the id, or use another key`,
  );
}
