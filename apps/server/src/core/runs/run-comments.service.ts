/** @file Comments on runs: threads of short texts, each by a key, and about a place in the run if it names one. */
import { AppError } from '@espalier/contracts';
import { count, text, toIsoTime, toIsoTimeOrNull } from '@espalier/protocol/bounds';
import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { z } from 'zod';
import { AuditService } from '../access/audit.service.js';
import type { Caller } from '../access/caller.js';
import { createId } from '../database/create-id.js';
import { Alert } from '../database/entities/alert.js';
import { Run } from '../database/entities/run.js';
import { RunComment } from '../database/entities/run-comment.js';
import { TrajectoryEntity } from '../database/entities/trajectory.js';
import { LiveBus } from '../database/live-bus.js';
import { columnKey, type Page, type PagePart, readPage } from '../database/page.js';
import { RunLog } from '../database/run-log.js';
import { wholeNumber } from '../input/parse-input.js';
import { notPossible } from './refusals.js';
import { RunQueries } from './run-queries.service.js';
import { idempotencyKey } from './run-request.js';

const textLength = 'expected 1 to 20000 characters';
/** of a run; its export has all of them */
const maxComments = 1000;

const commentText = text(20_000, { isMultiline: true, expected: textLength })
  .trim()
  .min(1, textLength)
  .describe('the text');

/** Where a comment belongs. */
const places = {
  step: count.optional().describe('the step it is about; default: none'),
  alertId: text(100, { least: 1 }).optional().describe('the alert it is about'),
  trajectoryId: text(200, { least: 1 }).optional().describe('the trajectory it is about'),
  turn: count.optional().describe('the turn of the trajectory, from 0'),
  tokenStart: count.optional().describe('the first token of the trajectory that it is about'),
  tokenEnd: count.optional().describe('the token after the last; with `tokenStart`'),
};

export const commentRequest = z.strictObject({
  text: commentText,
  ...places,
  parentId: text(100, { least: 1 })
    .optional()
    .describe('the comment that it answers; its place is then that of the comment'),
  idempotencyKey: idempotencyKey.describe(
    'chosen by the client, new for each new request: the same request sent again with it adds no second comment',
  ),
});
export type CommentRequest = z.output<typeof commentRequest>;
export const commentEdit = z.strictObject({ text: commentText });

export const commentConditions = z.strictObject({
  step: wholeNumber.optional().describe('about this step'),
  alertId: places.alertId.describe('about this alert'),
  trajectoryId: places.trajectoryId.describe('about this trajectory'),
});
export type CommentConditions = z.output<typeof commentConditions>;

const keys = [columnKey('comment', 'createdAt', 'integer'), columnKey('comment', 'id', 'text')];

@Injectable()
export class RunComments {
  constructor(
    private readonly source: DataSource,
    private readonly log: RunLog,
    private readonly queries: RunQueries,
    private readonly audit: AuditService,
    private readonly bus: LiveBus,
  ) {}

  /** Lists the comments on a run, oldest first. @throws server.invalid_cursor, server.invalid_input */
  list(runId: string, part: PagePart, where: CommentConditions = {}): Promise<Page<RunComment>> {
    const conditions = Object.fromEntries(Object.entries(where).filter(([, value]) => value !== undefined));
    const query = this.source
      .getRepository(RunComment)
      .createQueryBuilder('comment')
      .where({ runId, ...conditions });
    return readPage(query, part, keys, 'asc', (work) => this.log.read(work));
  }

  /** @throws server.not_found, run.not_possible, run.idempotency_key_reused */
  async add(caller: Caller, runId: string, request: CommentRequest): Promise<RunComment> {
    const run = await this.queries.find(caller, runId);
    const { idempotencyKey = null, parentId = null, text, ...place } = request;
    const given = Object.fromEntries(
      placeNames.map((name) => [name, place[name] ?? null]),
    ) as unknown as Place;
    const id = createId('comment');
    const added = await this.log.write({ runId: run.id }, async (manager) => {
      const comment: RunComment = {
        id,
        runId: run.id,
        createdAt: Date.now(),
        createdBy: caller.keyName,
        keyId: caller.keyId,
        text,
        ...given,
        ...(await findThread(manager, run.id, parentId)),
        editedAt: null,
        deletedAt: null,
        idempotencyKey,
      };
      const known =
        idempotencyKey === null
          ? null
          : await manager.findOneBy(RunComment, { runId: run.id, idempotencyKey });
      if (known !== null) return sameOrRefuse(known, comment);
      const current = await manager.findOneBy(Run, { id: run.id });
      if (current === null)
        throw new AppError('server.not_found', `comment on run ${run.id}: it was deleted meanwhile`);
      await validatePlace(manager, current, comment);
      if ((await manager.countBy(RunComment, { runId: run.id })) >= maxComments)
        throw notPossible(
          `comment on run ${run.id}: it has ${maxComments} comments, which is the most; delete some first`,
        );
      await manager.insert(RunComment, comment);
      this.publish(manager, comment);
      return comment;
    });
    if (added.id === id) await this.audit.record(caller, 'run.comment', run.id, 'done', { commentId: id });
    return added;
  }

  /** Replaces the text of a comment of the caller's own. @throws server.not_found, run.not_possible */
  async edit(caller: Caller, runId: string, commentId: string, newText: string): Promise<RunComment> {
    const run = await this.queries.find(caller, runId);
    const [before, edited] = await this.log.write({ runId: run.id }, async (manager) => {
      const found = await findOwn(manager, caller, run.id, commentId, 'edit');
      const change = { text: newText, editedAt: Date.now() };
      await manager.update(RunComment, { id: commentId }, change);
      const changed = { ...found, ...change };
      this.publish(manager, changed);
      return [found.text, changed] as const;
    });
    await this.audit.record(caller, 'run.editComment', run.id, 'done', { commentId, text: before });
    return edited;
  }

  /**
   * Deletes a comment of the caller's own, or as an admin any, and returns it. One with answers stays without its text.
   *
   * @throws server.not_found, run.not_possible
   */
  async delete(caller: Caller, runId: string, commentId: string): Promise<RunComment> {
    const run = await this.queries.find(caller, runId);
    const deleted = await this.log.write({ runId: run.id }, async (manager) => {
      const found = await findOwn(manager, caller, run.id, commentId, 'delete');
      const isAnswered = await manager.existsBy(RunComment, { runId: run.id, parentId: commentId });
      if (isAnswered) {
        const left = { ...found, text: '', deletedAt: Date.now() };
        await manager.update(RunComment, { id: commentId }, { text: '', deletedAt: left.deletedAt });
        this.publish(manager, left);
      } else {
        await manager.delete(RunComment, { id: commentId });
        this.publish(manager, found, true);
      }
      return found;
    });
    await this.audit.record(caller, 'run.uncomment', run.id, 'done', { commentId, text: deleted.text });
    return deleted;
  }

  private publish(manager: EntityManager, comment: RunComment, isDeleted = false): void {
    this.log.afterCommit(manager, () => this.bus.publish('comment', comment.runId, { comment, isDeleted }));
  }
}

type Place = Pick<RunComment, 'step' | 'alertId' | 'trajectoryId' | 'turn' | 'tokenStart' | 'tokenEnd'>;
const placeNames = ['step', 'alertId', 'trajectoryId', 'turn', 'tokenStart', 'tokenEnd'] as const;

/** The thread of an answer, and its place, which is that of the first comment. @throws server.not_found */
async function findThread(
  manager: EntityManager,
  runId: string,
  parentId: string | null,
): Promise<{ readonly parentId: string | null } & Partial<Place>> {
  if (parentId === null) return { parentId };
  const parent = await manager.findOneBy(RunComment, { id: parentId, runId });
  if (parent === null) throw noSuchComment('answer', runId, parentId);
  const place = Object.fromEntries(placeNames.map((name) => [name, parent[name]])) as unknown as Place;
  return { ...place, parentId: parent.parentId ?? parent.id };
}

/** A comment that the caller may change. @throws server.not_found, run.not_possible */
async function findOwn(
  manager: EntityManager,
  caller: Caller,
  runId: string,
  commentId: string,
  what: 'edit' | 'delete',
): Promise<RunComment> {
  const found = await manager.findOneBy(RunComment, { id: commentId, runId });
  if (found === null || found.deletedAt !== null) throw noSuchComment(what, runId, commentId);
  if (found.keyId === caller.keyId || (what === 'delete' && caller.role === 'admin')) return found;
  throw notPossible(
    `${what} comment ${commentId}: ${JSON.stringify(found.createdBy)} wrote it with another key; ${what === 'edit' ? 'answer it instead' : 'ask them, or an admin'}`,
  );
}

const noSuchComment = (what: string, runId: string, commentId: string): AppError =>
  new AppError(
    'server.not_found',
    `${what} comment "${commentId.slice(0, 100)}" of run ${runId}: there is none; list its comments to find the id`,
  );

/** @throws run.not_possible, server.not_found when the run has no such place, or will have none */
async function validatePlace(
  manager: EntityManager,
  { id, steps }: Run,
  { step, alertId, trajectoryId, turn, tokenStart, tokenEnd }: Place,
): Promise<void> {
  const refuse = (finding: string): AppError => notPossible(`comment on run ${id}: ${finding}`);
  if (step !== null && step > steps) throw refuse(`step ${step} is beyond the run; its last is ${steps}`);
  if (alertId !== null && !(await manager.existsBy(Alert, { id: alertId, runId: id })))
    throw new AppError(
      'server.not_found',
      `comment on run ${id}: it has no alert ${JSON.stringify(alertId)}`,
    );
  if (trajectoryId === null) {
    if (turn !== null || tokenStart !== null || tokenEnd !== null)
      throw refuse('a turn or tokens are of a trajectory; name it in `trajectoryId`');
    return;
  }
  const trajectory = await manager.findOne(TrajectoryEntity, {
    where: { runId: id, id: trajectoryId },
    order: { superseded: 'ASC', cursor: 'DESC' },
  });
  if (trajectory === null)
    throw new AppError(
      'server.not_found',
      `comment on run ${id}: it has no trajectory ${JSON.stringify(trajectoryId)}; ids are split/step/group/index`,
    );
  if (turn !== null && turn >= trajectory.turns)
    throw refuse(`turn ${turn} is beyond trajectory ${trajectoryId}, which has ${trajectory.turns}, from 0`);
  if ((tokenStart === null) !== (tokenEnd === null))
    throw refuse('give `tokenStart` and `tokenEnd` together');
  if (tokenStart !== null && tokenEnd !== null && (tokenStart >= tokenEnd || tokenEnd > trajectory.tokens))
    throw refuse(
      `tokens ${tokenStart} to ${tokenEnd} are no range of trajectory ${trajectoryId}, which has ${trajectory.tokens}`,
    );
}

/** Whether an idempotency key came with the same comment. @throws run.idempotency_key_reused */
function sameOrRefuse(known: RunComment, comment: RunComment): RunComment {
  const { text, runId, parentId, idempotencyKey: key } = comment;
  const isSamePlace = placeNames.every((name) => known[name] === comment[name]);
  if (known.text === text && isSamePlace && known.parentId === parentId) return known;
  throw new AppError(
    'run.idempotency_key_reused',
    `comment on run ${runId}: the idempotency key ${JSON.stringify(key?.slice(0, 100))} came with another text or place before, which added comment ${known.id}; send a new key with each new request`,
    { details: { commentId: known.id } },
  );
}

export type RunCommentDto = ReturnType<typeof toCommentDto>;

/** A comment as plain data: times as ISO 8601 text. */
export function toCommentDto({ idempotencyKey: _key, ...comment }: RunComment) {
  const { createdAt, editedAt, deletedAt } = comment;
  return {
    ...comment,
    createdAt: toIsoTime(createdAt),
    editedAt: toIsoTimeOrNull(editedAt),
    deletedAt: toIsoTimeOrNull(deletedAt),
  };
}
