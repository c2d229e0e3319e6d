/** @file Who may do what: three roles for people and programs, and one for workers. */

/** Roles with what each may do. A role may also do what those before it may, but `worker` stands apart. */
export const roles = {
  viewer: 'read everything in its projects',
  operator: 'start, steer and delete runs of its projects',
  admin: 'all of it in all projects, and keys, plugins and the audit log',
  worker: 'connect as a worker and send what its attempts say; nothing else',
} as const;
export type Role = keyof typeof roles;

const ranks: Readonly<Record<Role, number>> = { worker: 0, viewer: 1, operator: 2, admin: 3 };

/** Tells whether a role includes another. */
export function includesRole(held: Role, needed: Role): boolean {
  return needed === 'worker' ? held === 'worker' : ranks[held] >= ranks[needed];
}
