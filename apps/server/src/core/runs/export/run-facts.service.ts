/** @file What `run.json` of an export tells: the run as it stands now, with its jobs, attempts and alerts. */
import { toIsoTimeOrNull } from '@espalier/protocol/bounds';
import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { Alert } from '../../database/entities/alert.js';
import { Attempt } from '../../database/entities/attempt.js';
import { Job } from '../../database/entities/job.js';
import { toAttemptDto, toJobDto } from '../../scheduling/job-dto.js';
import type { Run } from '../../database/entities/run.js';
import { toRunDto } from '../run-dto.js';

/** Alerts are told from the newest on; a run may have had them without end. */
const maxAlerts = 1000;

@Injectable()
export class RunFacts {
  constructor(private readonly source: DataSource) {}

  /** Reads all that the tables of an export do not have. */
  async read(run: Run): Promise<object> {
    const { manager } = this.source;
    const where = { runId: run.id };
    const jobs = await manager.find(Job, { where, order: { id: 'ASC' } });
    const attempts = await manager.find(Attempt, { where, order: { id: 'ASC' } });
    const order = { time: 'DESC' as const, id: 'DESC' as const };
    const alerts = await manager.find(Alert, { where, order, take: maxAlerts });
    return {
      ...toRunDto(run),
      jobs: jobs.map(toJobDto),
      attempts: attempts.map((attempt) => {
        const { jobId, versions, plugins, gitRevision } = attempt;
        return { ...toAttemptDto(attempt), jobId, versions, plugins, gitRevision };
      }),
      alerts: alerts.reverse().map(toAlertDto),
    };
  }
}

function toAlertDto({ runId: _run, project: _project, time, acknowledgedAt, ...alert }: Alert): object {
  return { ...alert, time: toIsoTimeOrNull(time), acknowledgedAt: toIsoTimeOrNull(acknowledgedAt) };
}
