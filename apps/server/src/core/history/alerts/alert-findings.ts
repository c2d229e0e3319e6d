import type { HealthFinding } from '@espalier/contracts/health';
import type { EntityManager } from 'typeorm';
import type { Alert } from '../../database/entities/alert.js';
import { isRareKind, RunRecord } from '../../database/entities/run-record.js';

/** Reads the rules that fired when the collapse monitor raised an alert; of other alerts none. */
export async function readFindings(
  manager: EntityManager,
  { runId, code, step, time }: Pick<Alert, 'runId' | 'code' | 'step' | 'time'>,
): Promise<readonly HealthFinding[]> {
  if (!code.startsWith('monitor.')) return [];
  const records = await manager
    .createQueryBuilder(RunRecord, 'record')
    .where({ runId, kind: 'monitor', step })
    .andWhere(isRareKind)
    .getMany();
  // of several attempts the one that was there at that time
  const [nearest] = records.sort((a, b) => Math.abs(a.time - time) - Math.abs(b.time - time));
  const { findings = [] } = (nearest?.body ?? {}) as { findings?: readonly HealthFinding[] };
  return findings;
}
