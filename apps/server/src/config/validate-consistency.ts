/** @file Settings that are each in range but contradict each other. */
import type { z } from 'zod';
import type { ServerOptions } from './server-options.js';

/** A worker that missed two reports and then came in time has not been silent. */
const beatsPerLease = 3;
/** default of `leaseSeconds`; who changed it is told there */
const defaultLeaseSeconds = 15;

/** What is checked. */
type Checked = Pick<ServerOptions, 'leaseSeconds' | 'heartbeatSeconds' | 'database'>;

/** Reports settings that contradict each other; each issue names the setting to change. */
export function validateConsistency(options: Checked, { addIssue }: Pick<z.RefinementCtx, 'addIssue'>): void {
  const add = (path: readonly string[], message: string): void =>
    addIssue({ code: 'custom', path: [...path], message, input: options });
  const { leaseSeconds, heartbeatSeconds, database } = options;
  if (leaseSeconds < beatsPerLease * heartbeatSeconds)
    add(
      [leaseSeconds === defaultLeaseSeconds ? 'heartbeatSeconds' : 'leaseSeconds'],
      `with leaseSeconds ${leaseSeconds} and heartbeatSeconds ${heartbeatSeconds} healthy workers would lose their jobs; make leaseSeconds at least ${beatsPerLease} × heartbeatSeconds`,
    );
  if (database.kind === 'postgres' && database.url === '')
    add(['database', 'kind'], 'name the PostgreSQL server in database.url');
  // told at the kind, as an address may hold a password
  if (database.kind === 'sqlite' && database.url !== '')
    add(
      ['database', 'kind'],
      'database.url names a PostgreSQL server, which would not be used; set database.kind to postgres, or leave database.url out',
    );
}
