/** @file One action on several runs: each succeeds or is refused separately. */
import { type AppError, isAppError } from '@espalier/contracts';
import { Injectable } from '@nestjs/common';
import type { Caller } from '../access/caller.js';
import { RateLimits } from '../access/rate-limits.js';
import type { Run } from '../database/entities/run.js';
import { RunAnnotations } from './run-annotations.service.js';
import { RunDeletion } from './run-deletion.service.js';
import { RunLifecycle } from './run-lifecycle.service.js';
import { RunQueries } from './run-queries.service.js';
import { annotationRequest, type BulkRequest } from './run-request.js';
import { parseInput } from '../input/parse-input.js';

/** The result for one of the runs: the run after the action, or why it was refused. */
export type BulkOutcome =
  | { readonly runId: string; readonly run: Run }
  | { readonly runId: string; readonly refusal: AppError };

@Injectable()
export class RunBulk {
  constructor(
    private readonly queries: RunQueries,
    private readonly lifecycle: RunLifecycle,
    private readonly annotations: RunAnnotations,
    private readonly deletion: RunDeletion,
    private readonly limits: RateLimits,
  ) {}

  /** Acts on the runs in order; each counts as a request. @throws access.throttled */
  async act(caller: Caller, request: BulkRequest): Promise<BulkOutcome[]> {
    const runIds = [...new Set(request.runIds)];
    // the request itself is counted already
    if (runIds.length > 1) await this.limits.count('requests', caller.keyId, runIds.length - 1);
    const outcomes: BulkOutcome[] = [];
    for (const runId of runIds) {
      try {
        outcomes.push({ runId, run: await this.actOn(caller, runId, request) });
      } catch (error) {
        if (!isAppError(error)) throw error;
        outcomes.push({ runId, refusal: error });
      }
    }
    return outcomes;
  }

  private async actOn(caller: Caller, runId: string, request: BulkRequest): Promise<Run> {
    switch (request.action) {
      case 'pause':
        return this.lifecycle.pause(caller, runId);
      case 'resume':
        return this.lifecycle.resume(caller, runId, request.acceptPlugins);
      case 'cancel':
        return this.lifecycle.cancel(caller, runId, request.now);
      case 'delete':
        return this.deletion.delete(caller, runId);
      case 'tag': {
        const { tags } = await this.queries.find(caller, runId);
        const remaining = tags.filter((tag) => !request.removeTags.includes(tag));
        const changed = parseInput(
          annotationRequest,
          { tags: [...remaining, ...request.addTags] },
          'tag a run',
        );
        return this.annotations.edit(caller, runId, changed);
      }
    }
  }
}
