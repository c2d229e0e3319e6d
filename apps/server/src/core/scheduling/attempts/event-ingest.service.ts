/**
 * @file Ingests the events of attempts: checks the fencing token, drops duplicates, stores new events and the
 * sequence in one transaction, and notifies listeners. Events enter the database only here.
 */
import { AppError } from '@espalier/contracts';
import type { AttemptEvent, AttemptStream, EventsAnswer, EventsMessage } from '@espalier/protocol';
import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { readFindings } from '../../history/alerts/alert-findings.js';
import { createAlert } from '../../history/alerts/alert.service.js';
import type { Alert } from '../../database/entities/alert.js';
import { Attempt } from '../../database/entities/attempt.js';
import { readRow, readRowOrFail, updateRow } from '../../database/rows.js';
import { runSql } from '../../database/run-sql.js';
import { ClaimService } from '../placement/claims.service.js';
import { Job } from '../../database/entities/job.js';
import { AttemptService } from './attempt.service.js';
import type { MetricRow } from '../../history/metrics/build-blocks.js';
import { limitMetricNames } from '../../history/metrics/metric-names.js';
import { MetricTails } from '../../history/metrics/metric-tails.js';
import { Run } from '../../database/entities/run.js';
import { TrajectoriesInFlight } from '../../history/trajectories/trajectories-in-flight.js';
import {
  type IncomingTrajectory,
  insertTrajectories,
  supersedeTrajectories,
} from '../../history/trajectories/trajectory-index.js';
import { LiveBus } from '../../database/live-bus.js';
import { type NewRecord, RunLog } from '../../database/run-log.js';
import type { RunRecord } from '../../database/entities/run-record.js';
import { lastStepBefore } from '../../history/metrics/last-steps.js';
import { type IncomingEvent, toRecord } from '../../history/records/stored-record.js';

const ackedColumns = { trainer: 'ackedTrainer', log: 'ackedLog', worker: 'ackedWorker' } as const;

type Numbered = EventsMessage['events'][number];

/** The changes that one message causes. */
interface Changes {
  readonly records: NewRecord[];
  /** by index among the records */
  readonly trajectories: Map<number, Extract<IncomingEvent, { kind: 'trajectory' }>>;
  readonly warnings: Extract<IncomingEvent, { kind: 'warning' }>[];
  readonly latest: Record<string, number | null>;
  /** step of the run and of the attempt, if reported */
  step: number | undefined;
  started: Extract<IncomingEvent, { kind: 'run-started' }> | undefined;
  phase: Extract<IncomingEvent, { kind: 'phase' }> | undefined;
  /** what followers are told of episodes, in order */
  readonly told: IncomingEvent[];
}

/** What is published after the commit. */
interface Stored {
  readonly acked: number;
  readonly records: readonly RunRecord[];
  /** null: there is no listener */
  readonly run: Run | null;
  readonly phase?: Changes['phase'];
  readonly told?: Changes['told'];
}

@Injectable()
export class EventIngest {
  constructor(
    private readonly log: RunLog,
    private readonly bus: LiveBus,
    private readonly tails: MetricTails,
    private readonly attempts: AttemptService,
    private readonly claims: ClaimService,
    private readonly inFlight: TrajectoriesInFlight,
  ) {}

  /**
   * Stores consecutive events of one stream of an attempt; duplicates are skipped.
   *
   * @param workerId the sender; undefined: the server itself
   * @throws worker.fenced when the attempt is over, another has its job, or it is not this worker's
   * @throws event.gap when events between those stored and these are missing; `details.acked` is the last one stored
   */
  async ingest(message: EventsMessage, workerId?: string): Promise<EventsAnswer> {
    let runId: string | undefined;
    const stored = await this.log.write(
      { attemptId: message.attemptId },
      async (manager) => {
        const attempt = await this.readSender(manager, message, workerId);
        const job = attempt === null ? null : await readRow(manager, Job, attempt.jobId);
        runId = attempt?.runId;
        if (workerId !== undefined && attempt?.workerId !== workerId) throw fenced(message);
        const stored = await this.store(manager, message, attempt, job);
        this.log.afterCommit(manager, () => {
          this.publish(stored);
          this.tellEpisodes(attempt?.runId ?? '', stored.told ?? []);
        });
        return stored;
      },
      () => runId !== undefined && this.tails.forget(runId),
    );
    return { acked: stored.acked };
  }

  /** Reads the attempt of an event; a lost one goes back to its worker unless its job was reassigned. */
  private async readSender(
    manager: EntityManager,
    { attemptId, token }: EventsMessage,
    workerId: string | undefined,
  ): Promise<Attempt | null> {
    const attempt = await readRow(manager, Attempt, attemptId);
    if (attempt?.state !== 'lost' || workerId === undefined) return attempt;
    const claim = { attemptId, token, workerId, hasEnded: false };
    const isBack = await this.claims.reclaimBySender(manager, claim);
    return isBack ? readRow(manager, Attempt, attemptId) : attempt;
  }

  private publish({ records, run, phase: progress }: Stored): void {
    this.log.publish(records, run ?? undefined);
    if (progress === undefined || run === null) return;
    const { step, phase, done, total } = progress;
    this.bus.publish('progress', run.id, { runId: run.id, step, steps: run.steps, phase, done, total });
  }

  private tellEpisodes(runId: string, events: Changes['told']): void {
    for (const event of events)
      if (event.kind === 'turn') this.inFlight.note(runId, event);
      else if (event.kind === 'trajectory')
        this.inFlight.end(runId, {
          id: event.row.id,
          step: event.step,
          ended: event.row.stopReason,
          time: event.time,
        });
      else this.inFlight.clear(runId);
  }

  private async store(
    manager: EntityManager,
    message: EventsMessage,
    attempt: Attempt | null,
    job: Job | null,
  ): Promise<Stored> {
    const acked = attempt?.[ackedColumns[message.stream]] ?? 0;
    const isKnown = (message.events.at(-1)?.sequence ?? 0) <= acked;
    if (attempt === null || job === null || !isOwner(message, attempt, job, isKnown)) throw fenced(message);
    const fresh = freshEvents(message.stream, message.events, acked);
    if (fresh.length === 0) return { acked, records: [], run: null };
    const reached = acked + fresh.length;
    const events = await limitMetricNames(
      manager,
      attempt.runId,
      fresh.map(({ event }) => event),
    );
    const changes = await this.collectChanges(manager, attempt, events);
    const records = await this.log.append(manager, attempt.runId, changes.records);
    await storeTrajectories(manager, attempt, changes, records);
    const isEnd = events.some(({ kind }) => kind === 'run-ended' || kind === 'process-ended');
    await this.tails.extend(manager, attempt.runId, toMetricRows(records), isEnd);
    await this.log.storeAlerts(
      manager,
      await toAlerts(manager, attempt.runId, job.project, changes.warnings),
    );
    await updateAttempt(manager, attempt, job, changes, { [ackedColumns[message.stream]]: reached });
    await updateRun(manager, attempt.runId, job, changes);
    const run = this.isFollowed(attempt.runId, changes)
      ? await readRowOrFail(manager, Run, attempt.runId)
      : null;
    return { acked: reached, records, run, phase: changes.phase, told: changes.told };
  }

  private isFollowed(runId: string, { phase }: Changes): boolean {
    return (
      this.bus.hasListeners('run', runId) || (phase !== undefined && this.bus.hasListeners('progress', runId))
    );
  }

  private async collectChanges(
    manager: EntityManager,
    attempt: Attempt,
    events: readonly IncomingEvent[],
  ): Promise<Changes> {
    const changes: Changes = {
      records: [],
      trajectories: new Map(),
      warnings: [],
      latest: {},
      step: undefined,
      started: undefined,
      phase: undefined,
      told: events.filter(({ kind }) => toldKinds.has(kind)),
    };
    for (const event of events) {
      const record = toRecord(attempt.number, event);
      if (record !== undefined) changes.records.push(record);
      if (event.kind === 'phase') changes.phase = event;
      else if (event.kind === 'metrics') {
        changes.step = event.step;
        Object.assign(changes.latest, record?.body['values']);
      } else if (event.kind === 'trajectory') changes.trajectories.set(changes.records.length - 1, event);
      else if (event.kind === 'warning') changes.warnings.push(event);
      else if (event.kind === 'run-started') changes.started = event;
      else if (isLifecycleEvent(event) && isHeld(attempt))
        changes.records.push(...(await this.attempts.applyEvent(manager, attempt, event)));
    }
    return changes;
  }
}

/** Events that say something about the episodes of a run while they are played. */
const toldKinds: ReadonlySet<IncomingEvent['kind']> = new Set([
  'turn',
  'trajectory',
  'run-started',
  'process-ended',
]);

/** Events that change the state of a job. */
function isLifecycleEvent(event: IncomingEvent): event is AttemptEvent {
  return event.kind === 'process-started' || event.kind === 'process-ended' || event.kind === 'evaluated';
}

function isHeld({ state }: Attempt): boolean {
  return state === 'assigned' || state === 'running';
}

/**
 * After its process has ended, an attempt may send what it had written until another attempt has its job; duplicates
 * are always acknowledged.
 */
function isOwner(message: EventsMessage, attempt: Attempt, job: Job, isKnown: boolean): boolean {
  if (attempt.number !== message.token) return false;
  return isKnown || (job.token === attempt.number && (isHeld(attempt) || attempt.state === 'ended'));
}

function fenced(message: EventsMessage): AppError {
  return new AppError(
    'worker.fenced',
    `store events of attempt "${message.attemptId}" with token ${message.token}: it no longer holds its job; end its process and send nothing more about it`,
    { details: { attemptId: message.attemptId, token: message.token } },
  );
}

function freshEvents(stream: AttemptStream, events: readonly Numbered[], acked: number): readonly Numbered[] {
  const fresh = events.filter(({ sequence }) => sequence > acked);
  const wrong = fresh.findIndex(({ sequence }, index) => sequence !== acked + index + 1);
  if (wrong === -1) return fresh;
  throw new AppError(
    'event.gap',
    `store events of the stream "${stream}": got number ${fresh[wrong]?.sequence}, expected ${acked + wrong + 1}; send again from ${acked + 1}, in order`,
    { details: { acked } },
  );
}

function toMetricRows(records: readonly RunRecord[]): MetricRow[] {
  return records
    .filter(({ kind }) => kind === 'metrics')
    .map(({ cursor, attempt, step, time, body }) => ({
      cursor,
      attempt,
      step,
      time,
      values: body['values'] as MetricRow['values'],
    }));
}

async function storeTrajectories(
  manager: EntityManager,
  attempt: Attempt,
  changes: Changes,
  records: readonly RunRecord[],
): Promise<void> {
  const arrived: IncomingTrajectory[] = [];
  for (const [index, { step, row }] of changes.trajectories) {
    const cursor = records[index]?.cursor;
    if (cursor !== undefined) arrived.push({ cursor, attempt: attempt.number, step, row });
  }
  await insertTrajectories(manager, attempt.runId, arrived);
}

async function updateAttempt(
  manager: EntityManager,
  attempt: Attempt,
  job: Job,
  { started, step }: Changes,
  acked: Partial<Attempt>,
): Promise<void> {
  const changes: Partial<Attempt> = { ...acked };
  if (step !== undefined) changes.step = step;
  if (started !== undefined) changes.startStep = started.step;
  await updateRow(manager, Attempt, attempt.id, changes);
  if (started !== undefined && job.kind === 'train')
    await supersedeTrajectories(manager, attempt.runId, attempt.number, started.step);
}

/** Only a training job advances its run; an evaluation does not. */
async function updateRun(
  manager: EntityManager,
  runId: string,
  job: Job,
  { started, step, latest, warnings }: Changes,
): Promise<void> {
  const isMoved = job.kind === 'train' && (started !== undefined || step !== undefined);
  const names = Object.keys(latest);
  if (!isMoved && warnings.length === 0 && names.length === 0) return;
  const text = 'SELECT step, latest, warnings FROM run WHERE id = ?';
  const [run] = await runSql<{ step: number; latest: string; warnings: number }>(manager, text, [runId]);
  if (run === undefined) return;
  const changes: Partial<Run> = {};
  if (warnings.length > 0) changes.warnings = run.warnings + warnings.length;
  if (isMoved && started !== undefined) {
    changes.step = Math.min(run.step, lastStepBefore(started.step));
    if (started.steps > 0) changes.steps = started.steps;
  }
  if (isMoved && step !== undefined) {
    changes.step = step;
    changes.latest = { ...(JSON.parse(run.latest) as Run['latest']), ...latest };
  }
  if (!isMoved && names.length > 0) {
    // metric names of an evaluation are listed, its values are not shown as latest
    const known = JSON.parse(run.latest) as Run['latest'];
    const isNew = (name: string): boolean => !Object.hasOwn(known, name);
    if (names.some(isNew))
      changes.latest = { ...Object.fromEntries(names.map((name) => [name, null])), ...known };
  }
  if (Object.keys(changes).length > 0) await updateRow(manager, Run, runId, changes);
}

async function toAlerts(
  manager: EntityManager,
  runId: string,
  project: string,
  warnings: Changes['warnings'],
): Promise<Alert[]> {
  const alerts: Alert[] = [];
  for (const warning of warnings) {
    const findings = await readFindings(manager, { ...warning, runId });
    const rules = findings.length === 0 ? null : findings.map(({ rule }) => rule);
    alerts.push(createAlert(runId, project, warning, rules));
  }
  return alerts;
}
