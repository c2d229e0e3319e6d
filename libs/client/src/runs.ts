/** @file Creates, reads and controls runs. Rejections are thrown with the server's code. */
import {
  AddRunCommentDocument,
  type AddRunCommentInput,
  type AttemptFieldsFragment,
  BulkRunsDocument,
  type BulkRunsInput,
  CancelRunDocument,
  type CommentFieldsFragment,
  CompareRunsDocument,
  type CompareRunsQuery,
  CreateRunDocument,
  type CurveAxis,
  type CreateRunInput,
  DeleteRunCommentDocument,
  EditRunCommentDocument,
  DeleteRunDocument,
  EditRunDocument,
  type EditRunInput,
  EvaluateRunDocument,
  type EvaluateRunInput,
  ForkRunDocument,
  type ForkRunInput,
  type JobFieldsFragment,
  type JobsPageFragment,
  ListAttemptsOfRunDocument,
  ListCheckpointsDocument,
  type ListCheckpointsQuery,
  ListCommentsDocument,
  ListEvaluationsDocument,
  ReadContinuationDocument,
  ReadRescoringDocument,
  type ReadContinuationQuery,
  type ReadRescoringQuery,
  type ListEvaluationsQuery,
  ListJobsOfRunDocument,
  ListRunsDocument,
  PauseRunDocument,
  PlanForkDocument,
  type PlanForkInput,
  PlanRunDocument,
  type PlanRunInput,
  type PlanRunMutation,
  ReadEtaDocument,
  type ReadEtaQuery,
  ReadTwinDocument,
  type ReadTwinQuery,
  ResumeRunDocument,
  type RunDetailsFragment,
  type RunFieldsFragment,
  type RunCommentFilter,
  type RunFilter,
  type RunOrder,
  ShowRunDocument,
  WatchCommentsDocument,
  type WatchCommentsSubscription,
  WatchRunsDocument,
  TestGroupsDocument,
  type TestGroupsQuery,
} from './generated/operations.js';
import { collectPages, type Page, type PageRequest, pageVariables, readPages, toPage } from './pages.js';
import { randomKey } from './retry-lost.js';
import { type ResultOf, unwrapResult, withoutTypename } from './unwrap-result.js';
import type { Answered, Transport } from './transport.js';

type Facts = Readonly<Record<string, unknown>>;

/** A run, without its spec. */
export type Run = RunFieldsFragment;
/** A run with its spec, jobs and attempts. */
export type RunDetails = Run &
  Omit<RunDetailsFragment, 'spec' | 'jobs' | 'attempts'> & {
    readonly spec: Facts;
    readonly jobs: JobsPageFragment['nodes'];
    readonly attempts: readonly Attempt[];
  };
export type Job = JobFieldsFragment;
/** What a person wrote about a run. */
export type Comment = CommentFieldsFragment;
export type Attempt = AttemptFieldsFragment;
/** A resolved spec and, on request, an estimate of its cost. */
export type RunPlan = ResultOf<Answered<PlanRunMutation>['planRun']>;

type OutcomesOf<Q extends { readonly run: unknown }> = NonNullable<Q['run']>;
/** A checkpoint of a run. */
export type Checkpoint = OutcomesOf<ListCheckpointsQuery>['checkpoints']['nodes'][number];
/** What came of the continuations of a trajectory from one of its turns. */
export type ContinuedTurn = NonNullable<
  NonNullable<NonNullable<ReadContinuationQuery['job']>['result']>['continued']
>[number];
/** What came of scoring stored trajectories again. */
type Rescored = NonNullable<ReadRescoringQuery['job']>['result'];
/** An evaluation of a checkpoint, and what it found. */
export type Evaluation = OutcomesOf<ListEvaluationsQuery>['evaluations']['nodes'][number];
/** What is left of a run that is running. */
export type Eta = OutcomesOf<ReadEtaQuery>['eta'];

/** Whether an unchanged fork that continues repeats its parent; null: it is no such fork. */
export type Twin = OutcomesOf<ReadTwinQuery>['twin'];

/** Runs side by side. */
export type RunComparison = Answered<CompareRunsQuery>['compareRuns'];
export type GroupTests = Answered<TestGroupsQuery>['testGroups'];

export interface ComparisonOptions {
  readonly metrics?: readonly string[];
  /** number of final values that `tailMean` averages; default 10 */
  readonly last?: number;
  /** options that make a group; default: all but seed and name */
  readonly by?: readonly string[];
  readonly fromStep?: number | undefined;
  readonly toStep?: number | undefined;
  /** what curves of groups are along; default: step */
  readonly axis?: CurveAxis;
  /** places of these curves at most, to 2000; default 0: no curves */
  readonly points?: number;
  /** what each run has cost; default: `ledgers` is null */
  readonly ledger?: boolean;
}

/** What became of one of several runs: the run, or the refusal. */
export interface BulkResult {
  readonly runId: string;
  readonly run: Run | null;
  readonly refusal: { readonly code: string; readonly message: string } | null;
}

/** What a fork changes of its parent. */
export type ForkChanges = Omit<ForkRunInput, 'runId'>;

export interface RunsApi {
  /**
   * Creates a run and queues it. Without an idempotency key it gets one, so that a lost answer does not create a second run.
   *
   * @throws client.refused; `details.problems` lists every problem of the spec
   */
  create(input: CreateRunInput): Promise<Run>;
  /** Resolves a spec without creating a run. @param estimate also estimates its cost, which takes seconds */
  plan(input: Omit<PlanRunInput, 'estimate'>, estimate?: boolean): Promise<RunPlan>;
  /** Lists a page of runs, newest first unless ordered otherwise. */
  list(filter?: RunFilter, page?: PageRequest & { readonly orderBy?: RunOrder }): Promise<Page<Run>>;
  /** Iterates over all runs, newest first. */
  all(filter?: RunFilter): AsyncGenerator<Run>;
  get(id: string): Promise<RunDetails>;
  /** Reads the checkpoints of a run, by step. */
  checkpoints(id: string): Promise<readonly Checkpoint[]>;
  /** Reads the evaluations of its checkpoints, oldest first. */
  evaluations(id: string): Promise<readonly Evaluation[]>;
  /** Reads what stored trajectories are worth by other rewards or a checkpoint; null: it is not done. */
  rescored(jobId: string): Promise<Rescored>;
  /** Reads what came of each turn that an evaluation continued from; null: it is not done, or plays states. */
  continuation(jobId: string): Promise<readonly ContinuedTurn[] | null>;
  /** Estimates when a run will have done its steps; null while it is not running, or has done too few. */
  eta(id: string): Promise<Eta>;
  /** Compares an unchanged fork that continues with its parent; null: it is no such fork. */
  twin(id: string): Promise<Twin>;
  /** Asks a run to save and stop. */
  pause(id: string): Promise<Run>;
  /**
   * Resumes a run from its newest checkpoint.
   *
   * @param acceptPlugins resume even if its plugins have changed; otherwise that is rejected
   */
  resume(id: string, options?: { readonly acceptPlugins?: boolean }): Promise<Run>;
  /** Cancels a run. @param now kill it immediately; otherwise it saves first */
  cancel(id: string, options?: { readonly now?: boolean }): Promise<Run>;
  /** Creates a run that starts from a checkpoint: with its weights, or with `continue` with everything it holds. */
  fork(id: string, input?: ForkChanges): Promise<Run>;
  /** Resolves a fork, its starting checkpoint and its differences from the parent, without creating a run. */
  planFork(id: string, input?: Omit<PlanForkInput, 'runId'>): Promise<RunPlan>;
  /** Queues an evaluation of a checkpoint. */
  evaluate(id: string, input?: Omit<EvaluateRunInput, 'runId'>): Promise<Job>;
  /** Deletes a stopped run with all its data. */
  delete(id: string): Promise<Run>;
  /** Does one thing to several runs, at most 100; each is done or refused by itself. */
  bulk(input: BulkRunsInput): Promise<readonly BulkResult[]>;
  /** Changes its title, group, tags, note or priority; what is not given stays as it is. */
  edit(id: string, edit: Omit<EditRunInput, 'runId'>): Promise<Run>;
  /** Reads what people wrote about a run, oldest first. */
  comments(id: string, filter?: RunCommentFilter): Promise<readonly Comment[]>;
  /** Adds a comment to a run. Like `create`, it sends an idempotency key. */
  comment(id: string, comment: Omit<AddRunCommentInput, 'runId'>): Promise<Comment>;
  editComment(id: string, commentId: string, text: string): Promise<Comment>;
  deleteComment(id: string, commentId: string): Promise<Comment>;
  /** Yields comments of a run as they are added, edited and deleted. */
  watchComments(id: string): AsyncGenerator<WatchCommentsSubscription['runCommentChanged']>;
  /**
   * Compares runs: options that differ, and metrics per run and over groups.
   *
   * @param metrics default: all
   */
  compare(ids: readonly string[], options?: ComparisonOptions): Promise<RunComparison>;
  /** Tests two groups on the states of the newest validation that all of their runs have. */
  testGroups(ids: readonly string[], against: readonly string[]): Promise<GroupTests>;
  /** Yields runs when they change: one run, those of a project, or all. */
  changes(of?: { readonly runId?: string; readonly project?: string }): AsyncGenerator<Run>;
}

/** Names a request, so that the server recognises it when it is sent again. */
const withKey = <T extends { readonly idempotencyKey?: string | null | undefined }>(input: T): T => ({
  ...input,
  idempotencyKey: input.idempotencyKey ?? randomKey(),
});

/** Creates the calls about runs. */
export function createRunsApi({ request, subscribe }: Transport): RunsApi {
  const list: RunsApi['list'] = async (filter = {}, { orderBy = null, ...page } = {}) => {
    const variables = { filter, orderBy, ...pageVariables(page) };
    return toPage((await request(ListRunsDocument, variables)).runs);
  };
  return {
    ...createControls(request),
    ...createComments({ request, subscribe }),
    ...createOutcomes(request),
    list,
    all: (filter) => readPages((page) => list(filter, page)),
    create: async (input) =>
      unwrapResult((await request(CreateRunDocument, { input: withKey(input) })).createRun),
    plan: async (input, estimate = false) =>
      unwrapResult((await request(PlanRunDocument, { input: { ...input, estimate } })).planRun),
    get: async (id) => readDetails(request, id),
    fork: async (runId, given = {}) => {
      const input = withKey({ ...given, runId });
      return unwrapResult((await request(ForkRunDocument, { input })).forkRun);
    },
    planFork: async (runId, given = {}) => {
      const input = { ...given, runId };
      return unwrapResult((await request(PlanForkDocument, { input })).planFork);
    },
    evaluate: async (runId, given = {}) =>
      unwrapResult((await request(EvaluateRunDocument, { input: { ...given, runId } })).evaluateRun),
    async bulk(input) {
      const { results } = unwrapResult((await request(BulkRunsDocument, { input })).bulkRuns);
      return results.map(({ runId, result }): BulkResult => {
        if (!('code' in result)) return { runId, run: withoutTypename(result), refusal: null };
        return { runId, run: null, refusal: { code: result.code, message: result.message } };
      });
    },
    edit: async (runId, edit) =>
      unwrapResult((await request(EditRunDocument, { input: { ...edit, runId } })).editRun),
    async compare(
      ids,
      { metrics, last = 10, by, fromStep, toStep, axis = 'step', points = 0, ledger = false } = {},
    ) {
      const listed = (words: readonly string[] | undefined) => (words === undefined ? null : [...words]);
      const range = { fromStep: fromStep ?? null, toStep: toStep ?? null };
      const variables = {
        ids: [...ids],
        metrics: listed(metrics),
        last,
        by: listed(by),
        ...range,
        axis,
        points,
        ledger,
      };
      return (await request(CompareRunsDocument, variables)).compareRuns;
    },
    testGroups: async (ids, against) =>
      (await request(TestGroupsDocument, { ids: [...ids], against: [...against] })).testGroups,
    async *changes({ runId, project } = {}) {
      const variables = { runId: runId ?? null, project: project ?? null };
      for await (const { runChanged } of subscribe(WatchRunsDocument, variables)) yield runChanged;
    },
  };
}

/** Reads a run with all pages of its jobs and attempts. */
async function readDetails(request: Transport['request'], id: string): Promise<RunDetails> {
  const { run } = await request(ShowRunDocument, { id });
  const [jobs, attempts] = await Promise.all([
    collectPages(async ({ after }) =>
      toPage(after === null ? run.jobs : (await request(ListJobsOfRunDocument, { id, after })).run.jobs),
    ),
    collectPages(async ({ after }) =>
      toPage(
        after === null
          ? run.attempts
          : (await request(ListAttemptsOfRunDocument, { id, after })).run.attempts,
      ),
    ),
  ]);
  return { ...(run as unknown as RunDetails), jobs, attempts };
}

function createComments({
  request,
  subscribe,
}: Transport): Pick<RunsApi, 'comments' | 'comment' | 'editComment' | 'deleteComment' | 'watchComments'> {
  return {
    comments: (id, filter = {}) =>
      collectPages(async (page) =>
        toPage((await request(ListCommentsDocument, { id, filter, ...page })).run.comments),
      ),
    comment: async (runId, comment) => {
      const input = withKey({ ...comment, runId });
      return unwrapResult((await request(AddRunCommentDocument, { input })).addRunComment);
    },
    editComment: async (runId, commentId, text) => {
      const input = { runId, commentId, text };
      return unwrapResult((await request(EditRunCommentDocument, { input })).editRunComment);
    },
    async *watchComments(runId) {
      for await (const { runCommentChanged } of subscribe(WatchCommentsDocument, { runId }))
        yield runCommentChanged;
    },
    deleteComment: async (runId, commentId) => {
      const input = { runId, commentId };
      return unwrapResult((await request(DeleteRunCommentDocument, { input })).deleteRunComment);
    },
  };
}

function createOutcomes(
  request: Transport['request'],
): Pick<RunsApi, 'checkpoints' | 'evaluations' | 'continuation' | 'rescored' | 'eta' | 'twin'> {
  return {
    checkpoints: (id) =>
      collectPages(async (page) =>
        toPage((await request(ListCheckpointsDocument, { id, ...page })).run.checkpoints),
      ),
    continuation: async (jobId) =>
      (await request(ReadContinuationDocument, { jobId })).job?.result?.continued ?? null,
    rescored: async (jobId) => (await request(ReadRescoringDocument, { jobId })).job?.result ?? null,
    evaluations: (id) =>
      collectPages(async (page) =>
        toPage((await request(ListEvaluationsDocument, { id, ...page })).run.evaluations),
      ),
    eta: async (id) => (await request(ReadEtaDocument, { id })).run.eta,
    twin: async (id) => (await request(ReadTwinDocument, { id })).run.twin,
  };
}

function createControls(
  request: Transport['request'],
): Pick<RunsApi, 'pause' | 'resume' | 'cancel' | 'delete'> {
  return {
    pause: async (runId) => unwrapResult((await request(PauseRunDocument, { input: { runId } })).pauseRun),
    resume: async (runId, options) =>
      unwrapResult((await request(ResumeRunDocument, { input: { runId, ...options } })).resumeRun),
    cancel: async (runId, options) =>
      unwrapResult((await request(CancelRunDocument, { input: { runId, ...options } })).cancelRun),
    delete: async (runId) => unwrapResult((await request(DeleteRunDocument, { input: { runId } })).deleteRun),
  };
}
