/** @file Whether two groups of runs differ in success, from the validations that their processes stored. */
import { text as readText } from 'node:stream/consumers';
import { AppError, runLayout } from '@espalier/contracts';
import {
  adjustHolm,
  explainUncommon,
  markStates,
  newestCommonStep,
  type StateOutcome,
  testStates,
} from '@espalier/rollout/estimates';
import { Injectable } from '@nestjs/common';
import { z } from 'zod';
import type { Caller } from '../../access/caller.js';
import { ArtifactService } from '../../artifacts/artifact.service.js';
import { limitConcurrency } from '../../database/limit-concurrency.js';
import type { Run } from '../../database/entities/run.js';
import { RunQueries } from '../run-queries.service.js';
import type { GroupTests } from './comparison.js';

/** As the trainer writes it; the rest of the file is not read. */
const validation = z.object({
  outcomes: z.array(z.object({ tag: z.string().optional(), stateSeed: z.number(), success: z.boolean() })),
});

@Injectable()
export class RunGroupTests {
  constructor(
    private readonly queries: RunQueries,
    private readonly artifacts: ArtifactService,
  ) {}

  /**
   * Tests two groups at the newest trained step at which all their runs were validated, as `espalier compare` does with folders.
   *
   * @throws server.invalid_input, server.not_found, artifact.corrupt, artifact.unavailable
   */
  async test(caller: Caller, first: readonly string[], second: readonly string[]): Promise<GroupTests> {
    const runs: Run[] = [];
    for (const id of [...first, ...second]) runs.push(await this.queries.find(caller, id));
    const shared = first.find((id) => second.includes(id));
    if (shared !== undefined)
      throw new AppError(
        'server.invalid_input',
        `test groups of runs: ${JSON.stringify(shared.slice(0, 100))} is in both; name each run in one group`,
        { details: { flaws: ['against: a run is in both groups'] } },
      );
    const validations: (readonly number[])[] = [];
    for (const { id } of runs) validations.push(await this.listSteps(id));
    const missing = validations.filter(({ length }) => length === 0).length;
    if (missing > 0)
      return { tests: [], reason: `${missing} of ${validations.length} runs stored no validation` };
    const step = newestCommonStep(validations);
    if (step === undefined)
      return { tests: [], reason: 'the runs have no validation of the same trained step' };
    const ours = await this.readAll(runs.slice(0, first.length), step);
    const theirs = await this.readAll(runs.slice(first.length), step);
    const found = testStates(ours, theirs);
    if (found.length === 0) return { tests: [], reason: `at step ${step}: ${explainUncommon(ours, theirs)}` };
    const adjusted = adjustHolm(found.map(({ p }) => p));
    const tests = found.map(({ tag = null, ...test }, index) => ({
      ...test,
      tag,
      step,
      adjusted: adjusted[index] ?? 1,
    }));
    return { tests, reason: null };
  }

  private async listSteps(id: string): Promise<readonly number[]> {
    const steps: number[] = [];
    for await (const { path } of this.artifacts.all(id, `${runLayout.validation}/`)) {
      const step = runLayout.stepOf(path);
      if (step !== undefined && path === runLayout.validationOf(step)) steps.push(step);
    }
    return steps;
  }

  private async readAll(runs: readonly Run[], step: number): Promise<(readonly StateOutcome[])[]> {
    const outcomes: (readonly StateOutcome[])[] = [];
    for (const run of runs)
      outcomes.push(markStates(run, await limitConcurrency(() => this.readOutcomes(run.id, step))));
    return outcomes;
  }

  private async readOutcomes(id: string, step: number): Promise<readonly StateOutcome[]> {
    const path = runLayout.validationOf(step);
    const { stream } = await this.artifacts.open(id, path);
    try {
      return validation.parse(JSON.parse(await readText(stream))).outcomes;
    } catch (cause) {
      if (cause instanceof AppError) throw cause;
      throw new AppError(
        'artifact.corrupt',
        `read ${path} of run ${id}: it is no validation (${String(cause).slice(0, 200)}); validate the run again`,
        { cause },
      );
    }
  }
}
