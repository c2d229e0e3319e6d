/** @file Comments on runs: a thread of short texts, each by a key, and about a step if it names one. */
import { AppError } from '@espalier/contracts';
import { count, text, toIsoTime } from '@espalier/protocol/bounds';
import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { z } from 'zod';
import { AuditService } from '../access/audit.service.js';
import type { Caller } from '../access/caller.js';
import { createId } from '../database/create-id.js';
import { Run } from '../database/entities/run.js';
import { RunComment } from '../database/entities/run-comment.js';
import { columnKey, type Page, type PagePart, readPage } from '../database/page.js';
import { RunLog } from '../database/run-log.js';
import { notPossible } from './refusals.js';
import { RunQueries } from './run-queries.service.js';
import { idempotencyKey } from './run-request.js';

const textLength = 'expected 1 to 20000 characters';
/** of a run; its export has all of them */
const maxComments = 1000;

export const commentRequest = z.strictObject({
  text: text(20_000, { isMultiline: true, expected: textLength })
    .trim()
    .min(1, textLength)
    .describe('the text'),
  step: count.optional().describe('the step it is about; default: none'),
  idempotencyKey: idempotencyKey.describe(
    'chosen by the client, new for each new request: the same request sent again with it adds no second comment',
  ),
});
export type CommentRequest = z.output<typeof commentRequest>;

const keys = [columnKey('comment', 'createdAt', 'integer'), columnKey('comment', 'id', 'text')];

@Injectable()
export class RunComments {
  constructor(
    private readonly source: DataSource,
    private readonly log: RunLog,
    private readonly queries: RunQueries,
    private readonly audit: AuditService,
  ) {}

  /** Lists the comments on a run, oldest first. @throws server.invalid_cursor, server.invalid_page */
  list(runId: string, part: PagePart): Promise<Page<RunComment>> {
    const query = this.source.getRepository(RunComment).createQueryBuilder('comment').where({ runId });
    return readPage(query, part, keys, 'asc', (work) => this.log.read(work));
  }

  /** @throws server.not_found, run.not_possible, run.idempotency_key_reused */
  async add(caller: Caller, runId: string, request: CommentRequest): Promise<RunComment> {
    const run = await this.queries.find(caller, runId);
    const id = createId('comment');
    const createdAt = Date.now();
    const comment: RunComment = {
      id,
      runId: run.id,
      createdAt,
      createdBy: caller.keyName,
      text: request.text,
      step: request.step ?? null,
      idempotencyKey: request.idempotencyKey ?? null,
    };
    const added = await this.log.write({ runId: run.id }, async (manager) => {
      const known =
        comment.idempotencyKey === null
          ? null
          : await manager.findOneBy(RunComment, { runId: run.id, idempotencyKey: comment.idempotencyKey });
      if (known !== null) return sameOrRefuse(known, comment);
      const current = await manager.findOneBy(Run, { id: run.id });
      if (current === null)
        throw new AppError('server.not_found', `comment on run ${run.id}: it was deleted meanwhile`);
      validateStep(current, comment.step);
      if ((await manager.countBy(RunComment, { runId: run.id })) >= maxComments)
        throw notPossible(
          `comment on run ${run.id}: it has ${maxComments} comments, which is the most; delete some first`,
        );
      await manager.insert(RunComment, comment);
      return comment;
    });
    if (added === comment) await this.audit.record(caller, 'run.comment', run.id, 'done', { commentId: id });
    return added;
  }

  /** Deletes a comment and returns it. @throws server.not_found */
  async delete(caller: Caller, runId: string, commentId: string): Promise<RunComment> {
    const run = await this.queries.find(caller, runId);
    const where = { id: commentId, runId: run.id };
    const deleted = await this.log.write({ runId: run.id }, async (manager) => {
      const found = await manager.findOneBy(RunComment, where);
      if (found !== null) await manager.delete(RunComment, where);
      return found;
    });
    if (deleted === null)
      throw new AppError(
        'server.not_found',
        `delete comment "${commentId.slice(0, 100)}" of run ${run.id}: there is none; list its comments to find the id`,
      );
    await this.audit.record(caller, 'run.uncomment', run.id, 'done', { commentId, text: deleted.text });
    return deleted;
  }
}

/** @throws run.not_possible when the run will have no such step */
function validateStep({ id, steps }: Run, step: number | null): void {
  if (step !== null && step > steps)
    throw notPossible(`comment on run ${id}: step ${step} is beyond the run; its last is ${steps}`);
}

/** Whether an idempotency key came with the same comment. @throws run.idempotency_key_reused */
function sameOrRefuse(known: RunComment, { text, step, runId, idempotencyKey: key }: RunComment): RunComment {
  if (known.text === text && known.step === step) return known;
  throw new AppError(
    'run.idempotency_key_reused',
    `comment on run ${runId}: the idempotency key ${JSON.stringify(key?.slice(0, 100))} came with another text or step before, which added comment ${known.id}; send a new key with each new request`,
    { details: { commentId: known.id } },
  );
}

export type RunCommentDto = ReturnType<typeof toCommentDto>;

/** A comment as plain data: times as ISO 8601 text. */
export function toCommentDto({ idempotencyKey: _key, createdAt, ...comment }: RunComment) {
  return { ...comment, createdAt: toIsoTime(createdAt) };
}
