/**
 * @file Chats with checkpoints: a job on a worker that keeps the model loaded, and replies sampled by it. A conversation
 * is kept by whoever has it: each request brings the ids that it continues, or a turn of a trajectory. Prompts begin and
 * replies are opened as the run does.
 */
import { AppError, type RunSpec } from '@espalier/contracts';
import { listEnvironments } from '@espalier/contracts/mixing';
import { type JobState, stoppedStates } from '@espalier/protocol';
import type { CallMessage, ReplyPiece } from '@espalier/protocol/chat';
import { forcedTag, systemText, templateVariables } from '@espalier/rollout/agents';
import { Injectable } from '@nestjs/common';
import { DataSource, In, Not } from 'typeorm';
import { AuditService } from '../access/audit.service.js';
import type { Caller } from '../access/caller.js';
import { createId } from '../database/create-id.js';
import { Job } from '../database/entities/job.js';
import type { Run } from '../database/entities/run.js';
import { RunLog } from '../database/run-log.js';
import { TrajectoryQueries } from '../history/trajectories/trajectory-queries.service.js';
import { ExplainService } from '../scheduling/explain.service.js';
import { JobService } from '../scheduling/job.service.js';
import { newJob } from '../scheduling/new-job.js';
import { UsageQuotas } from '../scheduling/usage-quotas.js';
import { ModelCalls } from '../workers/model-calls.js';
import type { ChatReply, StartChat } from './chat-request.js';
import { chooseNeeds } from './create/choose-needs.js';
import { notPossible, validateWeights } from './refusals.js';
import { RunCheckpoints } from './run-checkpoints.service.js';
import { RunQueries } from './run-queries.service.js';

/** A chat with a checkpoint, and how the run talks to its model. */
export class Chat {
  jobId!: string;
  runId!: string;
  state!: JobState;
  message!: string;
  /** null: it does not wait */
  whyWaiting!: string | null;
  step!: number;
  checkpoint!: string;
  createdAt!: number;
  endedAt!: number | null;
  /** null: that of the chat template */
  system!: string | null;
  replyBegins!: string;
  temperature!: number;
  topP!: number;
  topK!: number;
  maxTokens!: number;
}

@Injectable()
export class RunChats {
  constructor(
    private readonly source: DataSource,
    private readonly queries: RunQueries,
    private readonly checkpoints: RunCheckpoints,
    private readonly trajectories: TrajectoryQueries,
    private readonly jobs: JobService,
    private readonly explanations: ExplainService,
    private readonly quotas: UsageQuotas,
    private readonly calls: ModelCalls,
    private readonly log: RunLog,
    private readonly audit: AuditService,
  ) {}

  /**
   * Queues a chat with a checkpoint, or returns the one that the key has with it already.
   *
   * @throws server.not_found, run.not_possible, access.quota_exceeded
   */
  async start(caller: Caller, runId: string, request: StartChat): Promise<Chat> {
    const run = await this.queries.find(caller, runId);
    if (run.state === 'importing')
      throw notPossible(`chat with run ${run.id}: its import has not ended; complete it first`);
    validateWeights(run, 'chat with', 'ask the model there');
    const chosen = await this.checkpoints.choose(run.id, request);
    const createdBy = caller.keyId;
    const own = await this.source
      .getRepository(Job)
      .findBy({ runId: run.id, kind: 'chat', createdBy, state: Not(In([...stoppedStates, 'cancelling'])) });
    const living = own.find(({ evaluate }) => evaluate?.path === chosen.path);
    if (living !== undefined) return this.describe(run, living);
    const newChat = newJob({
      id: createId('job'),
      runId: run.id,
      project: run.project,
      needs: chooseNeeds(undefined, run.spec, run),
      kind: 'chat',
      createdAt: Date.now(),
      createdBy,
      priority: request.priority,
      evaluate: {
        path: chosen.path,
        step: chosen.step,
        episodes: 1,
        split: 'test',
        chat: { idleSeconds: request.idleSeconds },
      },
    });
    const job = await this.log.write({ runId: run.id }, async (manager) => {
      await this.quotas.checkQueued(manager, createdBy);
      return this.jobs.create(newChat, manager);
    });
    await this.audit.record(caller, 'run.chat', run.id, 'done', { jobId: job.id, step: chosen.step });
    // it may have its devices by now
    return this.describe(run, await this.findJob(run, job.id));
  }

  /** @throws server.not_found */
  async find(caller: Caller, runId: string, jobId: string): Promise<Chat> {
    const run = await this.queries.find(caller, runId);
    return this.describe(run, await this.findJob(run, jobId));
  }

  /** Ends a chat and frees its devices; one that has ended stays as it is. @throws server.not_found */
  async end(caller: Caller, runId: string, jobId: string): Promise<Chat> {
    const run = await this.queries.find(caller, runId);
    const job = await this.findJob(run, jobId);
    if (stoppedStates.includes(job.state) || job.state === 'cancelling') return this.describe(run, job);
    const ended = await this.jobs.cancel(job.id, { now: true });
    await this.audit.record(caller, 'run.end-chat', run.id, 'done', { jobId: job.id });
    return this.describe(run, ended);
  }

  /**
   * Samples a reply, piece by piece; who stops reading stops the sampling.
   *
   * @throws server.not_found, server.invalid_input, chat.unavailable, chat.failed, and what reading a trajectory throws
   */
  async reply(
    caller: Caller,
    runId: string,
    jobId: string,
    request: ChatReply,
    signal?: AbortSignal,
  ): Promise<AsyncGenerator<ReplyPiece>> {
    const run = await this.queries.find(caller, runId);
    const { id, state, message, evaluate, workerId, attemptId, token } = await this.findJob(run, jobId);
    const what = `chat with step ${evaluate?.step ?? 0} of run ${run.id}`;
    if (state !== 'running' || workerId === null || attemptId === null)
      throw new AppError(
        'chat.unavailable',
        stoppedStates.includes(state) || state === 'cancelling'
          ? `${what}: job ${id} is ${state}${message === '' ? '' : `: ${message}`}; start the chat again`
          : `${what}: job ${id} is ${state}, so no model is loaded yet; ask again when it is running`,
      );
    const body = await this.toBody(caller, run, request);
    return this.calls.call({ workerId, attemptId, token }, body, what, signal);
  }

  /** The request as the endpoint of the process takes it. */
  private async toBody(caller: Caller, run: Run, request: ChatReply): Promise<CallMessage['body']> {
    const { trajectory, turn = 0, withReply, before, system, message, seed } = request;
    const { temperature, topP, topK, maxTokens } = request;
    const context =
      trajectory === undefined
        ? { rollout: rolloutOf(run), ids: before }
        : await this.contextOf(caller, run, trajectory, turn, withReply);
    const { rollout, ids } = context;
    const begins = forcedTag(rollout.prompt);
    const said = message === undefined ? [] : [{ role: 'user', content: message }];
    const opened = begins === '' || message === undefined ? [] : [{ role: 'assistant', content: begins }];
    const messages = [...(ids === undefined ? openingOf(rollout, system) : []), ...said, ...opened];
    return {
      messages,
      continue_final_message: opened.length > 0,
      ...(ids === undefined ? {} : { continue_token_ids: ids }),
      chat_template_kwargs: templateVariables(rollout.template),
      max_tokens: maxTokens ?? rollout.maxResponseTokens,
      temperature: temperature ?? rollout.temperature,
      top_p: topP ?? rollout.topP,
      top_k: topK ?? rollout.topK,
      ...(seed === undefined ? {} : { seed }),
    };
  }

  /** What the model had before it a turn of a trajectory, as ids. */
  private async contextOf(caller: Caller, run: Run, id: string, turn: number, withReply: boolean) {
    const row = await this.trajectories.find(run.id, id);
    const { stored } = await this.trajectories.read(row, caller.keyId);
    const found = stored.turns[turn];
    if (found === undefined)
      throw invalid(
        `${id} of run ${run.id} has ${stored.turns.length === 0 ? 'no turn' : `no turn ${turn}; its turns are 0..${stored.turns.length - 1}`}`,
      );
    const start = stored.windows?.findLast(({ firstTurn }) => firstTurn <= turn)?.start ?? 0;
    const end = withReply ? found.sampled.end : found.sampled.start;
    const ids = Array.from(stored.tokens.slice(start, end));
    return { ids, rollout: rolloutOf(run, stored.environmentTag, stored.level) };
  }

  /** @throws server.not_found */
  private async findJob(run: Run, jobId: string): Promise<Job> {
    const id = jobId.slice(0, 100);
    const job = await this.source.getRepository(Job).findOneBy({ id, runId: run.id, kind: 'chat' });
    if (job !== null) return job;
    throw new AppError('server.not_found', `read chat "${id}": run ${run.id} has no such chat; start one`);
  }

  private async describe(run: Run, job: Job): Promise<Chat> {
    const { prompt, ...rollout } = rolloutOf(run);
    return Object.assign(new Chat(), {
      jobId: job.id,
      runId: run.id,
      state: job.state,
      message: job.message,
      whyWaiting: job.state === 'queued' ? await this.explanations.explain(job.id) : null,
      step: job.evaluate?.step ?? 0,
      checkpoint: job.evaluate?.path ?? '',
      createdAt: job.createdAt,
      endedAt: job.endedAt,
      system: systemOf({ prompt, ...rollout }) ?? null,
      replyBegins: forcedTag(prompt),
      temperature: rollout.temperature,
      topP: rollout.topP,
      topK: rollout.topK,
      maxTokens: rollout.maxResponseTokens,
    });
  }
}

type Rollout = RunSpec['rollout'];

/** How an environment of a run is prompted; default: its first. */
function rolloutOf({ spec: stored }: Pick<Run, 'spec'>, tag?: string, level?: number): Rollout {
  const spec = stored as unknown as RunSpec;
  const all = listEnvironments(spec);
  const chosen = all.find((one) => one.tag === tag && one.level === level) ?? all[0];
  return chosen?.spec.rollout ?? spec.rollout;
}

const systemOf = ({ prompt: format, maxResponseTokens, ...limits }: Rollout): string | undefined =>
  systemText({ format, limits, maxResponseTokens });

/** The messages before the first one: those of the run, with its examples, unless another system message is given. */
function openingOf(rollout: Rollout, given: string | undefined): object[] {
  const system = given ?? systemOf(rollout) ?? '';
  const examples = given === undefined ? rollout.prompt.fewShot : [];
  return [
    ...(system === '' ? [] : [{ role: 'system', content: system }]),
    ...examples.flatMap(({ user, assistant }) => [
      { role: 'user', content: user },
      { role: 'assistant', content: assistant },
    ]),
  ];
}

const invalid = (finding: string): AppError =>
  new AppError('server.invalid_input', `reply in a chat: ${finding}; correct the request`);
