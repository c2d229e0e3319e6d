/**
 * @file Idempotent creation of runs, for requests that are repeated because the answer was lost. The client chooses a key
 * for each request; the run stores the key and a hash of the request, so the same request returns the same run.
 */
import { specHash } from '@espalier/config/plain';
import { AppError } from '@espalier/contracts';
import type { EntityManager } from 'typeorm';
import { isPostgres, runSql } from '../../database/run-sql.js';
import { Run } from '../../database/entities/run.js';

/** Identifies a request that creates a run. */
export interface RequestIdentity {
  readonly project: string;
  readonly idempotencyKey: string;
  readonly requestHash: string;
}

/**
 * Identifies a request; undefined if it has no idempotency key.
 *
 * @param operation and its run, such as `fork run-1`
 */
export function identify(
  project: string,
  operation: string,
  request: { readonly idempotencyKey?: string | undefined },
): RequestIdentity | undefined {
  const { idempotencyKey, ...content } = request;
  if (idempotencyKey === undefined) return undefined;
  return { project, idempotencyKey, requestHash: specHash({ operation, content } as never) };
}

/**
 * Inside the write that creates a run: finds the run of an earlier request with the same key. Requests with one key that
 * create a run in different ways (create, fork, import) are in different queues of writes; on PostgreSQL each waits here
 * for the commit of the other.
 *
 * @throws run.idempotency_key_reused
 */
export async function claimIdentity(
  manager: EntityManager,
  identity: RequestIdentity | undefined,
): Promise<Run | null> {
  if (identity !== undefined && isPostgres(manager))
    await runSql(manager, 'SELECT pg_advisory_xact_lock(hashtextextended(?, 0))', [
      `${identity.project} ${identity.idempotencyKey}`,
    ]);
  return findCreatedRun(manager, identity);
}

/** Finds the run of an earlier request with the same key; null: none. @throws run.idempotency_key_reused */
export async function findCreatedRun(
  manager: EntityManager,
  identity: RequestIdentity | undefined,
): Promise<Run | null> {
  if (identity === undefined) return null;
  const { project, idempotencyKey, requestHash } = identity;
  const created = await manager.findOneBy(Run, { project, idempotencyKey });
  if (created === null || created.requestHash === requestHash) return created;
  throw new AppError(
    'run.idempotency_key_reused',
    `create a run: the idempotency key ${JSON.stringify(idempotencyKey.slice(0, 100))} came with another request before, which created run ${created.id}; send a new key with each new request`,
    { details: { runId: created.id } },
  );
}
