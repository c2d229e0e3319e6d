/** @file The evaluations of a run: of its checkpoints on fixed states or along a trajectory, and of what it has stored by other rewards. */
import { runLayout, runSpecSchema } from '@espalier/contracts';
import { jobNeeds, type JobState, maxContinuedTurns, maxRescored } from '@espalier/protocol';
import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { AuditService } from '../access/audit.service.js';
import type { Caller } from '../access/caller.js';
import { ArtifactService } from '../artifacts/artifact.service.js';
import { createId } from '../database/create-id.js';
import { Job, type StepEvaluation } from '../database/entities/job.js';
import type { Run } from '../database/entities/run.js';
import { columnKey, mapPage, type Page, type PagePart, readPage } from '../database/page.js';
import { RunLog } from '../database/run-log.js';
import { TrajectoryQueries } from '../history/trajectories/trajectory-queries.service.js';
import { JobService } from '../scheduling/job.service.js';
import { newJob } from '../scheduling/new-job.js';
import { UsageQuotas } from '../scheduling/usage-quotas.js';
import { chooseNeeds } from './create/choose-needs.js';
import { notPossible, validateComplete, validateWeights } from './refusals.js';
import { RunCheckpoints } from './run-checkpoints.service.js';
import { RunForks } from './run-forks.service.js';
import { RunQueries } from './run-queries.service.js';
import { type EvaluateRun, planForkRequest } from './run-request.js';

/** Continuations of one job, over all turns. */
const mostContinuations = 20_000;

/** A reward with its weight in a total. */
export class RescoringReward {
  use!: string;
  weight!: number;
}

/** An evaluation of a checkpoint: the request, the state of its job, and the result. */
export class Evaluation {
  jobId!: string;
  state!: JobState;
  message!: string;
  step!: number;
  checkpoint!: string;
  /** null: nothing is played */
  split!: string | null;
  /** null: nothing is played */
  episodes!: number | null;
  createdAt!: number;
  endedAt!: number | null;
  /** null until it is known, as all below */
  successRate!: number | null;
  successLow!: number | null;
  successHigh!: number | null;
  rewardMean!: number | null;
  /** that is continued, or whose tokens are scored; null: neither */
  trajectory!: string | null;
  /** null: nothing stored is scored again */
  rescoredSteps!: readonly number[] | null;
  /** the rewards that make the new totals; null: none are computed */
  rescoredBy!: readonly RescoringReward[] | null;
}

@Injectable()
export class RunEvaluations {
  constructor(
    private readonly source: DataSource,
    private readonly queries: RunQueries,
    private readonly trajectories: TrajectoryQueries,
    private readonly artifacts: ArtifactService,
    private readonly checkpoints: RunCheckpoints,
    private readonly forks: RunForks,
    private readonly jobs: JobService,
    private readonly quotas: UsageQuotas,
    private readonly log: RunLog,
    private readonly audit: AuditService,
  ) {}

  /** A page of them, oldest first. @throws server.invalid_cursor, server.invalid_input */
  async page(runId: string, page: PagePart): Promise<Page<Evaluation>> {
    const query = this.source
      .getRepository(Job)
      .createQueryBuilder('job')
      .where(`job.runId = :runId AND job.kind = 'evaluate'`, { runId });
    return mapPage(await readPage(query, page, [columnKey('job', 'id', 'text')]), toEvaluation);
  }

  /** Queues an evaluation. @throws server.not_found, run.not_possible, and what invalid rewards are refused with */
  async evaluate(caller: Caller, runId: string, request: EvaluateRun): Promise<Job> {
    const run = await this.queries.find(caller, runId);
    validateComplete(run, 'evaluate');
    if (request.rescore === undefined || request.rescore.logprobs)
      validateWeights(run, 'evaluate', 'its own validation measures it (`validation`)');
    const measured = await this.planMeasured(caller, run, request);
    const chosen = await this.checkpoints.choose(run.id, request);
    const { priority } = request;
    // rewards read no model
    const needs = measured.rescore?.logprobs === false ? oneProcessor : chooseNeeds(undefined, run.spec, run);
    await this.quotas.checkStorage(caller.keyId);
    const newEvaluation = newJob({
      id: createId('job'),
      runId: run.id,
      project: run.project,
      needs,
      kind: 'evaluate',
      createdAt: Date.now(),
      createdBy: caller.keyId,
      priority,
      evaluate: { path: chosen.path, step: chosen.step, ...measured },
    });
    const job = await this.log.write({ runId: run.id }, async (manager) => {
      await this.quotas.checkQueued(manager, caller.keyId);
      return this.jobs.create(newEvaluation, manager);
    });
    await this.audit.record(caller, 'run.evaluate', run.id, 'done', { jobId: job.id, step: chosen.step });
    return job;
  }

  /** What is measured: states of a split, continuations of a trajectory, or stored trajectories once more. */
  private async planMeasured(caller: Caller, run: Run, request: EvaluateRun): Promise<Measured> {
    const { trajectory, turns, split, episodes, rescore } = request;
    if (rescore !== undefined) return this.planRescoring(caller, run, request);
    if (trajectory !== undefined) return this.planContinuation(caller, run.id, trajectory, request);
    if (turns === undefined) return { episodes: episodes ?? 128, split: split ?? 'test' };
    throw notPossible(`evaluate run ${run.id}: \`turns\` are of a trajectory; name it, or leave them out`);
  }

  private async planContinuation(
    caller: Caller,
    runId: string,
    id: string,
    { turns: wanted, split, episodes }: EvaluateRun,
  ): Promise<Measured> {
    if (split !== undefined)
      throw notPossible(
        `continue ${id} of run ${runId}: it has its own state, so \`split\` has no effect; leave it out`,
      );
    const row = await this.trajectories.find(runId, id);
    // its file must be there, and says how many turns it has
    const { turns: played } = await this.trajectories.read(row, caller.keyId);
    const turns = [...new Set(wanted ?? played.map(({ index }) => index))].sort((a, b) => a - b);
    const strange = turns.find((turn) => turn >= played.length);
    if (strange !== undefined || turns.length === 0)
      throw notPossible(
        `continue ${id} of run ${runId}: it has ${strange === undefined ? 'no turn' : `no turn ${strange}`}; ${played.length === 0 ? 'it failed before the first' : `its turns are 0..${played.length - 1}`}`,
      );
    const each = episodes ?? 32;
    if (turns.length > maxContinuedTurns || turns.length * each > mostContinuations)
      throw notPossible(
        `continue ${id} of run ${runId}: ${each} times from each of ${turns.length} turns; at most ${maxContinuedTurns} turns and ${mostContinuations} continuations in all: name fewer \`turns\` or \`episodes\``,
      );
    return { episodes: each, split: 'test', continue: { trajectory: id, step: row.step, turns } };
  }

  private async planRescoring(caller: Caller, run: Run, request: EvaluateRun): Promise<Measured> {
    const { rescore: { rewards = [], logprobs = false, steps: chosen, trajectory: only } = {}, ...others } =
      request;
    const { id } = run;
    const wanted =
      only === undefined ? chosen : [await this.planTokens(id, only, { rewards, logprobs, chosen })];
    const { episodes, split, trajectory, turns, step } = others;
    const played = Object.entries({ episodes, split, trajectory, turns, ...(!logprobs && { step }) }).find(
      ([, value]) => value !== undefined,
    );
    if (played !== undefined)
      throw notPossible(
        `score what run ${id} has stored again: ${played[0] === 'step' ? 'rewards read no checkpoint' : 'nothing is played'}, so \`${played[0]}\` has no effect; leave it out`,
      );
    if (rewards.length === 0 && !logprobs)
      throw notPossible(
        `score what run ${id} has stored again: by nothing; name \`rewards\`, set \`logprobs\`, or both`,
      );
    if (rewards.length > 0) await this.checkRewards(caller, run, rewards);
    const stored = await this.stepsStored(id);
    const steps = [...new Set(wanted ?? stored)].sort((a, b) => a - b);
    const missing = steps.find((step) => !stored.includes(step));
    const there = stored.length === 0 ? 'none are stored yet' : `stored are those of ${nameSteps(stored)}`;
    if (missing !== undefined || stored.length === 0)
      throw notPossible(
        `score what run ${id} has stored again: ${missing === undefined ? 'it has no trajectories' : `no trajectories of step ${missing}`}; ${there}`,
        { steps: stored },
      );
    const most = logprobs ? maxRescored.tokenSteps : maxRescored.steps;
    if (steps.length > most)
      throw notPossible(
        `score what run ${id} has stored again: trajectories of ${steps.length} steps${logprobs ? ', of which the result has a row each with `logprobs`' : ''}; name at most ${most} \`steps\`, such as ${thinOut(steps, most)}`,
        { steps: stored },
      );
    return {
      episodes: 1,
      split: 'stored',
      rescore: { rewards, steps, logprobs, ...(only !== undefined && { trajectory: only }) },
    };
  }

  /** The step of a trajectory whose tokens are scored one by one. */
  private async planTokens(
    runId: string,
    id: string,
    given: {
      readonly rewards: readonly unknown[];
      readonly logprobs: boolean;
      readonly chosen: readonly number[] | undefined;
    },
  ): Promise<number> {
    const refusal = (why: string) => notPossible(`score the tokens of ${id} of run ${runId}: ${why}`);
    if (!given.logprobs || given.rewards.length > 0)
      throw refusal('a checkpoint does that; set `logprobs`, and leave `rewards` out');
    if (given.chosen !== undefined)
      throw refusal('it has its own step, so `steps` has no effect; leave it out');
    const { step, sampledTokens } = await this.trajectories.find(runId, id);
    if (sampledTokens > maxRescored.tokens)
      throw refusal(`it has ${sampledTokens} sampled ones; at most ${maxRescored.tokens}`);
    return step;
  }

  /** Resolves the spec of the run with other rewards, as of a fork. @throws config and plugin errors, as when a run is forked */
  private async checkRewards(
    caller: Caller,
    { id, spec }: Run,
    rewards: readonly Readonly<Record<string, unknown>>[],
  ): Promise<void> {
    const overrides = [`rewards=${JSON.stringify(rewards)}`];
    // a worker has plugins of its own only
    if (spec['plugins'] !== undefined) overrides.push('plugins=[]');
    await this.forks.planFork(caller, id, planForkRequest.parse({ overrides }));
  }

  /** Steps whose trajectories are stored as files, oldest first. */
  private async stepsStored(runId: string): Promise<number[]> {
    const steps: number[] = [];
    for await (const { path } of this.artifacts.all(runId, `${runLayout.trajectories}/`)) {
      const step = runLayout.stepOf(path);
      if (step !== undefined && path === runLayout.trajectoriesOf(step)) steps.push(step);
    }
    return steps.sort((a, b) => a - b);
  }
}

/** What is measured, beside the checkpoint. */
type Measured = Pick<StepEvaluation, 'episodes' | 'split' | 'continue' | 'rescore'>;

const nameSteps = (steps: readonly number[]): string =>
  steps.length === 1 ? `step ${steps[0]}` : `${steps.length} steps, ${steps[0]} to ${steps.at(-1)}`;

/** The first of every n-th step, as few as are allowed. */
function thinOut(steps: readonly number[], most: number): string {
  const every = Math.ceil(steps.length / most);
  return `${steps
    .filter((_, at) => at % every === 0)
    .slice(0, 4)
    .join(', ')}, …`;
}

function toEvaluation({ id, state, message, createdAt, endedAt, evaluate, result }: Job): Evaluation {
  // success as it was stored is no finding about the checkpoint
  const played = evaluate?.rescore === undefined ? { evaluate, result } : undefined;
  return Object.assign(new Evaluation(), {
    jobId: id,
    state,
    message,
    createdAt,
    endedAt,
    step: evaluate?.step ?? 0,
    checkpoint: evaluate?.path ?? '',
    split: played?.evaluate?.split ?? null,
    episodes: played?.evaluate?.episodes ?? null,
    successRate: played?.result?.successRate ?? null,
    successLow: played?.result?.successLow ?? null,
    successHigh: played?.result?.successHigh ?? null,
    rewardMean: result?.metrics['validation/reward_mean'] ?? null,
    trajectory: evaluate?.continue?.trajectory ?? evaluate?.rescore?.trajectory ?? null,
    rescoredSteps: evaluate?.rescore?.steps ?? null,
    rescoredBy: weightsOf(evaluate?.rescore?.rewards ?? []),
  });
}

/** Where no weight is written, that of a spec holds. */
function weightsOf(entries: readonly Readonly<Record<string, unknown>>[]): RescoringReward[] | null {
  const parsed = runSpecSchema.shape.rewards.safeParse(entries);
  if (entries.length === 0 || !parsed.success) return null;
  return parsed.data.map(({ use, weight }) => Object.assign(new RescoringReward(), { use, weight }));
}

const oneProcessor = jobNeeds.parse({});
