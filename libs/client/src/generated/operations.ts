/** Internal type. DO NOT USE DIRECTLY. */
type Exact<T extends { [key: string]: unknown }> = { [K in keyof T]: T[K] };
/** Internal type. DO NOT USE DIRECTLY. */
export type Incremental<T> =
  | T
  | { [P in keyof T]?: P extends ' $fragmentName' | '__typename' ? T[P] : never };
import type { TypedDocumentNode as DocumentNode } from '@graphql-typed-document-node/core';
// Made by tools/generate.mjs from src/operations and the schema of the server.
/** An alert to acknowledge. */
export type AcknowledgeAlertInput = {
  /** The alert. */
  readonly alertId: string | number;
};

/** Alerts to acknowledge, all or none. */
export type AcknowledgeAlertsInput = {
  /** The alerts, at most 200. */
  readonly alertIds: ReadonlyArray<string | number>;
};

/** A comment to add to a run. */
export type AddRunCommentInput = {
  /** The alert it is about. */
  readonly alertId?: string | number | null | undefined;
  /** Chosen by the client, new for each new request: the same request sent again with it adds no second comment. */
  readonly idempotencyKey?: string | null | undefined;
  /** The comment that it answers; its place is then that of the comment. */
  readonly parentId?: string | number | null | undefined;
  /** The run. */
  readonly runId: string | number;
  /** The step it is about; default: none. */
  readonly step?: number | null | undefined;
  /** The text. */
  readonly text: string;
  /** The token after the last; with `tokenStart`. */
  readonly tokenEnd?: number | null | undefined;
  /** The first token of the trajectory that it is about. */
  readonly tokenStart?: number | null | undefined;
  /** The trajectory it is about. */
  readonly trajectoryId?: string | number | null | undefined;
  /** The turn of the trajectory, from 0. */
  readonly turn?: number | null | undefined;
};

/** Which trajectories, and how many. */
export type AlertExamplesInput = {
  /** That show this rule; default: the first that fired. */
  readonly rule?: HealthRule | null | undefined;
  /** How many, 1 to 50; default: 10. */
  readonly size?: number;
};

/** Which alerts; all conditions hold at once. */
export type AlertFilter = {
  /** `true`: only those that somebody looks after; `false`: only the others. */
  readonly assigned?: boolean | null | undefined;
  /** Only those that the key of this name looks after. */
  readonly assignee?: string | null | undefined;
  /** Only of this code. */
  readonly code?: string | null | undefined;
  /** `true`: only unacknowledged ones; `false`: only the others. */
  readonly open?: boolean | null | undefined;
  /** Only of this project. */
  readonly project?: string | null | undefined;
  /** Only those at which this rule of the collapse monitor fired. */
  readonly rule?: HealthRule | null | undefined;
  /** Only about this run. */
  readonly runId?: string | number | null | undefined;
  /** Only of this severity. */
  readonly severity?: AlertSeverity | null | undefined;
  /** Only from then on; ISO 8601. */
  readonly since?: string | null | undefined;
  /** Only before then; ISO 8601. */
  readonly until?: string | null | undefined;
};

/** What a user says of an alert. */
export type AlertJudgement =
  /** it was right: what it warns of has happened */
  | 'confirmed'
  /** it was wrong: nothing was the matter */
  | 'false-alarm'
  /** the evidence does not decide it */
  | 'unclear';

/** Order of a list. */
export type AlertOrder = {
  /** In which direction. */
  readonly direction: OrderDirection;
  /** What it is ordered by. */
  readonly field: AlertOrderField;
};

/** What a list can be ordered by. */
export type AlertOrderField =
  /** how severe it is */
  | 'severity'
  /** when it was raised */
  | 'time';

/** How severe an alert is. */
export type AlertSeverity =
  /** went wrong */
  | 'error'
  /** worth knowing */
  | 'info'
  /** may go wrong */
  | 'warning';

/** Order of a list. */
export type ApiKeyOrder = {
  /** In which direction. */
  readonly direction: OrderDirection;
  /** What it is ordered by. */
  readonly field: ApiKeyOrderField;
};

/** What a list can be ordered by. */
export type ApiKeyOrderField =
  /** when it was created */
  | 'createdAt'
  /** when it was last used; keys that were never used count as the newest */
  | 'lastUsedAt'
  /** its name */
  | 'name';

/** Who looks after an alert. */
export type AssignAlertInput = {
  /** The alert. */
  readonly alertId: string | number;
  /** The key that looks after it; null: nobody. */
  readonly keyId?: string | number | null | undefined;
};

/** The state of an attempt. */
export type AttemptState =
  /** given to a worker */
  | 'assigned'
  /** its process ended */
  | 'ended'
  /** its worker went silent */
  | 'lost'
  /** its process runs */
  | 'running';

/** What to do to several runs. */
export type BulkAction =
  /** End them for good; they save first, unless `now` is set. */
  | 'cancel'
  /** Delete those that are stopped, with all their data. */
  | 'delete'
  /** Let them save and stop. */
  | 'pause'
  /** Requeue those that are stopped. */
  | 'resume'
  /** Add and remove tags. */
  | 'tag';

/** One action on several runs. */
export type BulkRunsInput = {
  /** Resume with the plugins installed now, even if it was created with others. */
  readonly acceptPlugins?: boolean;
  /** What to do to each of them. */
  readonly action: BulkAction;
  /** To tag: tags to add. */
  readonly addTags?: ReadonlyArray<string>;
  /** End its process at once; without, it saves first. */
  readonly now?: boolean;
  /** To tag: tags to remove. */
  readonly removeTags?: ReadonlyArray<string>;
  /** The runs, at most 100. */
  readonly runIds: ReadonlyArray<string | number>;
};

/** A run to cancel. */
export type CancelRunInput = {
  /** End its process at once; without, it saves first. */
  readonly now?: boolean;
  /** The run. */
  readonly runId: string | number;
};

/** A set to close. */
export type CloseRatingSetInput = {
  /** The rating set. */
  readonly setId: string | number;
};

/** A key to create. */
export type CreateKeyInput = {
  /** Jobs of this key that may run at once; absent: no limit. */
  readonly maxRunning?: number | null | undefined;
  /** Who or what will use it. */
  readonly name: string;
  /** Projects it may see; `*` stands for all; admin and worker keys see all. */
  readonly projects?: ReadonlyArray<string>;
  /** What it may do. */
  readonly role: Role;
};

/** A set to make. */
export type CreateRatingSetInput = {
  /** Criteria of your own, instead of `rubric`. */
  readonly criteria?: ReadonlyArray<RatingCriterionInput> | null | undefined;
  /** What raters are asked; may be empty. */
  readonly instructions?: string;
  /** Pairwise or rubric. */
  readonly kind: RatingKind;
  /** Its name; default: what is rated. */
  readonly name?: string;
  /** What makes a pair; default: same-state. */
  readonly pairing?: RatingPairing;
  /** A rubric that comes with the server; default: reasoning-quality. */
  readonly rubric?: string | null | undefined;
  /** Which ones are drawn: the same seed draws the same; default: 0. */
  readonly seed?: number;
  /** Pairs, or trajectories of each source; default: 20. */
  readonly size?: number;
  /** Where trajectories come from: two for pairs, one or two for a rubric. */
  readonly sources: ReadonlyArray<RatingSourceInput>;
};

/** A run to create: give `source` or `spec`. */
export type CreateRunInput = {
  /** What it belongs to, such as a sweep; empty: nothing. */
  readonly group?: string;
  /** Chosen by the client, new for each new request: the same request sent again with it is answered with the same run. */
  readonly idempotencyKey?: string | null | undefined;
  /** Its name; default: that of the spec, or for a fork that of its parent with the step. */
  readonly name?: string | null | undefined;
  /** Devices it needs; default: one GPU or CPU device, see `kind`. */
  readonly needs?: NeedsInput | null | undefined;
  /** Free text. */
  readonly note?: string;
  /** Changes on top of the spec, `path=value` each, such as `rollout.promptsPerStep=4`. */
  readonly overrides?: ReadonlyArray<string>;
  /** −100 to 100; higher is scheduled first. */
  readonly priority?: number;
  /** Project it belongs to: lower-case letters, digits, dashes; default: the first of the key, or `default`. */
  readonly project?: string | null | undefined;
  /** The spec as YAML text. */
  readonly source?: string | null | undefined;
  /** The spec as JSON; instead of `source`. */
  readonly spec?: unknown;
  /** Labels to find it by. */
  readonly tags?: ReadonlyArray<string>;
};

/** What a ticket is for. */
export type CreateTicketInput = {
  /** For a download: `/api/v1/runs/<id>/artifacts/<path>`, `/api/v1/runs/<id>/export/<file>` or `/api/v1/rating-sets/<id>/export`. */
  readonly path?: string | null | undefined;
  /** What it may be used for. */
  readonly purpose: TicketPurpose;
};

/** What curves of groups of runs are along. */
export type CurveAxis =
  /** wall-clock seconds since the first row of the run */
  | 'seconds'
  /** completed iterations */
  | 'step'
  /** tokens sampled in training since the start of the run (`total/sampled_tokens`) */
  | 'tokens';

/** A set to delete. */
export type DeleteRatingSetInput = {
  /** The rating set. */
  readonly setId: string | number;
};

/** A comment to delete. */
export type DeleteRunCommentInput = {
  /** The comment. */
  readonly commentId: string | number;
  /** The run. */
  readonly runId: string | number;
};

/** A run to delete. */
export type DeleteRunInput = {
  /** The run. */
  readonly runId: string | number;
};

/** The kind of a device. */
export type DeviceKind =
  /** processor threads */
  | 'cpu'
  /** a graphics processor */
  | 'gpu';

/** A worker to drain. */
export type DrainWorkerInput = {
  /** Its jobs save and stop, and continue on other workers; those that run after so many seconds are killed and continue from their newest checkpoint; absent: they continue there. */
  readonly deadlineSeconds?: number | null | undefined;
  /** The worker. */
  readonly workerId: string | number;
};

/** A new text for a comment. */
export type EditRunCommentInput = {
  /** The comment. */
  readonly commentId: string | number;
  /** The run. */
  readonly runId: string | number;
  /** The text. */
  readonly text: string;
};

/** Annotations and priority of a run; fields that are not given stay as they are. */
export type EditRunInput = {
  /** What it belongs to, such as a sweep; empty: nothing. */
  readonly group?: string | null | undefined;
  /** Free text. */
  readonly note?: string | null | undefined;
  /** −100 to 100; higher is scheduled first. */
  readonly priority?: number | null | undefined;
  /** The run. */
  readonly runId: string | number;
  /** All its tags from now on. */
  readonly tags?: ReadonlyArray<string> | null | undefined;
  /** Its title; empty: lists show its name. */
  readonly title?: string | null | undefined;
};

/** A chat to end. */
export type EndChatInput = {
  /** The job of the chat. */
  readonly jobId: string | number;
  /** The run. */
  readonly runId: string | number;
};

/** Where an energy is from. */
export type EnergySource =
  /** time and watts */
  | 'estimated'
  /** counters of the machine */
  | 'measured'
  /** counters in some attempts, steps or devices, an estimate in others */
  | 'partly measured';

/** A checkpoint to evaluate, or stored trajectories to score again. */
export type EvaluateRunInput = {
  /** Initial states to play, at most 20000; with 20000, a rate is accurate to 0.7 points; default: 128, or 32 continuations of each turn of a trajectory. */
  readonly episodes?: number | null | undefined;
  /** −100 to 100; higher is scheduled first. */
  readonly priority?: number;
  /** Score stored trajectories of the run again, by other rewards or by the checkpoint, instead of playing. */
  readonly rescore?: RescoringInput | null | undefined;
  /** The run. */
  readonly runId: string | number;
  /** Which states; default: `test`. */
  readonly split?: Split | null | undefined;
  /** Step of the checkpoint; default: the newest. */
  readonly step?: number | null | undefined;
  /** Continue this trajectory of the run from its turns, instead of playing initial states. */
  readonly trajectory?: string | null | undefined;
  /** Turns to continue the trajectory from, from 0, at most 200; default: all. */
  readonly turns?: ReadonlyArray<number> | null | undefined;
};

/** Which of them show an alert. */
export type ExampleOrder =
  /** those with the least of it */
  | 'least'
  /** those with the most of it */
  | 'most';

/** What trajectories that show an alert are chosen by. */
export type ExampleQuantity =
  /** clipped tokens / loss tokens at the last optimizer pass */
  | 'clipped'
  /** different pairs of words / all pairs of words, over its replies */
  | 'distinct-2'
  /** mean entropy of the sampling distributions over its sampled tokens */
  | 'entropy'
  /** standard deviation (n − 1) of the rewards in its group */
  | 'group-deviation'
  /** its turns whose reply lacks the required format / its turns */
  | 'invalid-format'
  /** think tokens; mean over its turns */
  | 'reasoning'
  /** its reward */
  | 'reward'
  /** mean over the pairs of words of its replies: the share of the others that have the pair too */
  | 'shared-phrases'
  /** mean over the pairs of words of its reasoning: the share of the others that have the pair too */
  | 'shared-reasoning'
  /** its share of the update of its step */
  | 'update-share';

/** How the process of an attempt ended. */
export type ExitVerdict =
  /** ended by a signal or without a word */
  | 'crashed'
  /** the work itself failed, in a way it explains */
  | 'failed'
  /** the work is done */
  | 'finished'
  /** bad input, or a key that is not accepted, which every try would meet; never tried again */
  | 'refused'
  /** saved and stopped before its end, on request or because the disk was full; can be resumed */
  | 'stopped';

/** What went wrong in an episode. */
export type FailureLabel =
  /** the turns, the actions or the context are used up without success */
  | 'budget-exhausted'
  /** two to four states are visited twice in the same order */
  | 'cycle'
  /** success can no longer be reached */
  | 'dead-end'
  /** a reply lacks the required format or names no available action */
  | 'format-failure'
  /** an action is not legal in its state */
  | 'invalid-action'
  /** the way to success gets longer by what the agent does, or it ends the task without success */
  | 'misplanning'
  /** the same action is taken twice in a row without effect */
  | 'no-op-loop'
  /** the agent ends the task without success, with turns and actions left */
  | 'premature-stop'
  /** the reasoning names actions, and none of them is taken */
  | 'reasoning-action-mismatch'
  /** chance changes what an action does, and the way to success gets longer or the task ends */
  | 'unlucky-slip';

/** A set that you have rated. */
export type FinishRatingInput = {
  /** The rating set. */
  readonly setId: string | number;
};

/** A run to follow, and from where on. */
export type FollowedRun = {
  /** Your last cursor; 0: from the beginning; the `head` of the run: only new records. */
  readonly after?: number;
  /** The run. */
  readonly runId: string | number;
};

/** A worker to forget. */
export type ForgetWorkerInput = {
  /** The worker. */
  readonly workerId: string | number;
};

/** A run to create from a checkpoint of another. */
export type ForkRunInput = {
  /** Its folder among the artifacts; instead of `step`. */
  readonly checkpoint?: string | null | undefined;
  /** Go on with everything the checkpoint holds (moments, critic, counters, curricula, monitor) instead of the weights only. */
  readonly continue?: boolean;
  /** What it belongs to, such as a sweep; empty: nothing. */
  readonly group?: string;
  /** Chosen by the client, new for each new request: the same request sent again with it is answered with the same run. */
  readonly idempotencyKey?: string | null | undefined;
  /** Its name; default: that of the spec, or for a fork that of its parent with the step. */
  readonly name?: string | null | undefined;
  /** Devices it needs; default: those of its parent. */
  readonly needs?: NeedsInput | null | undefined;
  /** Free text. */
  readonly note?: string;
  /** Changes on top of the spec, `path=value` each, such as `rollout.promptsPerStep=4`. */
  readonly overrides?: ReadonlyArray<string>;
  /** −100 to 100; higher is scheduled first. */
  readonly priority?: number;
  /** The run. */
  readonly runId: string | number;
  /** Step of the checkpoint to start from; default: the newest. */
  readonly step?: number | null | undefined;
  /** Labels to find it by. */
  readonly tags?: ReadonlyArray<string>;
  /** With `continue`: queue the unchanged fork as well, which has to repeat its parent bit for bit (see `twin` of a run). */
  readonly twin?: boolean;
};

/** How far a rule of the collapse monitor went. */
export type HealthLevel =
  /** beyond its limit of a collapse */
  | 'collapsed'
  /** beyond its limit of a warning */
  | 'warning';

/** A rule of the collapse monitor. */
export type HealthRule =
  /** for ten checks in a row the deviation of rewards is below a tenth of what it was at the start, and success has not risen */
  | 'deviation-lost'
  /** the policy is sure of itself, and success has not risen */
  | 'entropy-fall'
  /** the policy forgets what it could, and success has not risen */
  | 'entropy-rise'
  /** there are few different phrases, and success has not risen */
  | 'few-phrases'
  /** there is next to no gradient, and success has not risen */
  | 'gradient-lost'
  /** a gradient is far above those before it */
  | 'gradient-spike'
  /** replies lose the required format */
  | 'invalid-format'
  /** the reasoning grows, and success has not risen */
  | 'long-reasoning'
  /** different prompts get the same text, and success has not risen */
  | 'one-answer-for-all'
  /** on fixed prompts the policy is far from its start, and success has not risen */
  | 'policy-drift'
  /** the members of a group earn the same, and success has not risen */
  | 'reward-deviation'
  /** the reasoning shrinks, and success has not risen */
  | 'short-reasoning'
  /** success and the deviation within groups go on falling below their start */
  | 'success-decline'
  /** success has fallen below 60 % of its best */
  | 'success-drop'
  /** the reasoning fits any prompt of the batch, and success has not risen */
  | 'template-collapse'
  /** one update moves the policy far from the one that sampled */
  | 'update-drift'
  /** five validations in a row are below 1 % */
  | 'validation-lost';

/** The health of a run, as its collapse monitor sees it. */
export type HealthState =
  /** a rule says that the run has collapsed */
  | 'collapsed'
  /** no rule has fired for a while */
  | 'healthy'
  /** a rule fires */
  | 'warning';

/** Where a plugin runs. */
export type Isolation =
  /** in the training process */
  | 'none'
  /** in a process of its own */
  | 'process';

/** What a job does. */
export type JobKind =
  /** lets a checkpoint of the run reply to people */
  | 'chat'
  /** evaluates a checkpoint of the run */
  | 'evaluate'
  /** trains the run */
  | 'train';

/** The state of a job. A run has the state of its training job. */
export type JobState =
  /** has devices; its process is about to start */
  | 'assigned'
  /** ended on request */
  | 'cancelled'
  /** is stopping for good on request */
  | 'cancelling'
  /** failed with an error that a retry would repeat, or too often in a row; can be resumed */
  | 'failed'
  /** completed successfully */
  | 'finished'
  /** was created elsewhere; its history and files are being uploaded */
  | 'importing'
  /** stopped on request; can be resumed */
  | 'paused'
  /** is saving and stopping on request */
  | 'pausing'
  /** waits for devices */
  | 'queued'
  /** its process is running */
  | 'running';

/** What you say of an alert, in place of what you said before. */
export type JudgeAlertInput = {
  /** The alert. */
  readonly alertId: string | number;
  /** Confirmed, false-alarm or unclear. */
  readonly judgement: AlertJudgement;
  /** Why; default: none given. */
  readonly reason?: string;
};

/** Where a launched worker is. */
export type LaunchState =
  /** is idle, or was drained, and gets no new jobs */
  | 'draining'
  /** is over */
  | 'ended'
  /** has connected */
  | 'online'
  /** waits in the cluster */
  | 'pending'
  /** runs, and has not connected yet */
  | 'running'
  /** is being handed to the cluster or host */
  | 'starting'
  /** was told to stop, or is withdrawn */
  | 'stopping';

/** Where the workers of a launcher run. */
export type LauncherDriver =
  /** Jobs of a Kubernetes cluster. */
  | 'kubernetes'
  /** Processes on the machine of the server. */
  | 'local'
  /** Jobs of a Slurm cluster. */
  | 'slurm'
  /** Processes on other machines. */
  | 'ssh';

/** On which side of its limit a rule fires. */
export type LimitSide =
  /** a value above the limit fires */
  | 'above'
  /** a value below the limit fires */
  | 'below';

/** Which lines; all conditions hold at once. */
export type LogFilter = {
  /** That this attempt printed. */
  readonly attempt?: number | null | undefined;
  /** That contain this text, as it stands: upper and lower case differ. */
  readonly text?: string | null | undefined;
};

/** Order of a list. */
export type LogLineOrder = {
  /** In which direction. */
  readonly direction: OrderDirection;
  /** What it is ordered by. */
  readonly field: LogLineOrderField;
};

/** What a list can be ordered by. */
export type LogLineOrderField =
  /** when it was printed */
  'time';

/** What the distance of two values means. */
export type MeasurementLevel =
  /** by their difference */
  | 'interval'
  /** equal or not */
  | 'nominal'
  /** by ranks */
  | 'ordinal';

/** What a collapse monitor does when the health of its run gets worse. */
export type MonitorAction =
  /** only says so */
  | 'alert'
  /** saves and ends the run, which can be resumed */
  | 'pause'
  /** returns to the last healthy checkpoint and may change settings */
  | 'rollBack'
  /** saves and ends the run */
  | 'stop';

/** The devices that a run needs. */
export type NeedsInput = {
  /** Devices of that kind, all on one worker. */
  readonly count?: number;
  /** Kind of device; default: `gpu` where device.provider is cuda, else `cpu`. */
  readonly kind?: DeviceKind | null | undefined;
  /** Labels the worker must have. */
  readonly labels?: ReadonlyArray<string>;
  /** Free memory per device, MiB; for a CPU device, its share of the machine’s memory; 0: any. */
  readonly memoryMb?: number;
};

/** Direction of an order. */
export type OrderDirection =
  /** ascending */
  | 'asc'
  /** descending */
  | 'desc';

/** A run to pause. */
export type PauseRunInput = {
  /** The run. */
  readonly runId: string | number;
};

/** What a run does at the moment. */
export type Phase =
  /** plays the episodes of a step */
  | 'collect'
  /** estimates the advantages of their tokens */
  | 'credit'
  /** writes a checkpoint */
  | 'save'
  /** computes gradients and updates the models */
  | 'update'
  /** plays the states of validation */
  | 'validate';

/** A fork to plan. */
export type PlanForkInput = {
  /** Its folder among the artifacts; instead of `step`. */
  readonly checkpoint?: string | null | undefined;
  /** Go on with everything the checkpoint holds (moments, critic, counters, curricula, monitor) instead of the weights only. */
  readonly continue?: boolean;
  /** Estimate tokens, memory and time, too, which takes seconds. */
  readonly estimate?: boolean;
  /** What it belongs to, such as a sweep; empty: nothing. */
  readonly group?: string;
  /** Its name; default: that of the spec, or for a fork that of its parent with the step. */
  readonly name?: string | null | undefined;
  /** Devices it needs; default: those of its parent. */
  readonly needs?: NeedsInput | null | undefined;
  /** Free text. */
  readonly note?: string;
  /** Changes on top of the spec, `path=value` each, such as `rollout.promptsPerStep=4`. */
  readonly overrides?: ReadonlyArray<string>;
  /** −100 to 100; higher is scheduled first. */
  readonly priority?: number;
  /** The run. */
  readonly runId: string | number;
  /** Step of the checkpoint to start from; default: the newest. */
  readonly step?: number | null | undefined;
  /** Labels to find it by. */
  readonly tags?: ReadonlyArray<string>;
};

/** A run to plan: give `source` or `spec`. */
export type PlanRunInput = {
  /** Estimate tokens, memory and time, too, which takes seconds. */
  readonly estimate?: boolean;
  /** What it belongs to, such as a sweep; empty: nothing. */
  readonly group?: string;
  /** Its name; default: that of the spec, or for a fork that of its parent with the step. */
  readonly name?: string | null | undefined;
  /** Devices it needs; default: one GPU or CPU device, see `kind`. */
  readonly needs?: NeedsInput | null | undefined;
  /** Free text. */
  readonly note?: string;
  /** Changes on top of the spec, `path=value` each, such as `rollout.promptsPerStep=4`. */
  readonly overrides?: ReadonlyArray<string>;
  /** −100 to 100; higher is scheduled first. */
  readonly priority?: number;
  /** Project it belongs to: lower-case letters, digits, dashes; default: the first of the key, or `default`. */
  readonly project?: string | null | undefined;
  /** The spec as YAML text. */
  readonly source?: string | null | undefined;
  /** The spec as JSON; instead of `source`. */
  readonly spec?: unknown;
  /** Labels to find it by. */
  readonly tags?: ReadonlyArray<string>;
};

/** Whether a plugin can be used. */
export type PluginHealth =
  /** it could not be loaded */
  | 'broken'
  /** it can be used */
  | 'ok';

/** The kind of a plugin. */
export type PluginKind =
  /** how the policy learns */
  | 'algorithm'
  /** what the agent acts in */
  | 'environment'
  /** a family of models */
  | 'model'
  /** scores trajectories */
  | 'reward';

/** Where a plugin comes from. */
export type PluginSource =
  /** a folder under plugins/ */
  | 'folder'
  /** a package named in config/plugins.yaml */
  | 'package';

/** What you say of an item. */
export type RateItemInput = {
  /** Of a pair: which is better, by the sides as they were shown. */
  readonly choice?: ShownChoice | null | undefined;
  /** Position of the item. */
  readonly position: number;
  /** Why; may be empty. */
  readonly reason?: string;
  /** Of a rubric: a value for each criterion. */
  readonly scores?: ReadonlyArray<RatingScoreInput> | null | undefined;
  /** The rating set. */
  readonly setId: string | number;
};

/** Which of a pair is better. */
export type RatingChoice =
  /** the one of source a is better */
  | 'a'
  /** the one of source b is better */
  | 'b'
  /** neither is better */
  | 'tie';

/** A criterion of your own. */
export type RatingCriterionInput = {
  /** What the highest value means. */
  readonly high?: string;
  /** What the lowest value means. */
  readonly low?: string;
  /** Its name in results and exports. */
  readonly name: string;
  /** What raters are asked. */
  readonly question: string;
  /** Yes-no or one-to-five. */
  readonly scale: RatingScale;
};

/** How a set is rated. */
export type RatingKind =
  /** which of two is better, sides shuffled */
  | 'pairwise'
  /** each by the criteria of a rubric */
  | 'rubric';

/** What makes a pair. */
export type RatingPairing =
  /** any two trajectories */
  | 'any'
  /** both sides began in the same state */
  | 'same-state';

/** The values of a criterion. */
export type RatingScale =
  /** 1 to 5; agreement is ordinal */
  | 'one-to-five'
  /** 0 no, 1 yes; agreement is nominal */
  | 'yes-no';

/** A value of a criterion. */
export type RatingScoreInput = {
  /** Its name. */
  readonly criterion: string;
  /** 0 or 1, or 1 to 5. */
  readonly value: number;
};

/** Which sets; all conditions hold at once. */
export type RatingSetFilter = {
  /** `true`: only those that are not closed; `false`: only the others. */
  readonly open?: boolean | null | undefined;
  /** Only of this project. */
  readonly project?: string | null | undefined;
};

/** Where trajectories come from. */
export type RatingSourceInput = {
  /** First step; default: 0. */
  readonly fromStep?: number;
  /** The run. */
  readonly runId: string | number;
  /** Only of this split; default: of all. */
  readonly split?: Split | null | undefined;
  /** Last step; default: the newest. */
  readonly toStep?: number | null | undefined;
};

/** What scores stored trajectories again: other rewards, the checkpoint, or both. */
export type RescoringInput = {
  /** Let the checkpoint give every sampled token its log-probability and entropy. */
  readonly logprobs?: boolean;
  /** Rewards instead of those of the run, each as in a spec: {use: length, weight: 0.5}. */
  readonly rewards?: ReadonlyArray<unknown>;
  /** Steps whose trajectories are scored, at most 2000, with `logprobs` 200; default: all that are stored. */
  readonly steps?: ReadonlyArray<number> | null | undefined;
  /** Id of the only trajectory whose tokens the checkpoint scores, one by one: at most 20000 sampled ones; needs `logprobs`. */
  readonly trajectory?: string | null | undefined;
};

/** A run to resume. */
export type ResumeRunInput = {
  /** Resume with the plugins installed now, even if it was created with others. */
  readonly acceptPlugins?: boolean;
  /** The run. */
  readonly runId: string | number;
};

/** A key to revoke. */
export type RevokeKeyInput = {
  /** The key. */
  readonly keyId: string | number;
};

/** What a key may do. */
export type Role =
  /** all of it in all projects, and keys, plugins and the audit log */
  | 'admin'
  /** start, steer and delete runs of its projects */
  | 'operator'
  /** read everything in its projects */
  | 'viewer'
  /** connect as a worker and send what its attempts say; nothing else */
  | 'worker';

/** Which comments; all conditions hold at once. */
export type RunCommentFilter = {
  /** About this alert. */
  readonly alertId?: string | number | null | undefined;
  /** About this step. */
  readonly step?: number | null | undefined;
  /** About this trajectory. */
  readonly trajectoryId?: string | number | null | undefined;
};

/** Which records; all conditions hold at once. */
export type RunEventFilter = {
  /** Of this step or a later one. */
  readonly fromStep?: number | null | undefined;
  /** Of these kinds; default, or none: all but trajectories and lines of the log. */
  readonly kinds?: ReadonlyArray<RunEventKind> | null | undefined;
  /** Of this step or an earlier one. */
  readonly toStep?: number | null | undefined;
};

/** The kind of a record in the history of a run. */
export type RunEventKind =
  /** a file was stored */
  | 'artifact'
  /** a checkpoint was saved */
  | 'checkpoint'
  /** an evaluation has its result */
  | 'evaluated'
  /** a curriculum was promoted or demoted */
  | 'level'
  /** its process printed a line */
  | 'log'
  /** the collapse monitor changed the health of the run */
  | 'monitor'
  /** its title, tags or note changed */
  | 'note'
  /** the process of an attempt ended */
  | 'process-ended'
  /** the process of an attempt started */
  | 'process-started'
  /** training ended */
  | 'run-ended'
  /** training began or resumed */
  | 'run-started'
  /** its state, or that of an evaluation, changed */
  | 'state'
  /** a trajectory was sampled */
  | 'trajectory'
  /** something may go wrong */
  | 'warning';

/** Order of a list. */
export type RunEventOrder = {
  /** In which direction. */
  readonly direction: OrderDirection;
  /** What it is ordered by. */
  readonly field: RunEventOrderField;
};

/** What a list can be ordered by. */
export type RunEventOrderField =
  /** its place in the history of the run */
  'cursor';

/** Which runs; all conditions hold at once. */
export type RunFilter = {
  /** Created earlier; 2026-11-21T13:46:35Z. */
  readonly createdBefore?: string | null | undefined;
  /** Created then or later; 2026-11-21T13:46:35Z. */
  readonly createdFrom?: string | null | undefined;
  /** Of this group; empty: of none. */
  readonly group?: string | null | undefined;
  /** One of these, as far as they are there. */
  readonly ids?: ReadonlyArray<string | number> | null | undefined;
  /** Forked from this run. */
  readonly parentRunId?: string | number | null | undefined;
  /** Only of this project. */
  readonly project?: string | null | undefined;
  /** In any of these states. */
  readonly states?: ReadonlyArray<JobState> | null | undefined;
  /** Has this tag. */
  readonly tag?: string | null | undefined;
  /** Words in name, title, tags, group, note and the plugins of its spec. */
  readonly text?: string | null | undefined;
};

/** Order of a list. */
export type RunOrder = {
  /** In which direction. */
  readonly direction: OrderDirection;
  /** What it is ordered by. */
  readonly field: RunOrderField;
};

/** What a list can be ordered by. */
export type RunOrderField =
  /** when it was created */
  | 'createdAt'
  /** when it stopped; runs that have not stopped count as the newest */
  | 'endedAt'
  /** its name */
  | 'name'
  /** when its first attempt started; runs that have not started count as the newest */
  | 'startedAt';

/** How training ended. */
export type RunOutcome =
  /** early, because its collapse monitor stopped it */
  | 'collapsed'
  /** with an error */
  | 'failed'
  /** it did all its steps */
  | 'finished'
  /** it was stopped */
  | 'interrupted'
  /** early, because no group gave a learning signal */
  | 'no-signal'
  /** early, because its collapse monitor paused it; it can be resumed */
  | 'paused';

/** A part of an iteration, by what the run does there. */
export type RunPhase =
  /** plays episodes */
  | 'collect'
  /** computes rewards, advantages and log-probabilities */
  | 'credit'
  /** looks for collapse */
  | 'monitor'
  /** writes what happened */
  | 'report'
  /** writes a checkpoint */
  | 'save'
  /** chooses the groups that are learned from */
  | 'select'
  /** makes optimizer steps */
  | 'update'
  /** plays validation episodes */
  | 'validate';

/** Why sampling of a turn stopped. */
export type SampleStop =
  /** the context length was reached */
  | 'context'
  /** the longest response was reached */
  | 'length'
  /** a stop sequence or the end-of-turn token was sampled */
  | 'stop';

/** A view of the page, and why. */
export type ShowViewInput = {
  /** Why; the pages show it above the view. */
  readonly note?: string | null | undefined;
  /** The view, as the address of the page has it: path and search parameters. */
  readonly path: string;
};

/** Which is better, by the sides as shown. */
export type ShownChoice =
  /** the left one is better */
  | 'left'
  /** the right one is better */
  | 'right'
  /** neither is better */
  | 'tie';

/** The kind of a range of tokens. */
export type SpanKind =
  /** sampled answer */
  | 'answer'
  /** sampled end of turn */
  | 'control'
  /** from the environment */
  | 'observation'
  /** markup, written by the prompt format */
  | 'template'
  /** sampled reasoning */
  | 'think';

/** Which initial states a trajectory is sampled from. */
export type Split =
  /** those kept for evaluations */
  | 'test'
  /** those of training */
  | 'train'
  /** those of validation during training */
  | 'validation';

/** A checkpoint to chat with. */
export type StartChatInput = {
  /** The model is unloaded, and its devices are free, when nobody has asked for so long. */
  readonly idleSeconds?: number;
  /** Higher is scheduled first. */
  readonly priority?: number;
  /** The run. */
  readonly runId: string | number;
  /** Step of the checkpoint; default: the newest. */
  readonly step?: number | null | undefined;
};

/** A launched worker to stop. */
export type StopLaunchedWorkerInput = {
  /** The launched worker, by its name. */
  readonly name: string | number;
};

/** Why a trajectory ended. */
export type StopReason =
  /** the episode reached its maximum number of actions */
  | 'actions'
  /** the run stopped during the episode; never enters a batch */
  | 'cancelled'
  /** the next turn would exceed the context length */
  | 'context'
  /** the environment, a reward or the engine failed; never enters a batch */
  | 'error'
  /** the environment ended without success */
  | 'failure'
  /** the environment ended and reports success */
  | 'success'
  /** a call exceeded its time limit; never enters a batch */
  | 'timeout'
  /** the episode reached its maximum number of turns */
  | 'turns';

/** How two groups of runs were tested. */
export type TestMethod =
  /** McNemar's test, exact: every state was won or lost */
  | 'mcnemar-exact'
  /** Fisher's randomization test, 10,000 changes of signs */
  | 'sign-flip-drawn'
  /** Fisher's randomization test, all changes of signs */
  | 'sign-flip-exact';

/** What a ticket may be used for. */
export type TicketPurpose =
  /** Read one file: the artifact or export of `path`. */
  | 'download'
  /** Open a GraphQL WebSocket. */
  | 'graphql'
  /** Open a socket.io connection to /stream. */
  | 'stream';

/** Which trajectories; all conditions hold at once. */
export type TrajectoryFilter = {
  /** `true`: some of its loss tokens were clipped at the last optimizer pass, `false`: none. */
  readonly clipped?: boolean | null | undefined;
  /** Of a group that was dropped for this reason. */
  readonly dropReason?: string | null | undefined;
  /** Played in this environment. */
  readonly environment?: string | null | undefined;
  /** Of this environment of a run in several, by its tag. */
  readonly environmentTag?: string | null | undefined;
  /** First step; training begins with 1, validation of the start is 0. */
  readonly fromStep?: number | null | undefined;
  /** Of this group. */
  readonly group?: number | null | undefined;
  /** `true`: only those in which something failed, `false`: only the others. */
  readonly hasError?: boolean | null | undefined;
  /** Entered the batch, or not. */
  readonly kept?: boolean | null | undefined;
  /** Has this failure label. */
  readonly label?: FailureLabel | null | undefined;
  /** `true`: the loss mask leaves out some of its sampled tokens, `false`: none. */
  readonly masked?: boolean | null | undefined;
  /** Reward at most this. */
  readonly maxReward?: number | null | undefined;
  /** Tokens in all at most this. */
  readonly maxTokens?: number | null | undefined;
  /** Turns at most this. */
  readonly maxTurns?: number | null | undefined;
  /** Reward at least this. */
  readonly minReward?: number | null | undefined;
  /** Tokens in all at least this. */
  readonly minTokens?: number | null | undefined;
  /** Turns at least this. */
  readonly minTurns?: number | null | undefined;
  /** What became of it in the update of its step. */
  readonly outcome?: UpdateOutcome | null | undefined;
  /** `train`, `validation` or `test`. */
  readonly split?: Split | null | undefined;
  /** Sampled from the initial state of this seed. */
  readonly stateSeed?: number | null | undefined;
  /** Why it ended. */
  readonly stopReason?: StopReason | null | undefined;
  /** `true`: only successes, `false`: only the others. */
  readonly success?: boolean | null | undefined;
  /** `true`: also those whose step a later attempt repeated. */
  readonly superseded?: boolean | null | undefined;
  /** Words that all occur, in any order; "several words" in this order; a minus excludes; text without letters and digits is matched literally. */
  readonly text?: string | null | undefined;
  /** Last step. */
  readonly toStep?: number | null | undefined;
};

/** Order of a list. */
export type TrajectoryOrder = {
  /** In which direction. */
  readonly direction: OrderDirection;
  /** What it is ordered by. */
  readonly field: TrajectoryOrderField;
};

/** What a list can be ordered by. */
export type TrajectoryOrderField =
  /** its reward; those without one are left out */
  | 'reward'
  /** the step it was sampled for */
  | 'step'
  /** when the server stored it */
  | 'stored';

/** Which trajectories, and how many. */
export type TrajectorySampleInput = {
  /** First step; default: 0. */
  readonly fromStep?: number;
  /** Which ones are drawn: the same seed draws the same; default: 0. */
  readonly seed?: number;
  /** How many, 1 to 100; default: 6. */
  readonly size?: number;
  /** Only of this split; default: of all. */
  readonly split?: Split | null | undefined;
  /** Last step; default: the newest. */
  readonly toStep?: number | null | undefined;
};

/** Which trajectories of which runs; all conditions hold at once. */
export type TrajectorySearch = {
  /** `true`: some of its loss tokens were clipped at the last optimizer pass, `false`: none. */
  readonly clipped?: boolean | null | undefined;
  /** Of a group that was dropped for this reason. */
  readonly dropReason?: string | null | undefined;
  /** Played in this environment. */
  readonly environment?: string | null | undefined;
  /** Of this environment of a run in several, by its tag. */
  readonly environmentTag?: string | null | undefined;
  /** First step; training begins with 1, validation of the start is 0. */
  readonly fromStep?: number | null | undefined;
  /** Of this group. */
  readonly group?: number | null | undefined;
  /** `true`: only those in which something failed, `false`: only the others. */
  readonly hasError?: boolean | null | undefined;
  /** Entered the batch, or not. */
  readonly kept?: boolean | null | undefined;
  /** Has this failure label. */
  readonly label?: FailureLabel | null | undefined;
  /** `true`: the loss mask leaves out some of its sampled tokens, `false`: none. */
  readonly masked?: boolean | null | undefined;
  /** Reward at most this. */
  readonly maxReward?: number | null | undefined;
  /** Tokens in all at most this. */
  readonly maxTokens?: number | null | undefined;
  /** Turns at most this. */
  readonly maxTurns?: number | null | undefined;
  /** Reward at least this. */
  readonly minReward?: number | null | undefined;
  /** Tokens in all at least this. */
  readonly minTokens?: number | null | undefined;
  /** Turns at least this. */
  readonly minTurns?: number | null | undefined;
  /** What became of it in the update of its step. */
  readonly outcome?: UpdateOutcome | null | undefined;
  /** Of runs of this project. */
  readonly project?: string | null | undefined;
  /** Of these runs, at most 100. */
  readonly runIds?: ReadonlyArray<string | number> | null | undefined;
  /** `train`, `validation` or `test`. */
  readonly split?: Split | null | undefined;
  /** Sampled from the initial state of this seed. */
  readonly stateSeed?: number | null | undefined;
  /** Why it ended. */
  readonly stopReason?: StopReason | null | undefined;
  /** `true`: only successes, `false`: only the others. */
  readonly success?: boolean | null | undefined;
  /** `true`: also those whose step a later attempt repeated. */
  readonly superseded?: boolean | null | undefined;
  /** Of runs with this tag. */
  readonly tag?: string | null | undefined;
  /** Words that all occur, in any order; "several words" in this order; a minus excludes; text without letters and digits is matched literally. */
  readonly text?: string | null | undefined;
  /** Last step. */
  readonly toStep?: number | null | undefined;
};

/** What a turn in flight is at. */
export type TurnPhase =
  /** the environment acts */
  | 'acting'
  /** it is over */
  | 'over'
  /** the model writes */
  | 'sampling';

/** Whether an unchanged fork that continues repeats its parent. */
export type TwinState =
  /** everything that both have is equal, bit for bit */
  | 'agrees'
  /** something differs */
  | 'differs'
  /** there is no step yet that both have */
  | 'waiting';

/** An item that you rated. */
export type UndoRatingInput = {
  /** Position of the item. */
  readonly position: number;
  /** The rating set. */
  readonly setId: string | number;
};

/** A worker to undrain. */
export type UndrainWorkerInput = {
  /** The worker. */
  readonly workerId: string | number;
};

/** What became of a trajectory in the update of its step. */
export type UpdateOutcome =
  /** its group was kept, but only the critic learned (`update.criticWarmup`) */
  | 'critic-only'
  /** its group was dropped before the update */
  | 'dropped'
  /** the environment, a reward or the engine failed during the episode */
  | 'failed'
  /** sampled greedily as what its group is compared with; never trained on */
  | 'greedy-baseline'
  /** its group was kept, but the loss mask covers none of its tokens */
  | 'no-loss-tokens'
  /** its group was kept, but no trajectory had an advantage, so the policy was not updated */
  | 'no-signal'
  /** its loss tokens entered the policy update */
  | 'trained';

/** Where the value of an option comes from. */
export type ValueSource =
  /** the default of Espalier */
  | 'default'
  /** other values */
  | 'derived'
  /** the spec that was sent */
  | 'file'
  /** the name of the configuration file */
  | 'file name'
  /** other values, lowered because of the memory of the machine */
  | 'memory'
  /** the run that is forked */
  | 'parent'
  /** the default of a plugin */
  | 'plugin default'
  /** the preset of an environment */
  | 'preset'
  /** an override */
  | '--set';

/** What a version is of. */
export type VersionedKind =
  /** an algorithm */
  | 'algorithm'
  /** an environment */
  | 'environment'
  /** a family of models */
  | 'model'
  /** a package that config/plugins.yaml names, whatever plugins are inside */
  | 'package'
  /** a reward */
  | 'reward';

/** Order of a list. */
export type WorkerOrder = {
  /** In which direction. */
  readonly direction: OrderDirection;
  /** What it is ordered by. */
  readonly field: WorkerOrderField;
};

/** What a list can be ordered by. */
export type WorkerOrderField =
  /** when it last connected */
  | 'connectedAt'
  /** its name */
  | 'name';

export type AlertFieldsFragment = {
  readonly id: string;
  readonly runId: string;
  readonly severity: AlertSeverity;
  readonly code: string;
  readonly message: string;
  readonly step: number | null;
  readonly time: string;
  readonly acknowledgedAt: string | null;
  readonly acknowledgedBy: string | null;
  readonly project: string;
  readonly rules: ReadonlyArray<HealthRule> | null;
  readonly assigneeId: string | null;
  readonly assignee: string | null;
};

export type ListAlertsQueryVariables = Exact<{
  filter?: AlertFilter | null | undefined;
  first?: number | null | undefined;
  after?: string | null | undefined;
  orderBy?: AlertOrder | null | undefined;
}>;

export type ListAlertsQuery = {
  readonly alerts: {
    readonly nodes: ReadonlyArray<{
      readonly id: string;
      readonly runId: string;
      readonly severity: AlertSeverity;
      readonly code: string;
      readonly message: string;
      readonly step: number | null;
      readonly time: string;
      readonly acknowledgedAt: string | null;
      readonly acknowledgedBy: string | null;
      readonly project: string;
      readonly rules: ReadonlyArray<HealthRule> | null;
      readonly assigneeId: string | null;
      readonly assignee: string | null;
    }>;
    readonly pageInfo: {
      readonly startCursor: string | null;
      readonly endCursor: string | null;
      readonly hasNextPage: boolean;
      readonly hasPreviousPage: boolean;
    };
  } | null;
};

export type AcknowledgeAlertMutationVariables = Exact<{
  input: AcknowledgeAlertInput;
}>;

export type AcknowledgeAlertMutation = {
  readonly acknowledgeAlert:
    | { readonly __typename: 'Alert'; readonly id: string }
    | {
        readonly __typename: 'NotFound';
        readonly code: string;
        readonly message: string;
        readonly remedy: string | null;
      }
    | null;
};

export type AcknowledgeAlertsMutationVariables = Exact<{
  input: AcknowledgeAlertsInput;
}>;

export type AcknowledgeAlertsMutation = {
  readonly acknowledgeAlerts:
    | { readonly __typename: 'AcknowledgedAlerts'; readonly alerts: ReadonlyArray<{ readonly id: string }> }
    | {
        readonly __typename: 'InvalidInput';
        readonly problems: ReadonlyArray<string>;
        readonly code: string;
        readonly message: string;
        readonly remedy: string | null;
      }
    | {
        readonly __typename: 'NotFound';
        readonly code: string;
        readonly message: string;
        readonly remedy: string | null;
      }
    | null;
};

export type ListAssigneesQueryVariables = Exact<{
  project: string;
}>;

export type ListAssigneesQuery = {
  readonly assignees: ReadonlyArray<{
    readonly keyId: string;
    readonly name: string;
    readonly role: Role;
  }> | null;
};

export type AssignAlertMutationVariables = Exact<{
  input: AssignAlertInput;
}>;

export type AssignAlertMutation = {
  readonly assignAlert:
    | { readonly __typename: 'Alert'; readonly id: string }
    | {
        readonly __typename: 'NotFound';
        readonly code: string;
        readonly message: string;
        readonly remedy: string | null;
      }
    | null;
};

export type ChatFieldsFragment = {
  readonly jobId: string;
  readonly runId: string;
  readonly state: JobState;
  readonly message: string;
  readonly whyWaiting: string | null;
  readonly step: number;
  readonly checkpoint: string;
  readonly createdAt: string;
  readonly endedAt: string | null;
  readonly system: string | null;
  readonly replyBegins: string;
  readonly temperature: number;
  readonly topP: number;
  readonly topK: number;
  readonly maxTokens: number;
};

export type ReadChatQueryVariables = Exact<{
  runId: string | number;
  jobId: string | number;
}>;

export type ReadChatQuery = {
  readonly chat: {
    readonly jobId: string;
    readonly runId: string;
    readonly state: JobState;
    readonly message: string;
    readonly whyWaiting: string | null;
    readonly step: number;
    readonly checkpoint: string;
    readonly createdAt: string;
    readonly endedAt: string | null;
    readonly system: string | null;
    readonly replyBegins: string;
    readonly temperature: number;
    readonly topP: number;
    readonly topK: number;
    readonly maxTokens: number;
  } | null;
};

export type StartChatMutationVariables = Exact<{
  input: StartChatInput;
}>;

export type StartChatMutation = {
  readonly startChat:
    | {
        readonly __typename: 'Chat';
        readonly jobId: string;
        readonly runId: string;
        readonly state: JobState;
        readonly message: string;
        readonly whyWaiting: string | null;
        readonly step: number;
        readonly checkpoint: string;
        readonly createdAt: string;
        readonly endedAt: string | null;
        readonly system: string | null;
        readonly replyBegins: string;
        readonly temperature: number;
        readonly topP: number;
        readonly topK: number;
        readonly maxTokens: number;
      }
    | {
        readonly __typename: 'InvalidInput';
        readonly problems: ReadonlyArray<string>;
        readonly code: string;
        readonly message: string;
        readonly remedy: string | null;
      }
    | {
        readonly __typename: 'NotFound';
        readonly code: string;
        readonly message: string;
        readonly remedy: string | null;
      }
    | {
        readonly __typename: 'NotPossible';
        readonly code: string;
        readonly message: string;
        readonly remedy: string | null;
      }
    | null;
};

export type EndChatMutationVariables = Exact<{
  input: EndChatInput;
}>;

export type EndChatMutation = {
  readonly endChat:
    | {
        readonly __typename: 'Chat';
        readonly jobId: string;
        readonly runId: string;
        readonly state: JobState;
        readonly message: string;
        readonly whyWaiting: string | null;
        readonly step: number;
        readonly checkpoint: string;
        readonly createdAt: string;
        readonly endedAt: string | null;
        readonly system: string | null;
        readonly replyBegins: string;
        readonly temperature: number;
        readonly topP: number;
        readonly topK: number;
        readonly maxTokens: number;
      }
    | {
        readonly __typename: 'NotFound';
        readonly code: string;
        readonly message: string;
        readonly remedy: string | null;
      }
    | null;
};

export type KeyFieldsFragment = {
  readonly id: string;
  readonly name: string;
  readonly role: Role;
  readonly projects: ReadonlyArray<string>;
  readonly prefix: string;
  readonly maxRunning: number | null;
  readonly createdAt: string;
  readonly lastUsedAt: string | null;
  readonly revokedAt: string | null;
};

export type ListKeysQueryVariables = Exact<{
  first?: number | null | undefined;
  after?: string | null | undefined;
  last?: number | null | undefined;
  before?: string | null | undefined;
  orderBy?: ApiKeyOrder | null | undefined;
}>;

export type ListKeysQuery = {
  readonly keys: {
    readonly nodes: ReadonlyArray<{
      readonly id: string;
      readonly name: string;
      readonly role: Role;
      readonly projects: ReadonlyArray<string>;
      readonly prefix: string;
      readonly maxRunning: number | null;
      readonly createdAt: string;
      readonly lastUsedAt: string | null;
      readonly revokedAt: string | null;
    }>;
    readonly pageInfo: {
      readonly startCursor: string | null;
      readonly endCursor: string | null;
      readonly hasNextPage: boolean;
      readonly hasPreviousPage: boolean;
    };
  } | null;
};

export type CreateKeyMutationVariables = Exact<{
  input: CreateKeyInput;
}>;

export type CreateKeyMutation = {
  readonly createKey:
    | {
        readonly __typename: 'CreatedKey';
        readonly secret: string;
        readonly key: {
          readonly id: string;
          readonly name: string;
          readonly role: Role;
          readonly projects: ReadonlyArray<string>;
          readonly prefix: string;
          readonly maxRunning: number | null;
          readonly createdAt: string;
          readonly lastUsedAt: string | null;
          readonly revokedAt: string | null;
        };
      }
    | {
        readonly __typename: 'InvalidInput';
        readonly problems: ReadonlyArray<string>;
        readonly code: string;
        readonly message: string;
        readonly remedy: string | null;
      }
    | null;
};

export type RevokeKeyMutationVariables = Exact<{
  input: RevokeKeyInput;
}>;

export type RevokeKeyMutation = {
  readonly revokeKey:
    | {
        readonly __typename: 'ApiKey';
        readonly id: string;
        readonly name: string;
        readonly role: Role;
        readonly projects: ReadonlyArray<string>;
        readonly prefix: string;
        readonly maxRunning: number | null;
        readonly createdAt: string;
        readonly lastUsedAt: string | null;
        readonly revokedAt: string | null;
      }
    | {
        readonly __typename: 'NotFound';
        readonly code: string;
        readonly message: string;
        readonly remedy: string | null;
      }
    | {
        readonly __typename: 'NotPossible';
        readonly code: string;
        readonly message: string;
        readonly remedy: string | null;
      }
    | null;
};

export type LauncherFieldsFragment = {
  readonly name: string;
  readonly driver: LauncherDriver;
  readonly deviceKind: DeviceKind;
  readonly deviceCount: number;
  readonly memoryMb: number;
  readonly labels: ReadonlyArray<string>;
  readonly minimum: number;
  readonly maximum: number;
  readonly perProject: number;
  readonly idleSeconds: number;
  readonly coming: number;
  readonly online: number;
  readonly leaving: number;
  readonly backoffUntil: string | null;
  readonly problem: string;
};

export type LaunchedWorkerFieldsFragment = {
  readonly name: string;
  readonly launcher: string;
  readonly project: string | null;
  readonly state: LaunchState;
  readonly reason: string;
  readonly handle: string | null;
  readonly createdAt: string;
  readonly changedAt: string;
  readonly connectedAt: string | null;
  readonly endedAt: string | null;
};

export type ListLaunchersQueryVariables = Exact<{ [key: string]: never }>;

export type ListLaunchersQuery = {
  readonly launchers: ReadonlyArray<{
    readonly name: string;
    readonly driver: LauncherDriver;
    readonly deviceKind: DeviceKind;
    readonly deviceCount: number;
    readonly memoryMb: number;
    readonly labels: ReadonlyArray<string>;
    readonly minimum: number;
    readonly maximum: number;
    readonly perProject: number;
    readonly idleSeconds: number;
    readonly coming: number;
    readonly online: number;
    readonly leaving: number;
    readonly backoffUntil: string | null;
    readonly problem: string;
  }> | null;
};

export type ListLaunchedWorkersQueryVariables = Exact<{
  launcher?: string | null | undefined;
  ended?: boolean | null | undefined;
  first?: number | null | undefined;
  after?: string | null | undefined;
  last?: number | null | undefined;
  before?: string | null | undefined;
}>;

export type ListLaunchedWorkersQuery = {
  readonly launchedWorkers: {
    readonly nodes: ReadonlyArray<{
      readonly name: string;
      readonly launcher: string;
      readonly project: string | null;
      readonly state: LaunchState;
      readonly reason: string;
      readonly handle: string | null;
      readonly createdAt: string;
      readonly changedAt: string;
      readonly connectedAt: string | null;
      readonly endedAt: string | null;
    }>;
    readonly pageInfo: {
      readonly startCursor: string | null;
      readonly endCursor: string | null;
      readonly hasNextPage: boolean;
      readonly hasPreviousPage: boolean;
    };
  } | null;
};

export type StopLaunchedWorkerMutationVariables = Exact<{
  input: StopLaunchedWorkerInput;
}>;

export type StopLaunchedWorkerMutation = {
  readonly stopLaunchedWorker:
    | {
        readonly __typename: 'LaunchedWorker';
        readonly name: string;
        readonly launcher: string;
        readonly project: string | null;
        readonly state: LaunchState;
        readonly reason: string;
        readonly handle: string | null;
        readonly createdAt: string;
        readonly changedAt: string;
        readonly connectedAt: string | null;
        readonly endedAt: string | null;
      }
    | {
        readonly __typename: 'NotFound';
        readonly code: string;
        readonly message: string;
        readonly remedy: string | null;
      }
    | null;
};

export type WatchMetricsSubscriptionVariables = Exact<{
  runs: ReadonlyArray<FollowedRun> | FollowedRun;
  names?: ReadonlyArray<string> | string | null | undefined;
}>;

export type WatchMetricsSubscription = {
  readonly runMetrics: {
    readonly runId: string;
    readonly after: number;
    readonly cursor: number;
    readonly steps: readonly (number | null)[];
    readonly times: readonly (number | null)[];
    readonly attempts: readonly (number | null)[];
    readonly series: ReadonlyArray<{
      readonly name: string;
      readonly values: readonly (number | null)[];
      readonly notFinite: ReadonlyArray<number>;
    }>;
  };
};

export type WatchEventsSubscriptionVariables = Exact<{
  runId: string | number;
  after: number;
  kinds?: ReadonlyArray<RunEventKind> | RunEventKind | null | undefined;
}>;

export type WatchEventsSubscription = {
  readonly runEvents: {
    readonly runId: string;
    readonly cursor: number;
    readonly records: ReadonlyArray<{
      readonly cursor: number;
      readonly kind: RunEventKind;
      readonly time: string;
      readonly step: number | null;
      readonly attempt: number | null;
      readonly body:
        | { readonly __typename: 'ArtifactEvent' }
        | { readonly __typename: 'CheckpointEvent'; readonly folder: string }
        | { readonly __typename: 'EvaluatedEvent' }
        | {
            readonly __typename: 'LevelEvent';
            readonly levels: number;
            readonly successRate: number;
            readonly levelBefore: number;
            readonly levelNow: number;
          }
        | { readonly __typename: 'LogEvent'; readonly line: string }
        | {
            readonly __typename: 'MonitorEvent';
            readonly action: MonitorAction | null;
            readonly restored: number | null;
            readonly message: string;
            readonly health: HealthState;
            readonly healthBefore: HealthState;
            readonly findings: ReadonlyArray<{
              readonly rule: HealthRule;
              readonly level: HealthLevel;
              readonly input: string;
              readonly measure: number | null;
              readonly limit: number;
              readonly value: number | null;
              readonly baseline: number | null;
              readonly since: number;
              readonly history: ReadonlyArray<number>;
            }>;
          }
        | { readonly __typename: 'NoteEvent' }
        | {
            readonly __typename: 'ProcessEndedEvent';
            readonly signal: string | null;
            readonly message: string;
            readonly exitCode: number | null;
          }
        | { readonly __typename: 'ProcessStartedEvent' }
        | { readonly __typename: 'RunEndedEvent'; readonly outcome: RunOutcome; readonly message: string }
        | { readonly __typename: 'RunStartedEvent'; readonly attempt: number }
        | {
            readonly __typename: 'StateEvent';
            readonly message: string;
            readonly job: JobKind;
            readonly stateBefore: JobState | null;
            readonly stateNow: JobState;
          }
        | { readonly __typename: 'TrajectoryEvent' }
        | { readonly __typename: 'WarningEvent'; readonly message: string; readonly warning: string };
    }>;
  };
};

export type RecordFieldsFragment = {
  readonly cursor: number;
  readonly kind: RunEventKind;
  readonly time: string;
  readonly step: number | null;
  readonly attempt: number | null;
  readonly body:
    | { readonly __typename: 'ArtifactEvent' }
    | { readonly __typename: 'CheckpointEvent'; readonly folder: string }
    | { readonly __typename: 'EvaluatedEvent' }
    | {
        readonly __typename: 'LevelEvent';
        readonly levels: number;
        readonly successRate: number;
        readonly levelBefore: number;
        readonly levelNow: number;
      }
    | { readonly __typename: 'LogEvent'; readonly line: string }
    | {
        readonly __typename: 'MonitorEvent';
        readonly action: MonitorAction | null;
        readonly restored: number | null;
        readonly message: string;
        readonly health: HealthState;
        readonly healthBefore: HealthState;
        readonly findings: ReadonlyArray<{
          readonly rule: HealthRule;
          readonly level: HealthLevel;
          readonly input: string;
          readonly measure: number | null;
          readonly limit: number;
          readonly value: number | null;
          readonly baseline: number | null;
          readonly since: number;
          readonly history: ReadonlyArray<number>;
        }>;
      }
    | { readonly __typename: 'NoteEvent' }
    | {
        readonly __typename: 'ProcessEndedEvent';
        readonly signal: string | null;
        readonly message: string;
        readonly exitCode: number | null;
      }
    | { readonly __typename: 'ProcessStartedEvent' }
    | { readonly __typename: 'RunEndedEvent'; readonly outcome: RunOutcome; readonly message: string }
    | { readonly __typename: 'RunStartedEvent'; readonly attempt: number }
    | {
        readonly __typename: 'StateEvent';
        readonly message: string;
        readonly job: JobKind;
        readonly stateBefore: JobState | null;
        readonly stateNow: JobState;
      }
    | { readonly __typename: 'TrajectoryEvent' }
    | { readonly __typename: 'WarningEvent'; readonly message: string; readonly warning: string };
};

export type WatchTrajectoriesSubscriptionVariables = Exact<{
  runId: string | number;
  after: number;
}>;

export type WatchTrajectoriesSubscription = {
  readonly trajectoryAdded: {
    readonly runId: string;
    readonly cursor: number;
    readonly trajectories: ReadonlyArray<{
      readonly id: string;
      readonly runId: string;
      readonly attempt: number;
      readonly step: number;
      readonly environment: string;
      readonly environmentTag: string | null;
      readonly split: Split;
      readonly group: number;
      readonly index: number;
      readonly stateSeed: number;
      readonly reward: number | null;
      readonly environmentReward: number | null;
      readonly success: boolean;
      readonly stopReason: StopReason;
      readonly labels: ReadonlyArray<FailureLabel>;
      readonly turns: number;
      readonly tokens: number;
      readonly sampledTokens: number;
      readonly kept: boolean;
      readonly outcome: UpdateOutcome | null;
      readonly lossTokens: number | null;
      readonly clippedTokens: number | null;
      readonly updateShare: number | null;
      readonly error: string | null;
      readonly dropped: {
        readonly reason: string;
        readonly numbers: Readonly<Record<string, number | null>>;
      } | null;
    }>;
  };
};

export type InFlightFieldsFragment = {
  readonly runId: string;
  readonly id: string;
  readonly step: number;
  readonly environment: string;
  readonly startedAt: string;
  readonly updatedAt: string;
  readonly turn: number;
  readonly phase: TurnPhase;
  readonly preview: string;
  readonly reward: number | null;
  readonly ended: StopReason | null;
  readonly turns: ReadonlyArray<{
    readonly turn: number;
    readonly phase: TurnPhase;
    readonly observation: string;
    readonly render: string;
    readonly image: string | null;
    readonly response: string | null;
    readonly actions: ReadonlyArray<string>;
    readonly reward: number | null;
  }>;
};

export type InFlightSummaryFragment = {
  readonly id: string;
  readonly step: number;
  readonly turn: number;
  readonly phase: TurnPhase;
  readonly preview: string;
  readonly reward: number | null;
  readonly ended: StopReason | null;
};

export type ListInFlightQueryVariables = Exact<{
  runId: string | number;
  ids?: ReadonlyArray<string | number> | string | number | null | undefined;
}>;

export type ListInFlightQuery = {
  readonly trajectoriesInFlight: ReadonlyArray<{
    readonly runId: string;
    readonly id: string;
    readonly step: number;
    readonly environment: string;
    readonly startedAt: string;
    readonly updatedAt: string;
    readonly turn: number;
    readonly phase: TurnPhase;
    readonly preview: string;
    readonly reward: number | null;
    readonly ended: StopReason | null;
    readonly turns: ReadonlyArray<{
      readonly turn: number;
      readonly phase: TurnPhase;
      readonly observation: string;
      readonly render: string;
      readonly image: string | null;
      readonly response: string | null;
      readonly actions: ReadonlyArray<string>;
      readonly reward: number | null;
    }>;
  }> | null;
};

export type WatchInFlightSubscriptionVariables = Exact<{
  runId: string | number;
  ids?: ReadonlyArray<string | number> | string | number | null | undefined;
}>;

export type WatchInFlightSubscription = {
  readonly trajectoriesInFlight: ReadonlyArray<{
    readonly runId: string;
    readonly id: string;
    readonly step: number;
    readonly environment: string;
    readonly startedAt: string;
    readonly updatedAt: string;
    readonly turn: number;
    readonly phase: TurnPhase;
    readonly preview: string;
    readonly reward: number | null;
    readonly ended: StopReason | null;
    readonly turns: ReadonlyArray<{
      readonly turn: number;
      readonly phase: TurnPhase;
      readonly observation: string;
      readonly render: string;
      readonly image: string | null;
      readonly response: string | null;
      readonly actions: ReadonlyArray<string>;
      readonly reward: number | null;
    }>;
  }>;
};

export type WatchInFlightSummariesSubscriptionVariables = Exact<{
  runId: string | number;
}>;

export type WatchInFlightSummariesSubscription = {
  readonly trajectoriesInFlight: ReadonlyArray<{
    readonly id: string;
    readonly step: number;
    readonly turn: number;
    readonly phase: TurnPhase;
    readonly preview: string;
    readonly reward: number | null;
    readonly ended: StopReason | null;
  }>;
};

export type WatchAlertsSubscriptionVariables = Exact<{
  runId?: string | number | null | undefined;
}>;

export type WatchAlertsSubscription = {
  readonly alertChanged: {
    readonly id: string;
    readonly runId: string;
    readonly severity: AlertSeverity;
    readonly code: string;
    readonly message: string;
    readonly step: number | null;
    readonly time: string;
    readonly acknowledgedAt: string | null;
    readonly acknowledgedBy: string | null;
    readonly project: string;
    readonly rules: ReadonlyArray<HealthRule> | null;
    readonly assigneeId: string | null;
    readonly assignee: string | null;
  };
};

export type WatchProgressSubscriptionVariables = Exact<{
  runId: string | number;
}>;

export type WatchProgressSubscription = {
  readonly progress: {
    readonly step: number;
    readonly steps: number;
    readonly phase: Phase;
    readonly done: number;
    readonly total: number;
  };
};

export type WatchWorkersSubscriptionVariables = Exact<{ [key: string]: never }>;

export type WatchWorkersSubscription = { readonly workerChanged: { readonly id: string } };

export type WatchJobsSubscriptionVariables = Exact<{ [key: string]: never }>;

export type WatchJobsSubscription = { readonly jobChanged: { readonly id: string } };

export type AllowanceFieldsFragment = {
  readonly limit: number | null;
  readonly used: number;
  readonly left: number | null;
};

export type ShowMeQueryVariables = Exact<{ [key: string]: never }>;

export type ShowMeQuery = {
  readonly me: {
    readonly keyId: string;
    readonly name: string;
    readonly role: Role;
    readonly projects: ReadonlyArray<string>;
    readonly limits: {
      readonly requestsPerMinute: {
        readonly limit: number | null;
        readonly used: number;
        readonly left: number | null;
      };
      readonly sentKbPerMinute: {
        readonly limit: number | null;
        readonly used: number;
        readonly left: number | null;
      };
      readonly runningJobs: {
        readonly limit: number | null;
        readonly used: number;
        readonly left: number | null;
      };
      readonly queuedJobs: {
        readonly limit: number | null;
        readonly used: number;
        readonly left: number | null;
      };
      readonly storedBytes: {
        readonly limit: number | null;
        readonly used: number;
        readonly left: number | null;
      };
    };
  } | null;
};

export type ListProjectsQueryVariables = Exact<{
  first?: number | null | undefined;
  after?: string | null | undefined;
  last?: number | null | undefined;
  before?: string | null | undefined;
}>;

export type ListProjectsQuery = {
  readonly projects: {
    readonly nodes: ReadonlyArray<{
      readonly name: string;
      readonly runs: number;
      readonly newestRunAt: string;
      readonly states: ReadonlyArray<{ readonly state: JobState; readonly runs: number }>;
    }>;
    readonly pageInfo: {
      readonly startCursor: string | null;
      readonly endCursor: string | null;
      readonly hasNextPage: boolean;
      readonly hasPreviousPage: boolean;
    };
  } | null;
};

export type ShowViewMutationVariables = Exact<{
  input: ShowViewInput;
}>;

export type ShowViewMutation = {
  readonly showView:
    | {
        readonly __typename: 'InvalidInput';
        readonly problems: ReadonlyArray<string>;
        readonly code: string;
        readonly message: string;
        readonly remedy: string | null;
      }
    | {
        readonly __typename: 'ShownView';
        readonly path: string;
        readonly note: string | null;
        readonly pages: number;
      }
    | null;
};

export type WatchShownViewsSubscriptionVariables = Exact<{ [key: string]: never }>;

export type WatchShownViewsSubscription = {
  readonly viewShown: { readonly path: string; readonly note: string | null };
};

export type MetricHistoryQueryVariables = Exact<{
  runIds: ReadonlyArray<string | number> | string | number;
  names: ReadonlyArray<string> | string;
  fromStep?: number | null | undefined;
  toStep?: number | null | undefined;
  points: number;
  digits?: number | null | undefined;
  times: boolean;
  buckets: boolean;
}>;

export type MetricHistoryQuery = {
  readonly metricHistory: ReadonlyArray<{
    readonly runId: string;
    readonly name: string;
    readonly count: number;
    readonly decimated: boolean;
    readonly steps: readonly (number | null)[];
    readonly times?: readonly (number | null)[];
    readonly values: readonly (number | null)[];
    readonly buckets?: {
      readonly firstSteps: readonly (number | null)[];
      readonly lastSteps: readonly (number | null)[];
      readonly firstTimes: readonly (number | null)[];
      readonly lastTimes: readonly (number | null)[];
      readonly counts: readonly (number | null)[];
      readonly min: readonly (number | null)[];
      readonly max: readonly (number | null)[];
      readonly mean: readonly (number | null)[];
    } | null;
  } | null> | null;
};

export type MetricNamesQueryVariables = Exact<{
  runId: string | number;
}>;

export type MetricNamesQuery = {
  readonly metricNames: ReadonlyArray<{
    readonly name: string;
    readonly count: number;
    readonly latest: number | null;
    readonly unit: string | null;
    readonly formula: string | null;
  }> | null;
};

export type ListRunRowsQueryVariables = Exact<{
  first?: number | null | undefined;
  after?: string | null | undefined;
  filter?: RunFilter | null | undefined;
  orderBy?: RunOrder | null | undefined;
}>;

export type ListRunRowsQuery = {
  readonly runs: {
    readonly nodes: ReadonlyArray<{
      readonly id: string;
      readonly project: string;
      readonly name: string;
      readonly title: string;
      readonly state: JobState;
      readonly message: string;
      readonly priority: number;
      readonly tags: ReadonlyArray<string>;
      readonly group: string;
      readonly note: string;
      readonly step: number | null;
      readonly steps: number;
      readonly latest: Readonly<Record<string, number | null>>;
      readonly health: HealthState | null;
      readonly warnings: number;
      readonly head: number;
      readonly createdAt: string;
      readonly createdBy: string;
      readonly startedAt: string | null;
      readonly endedAt: string | null;
      readonly parentRunId: string | null;
      readonly parentStep: number | null;
      readonly continues: boolean;
      readonly host: string | null;
      readonly imported: boolean;
      readonly specHash: string;
      readonly eta: { readonly seconds: number; readonly at: string } | null;
      readonly attempts: {
        readonly nodes: ReadonlyArray<{
          readonly workerName: string;
          readonly devices: ReadonlyArray<string>;
          readonly hardware: ReadonlyArray<{ readonly kind: DeviceKind; readonly name: string }> | null;
        }>;
      };
    }>;
    readonly pageInfo: {
      readonly startCursor: string | null;
      readonly endCursor: string | null;
      readonly hasNextPage: boolean;
      readonly hasPreviousPage: boolean;
    };
  } | null;
};

export type ListWorkerRowsQueryVariables = Exact<{
  first?: number | null | undefined;
  after?: string | null | undefined;
}>;

export type ListWorkerRowsQuery = {
  readonly workers: {
    readonly nodes: ReadonlyArray<{
      readonly id: string;
      readonly name: string;
      readonly host: string;
      readonly version: string;
      readonly labels: ReadonlyArray<string>;
      readonly online: boolean;
      readonly draining: boolean;
      readonly connectedAt: string;
      readonly lastSeenAt: string;
      readonly devices: ReadonlyArray<{
        readonly id: string;
        readonly kind: DeviceKind;
        readonly name: string;
        readonly index: number;
        readonly threads: number;
        readonly memoryMb: number;
        readonly freeMemoryMb: number;
        readonly utilisation: number | null;
        readonly temperatureCelsius: number | null;
        readonly powerWatts: number | null;
        readonly faults: ReadonlyArray<string>;
      }>;
      readonly jobs: {
        readonly nodes: ReadonlyArray<{
          readonly id: string;
          readonly runId: string;
          readonly kind: JobKind;
          readonly state: JobState;
        }>;
        readonly pageInfo: { readonly hasNextPage: boolean };
      };
      readonly plugins: ReadonlyArray<{
        readonly kind: VersionedKind;
        readonly id: string;
        readonly version: string;
        readonly sha256: string;
        readonly isExternal: boolean | null;
      }> | null;
    }>;
    readonly pageInfo: {
      readonly startCursor: string | null;
      readonly endCursor: string | null;
      readonly hasNextPage: boolean;
      readonly hasPreviousPage: boolean;
    };
  } | null;
};

export type ListJobRowsQueryVariables = Exact<{
  states?: ReadonlyArray<JobState> | JobState | null | undefined;
  first?: number | null | undefined;
  after?: string | null | undefined;
}>;

export type ListJobRowsQuery = {
  readonly jobs: {
    readonly nodes: ReadonlyArray<{
      readonly id: string;
      readonly runId: string;
      readonly kind: JobKind;
      readonly state: JobState;
      readonly message: string;
      readonly priority: number;
      readonly queuedAt: string;
      readonly startedAt: string | null;
      readonly whyWaiting: string | null;
      readonly needs: {
        readonly kind: DeviceKind;
        readonly count: number;
        readonly memoryMb: number;
        readonly labels: ReadonlyArray<string>;
      };
    }>;
    readonly pageInfo: {
      readonly startCursor: string | null;
      readonly endCursor: string | null;
      readonly hasNextPage: boolean;
      readonly hasPreviousPage: boolean;
    };
  } | null;
};

export type ListPluginsQueryVariables = Exact<{ [key: string]: never }>;

export type ListPluginsQuery = {
  readonly plugins: ReadonlyArray<{
    readonly id: string;
    readonly kind: PluginKind | null;
    readonly version: string;
    readonly summary: string;
    readonly source: PluginSource;
    readonly package: string;
    readonly health: PluginHealth;
    readonly message: string;
    readonly isolation: Isolation;
  }> | null;
};

export type ListRecipesQueryVariables = Exact<{ [key: string]: never }>;

export type ListRecipesQuery = {
  readonly recipes: ReadonlyArray<{
    readonly name: string;
    readonly title: string;
    readonly description: string;
    readonly source: string;
  }> | null;
};

export type ShowServerQueryVariables = Exact<{ [key: string]: never }>;

export type ShowServerQuery = { readonly version: string | null };

export type PageFieldsFragment = {
  readonly startCursor: string | null;
  readonly endCursor: string | null;
  readonly hasNextPage: boolean;
  readonly hasPreviousPage: boolean;
};

export type RatingSetFieldsFragment = {
  readonly id: string;
  readonly project: string;
  readonly name: string;
  readonly kind: RatingKind;
  readonly instructions: string;
  readonly size: number;
  readonly createdBy: string;
  readonly keyId: string;
  readonly createdAt: string;
  readonly closedAt: string | null;
  readonly closedBy: string | null;
  readonly seed: number | null;
  readonly criteria: ReadonlyArray<{
    readonly name: string;
    readonly question: string;
    readonly scale: RatingScale;
    readonly low: string;
    readonly high: string;
  }>;
  readonly sources: ReadonlyArray<{
    readonly runId: string;
    readonly runName: string;
    readonly fromStep: number;
    readonly toStep: number;
    readonly split: string | null;
    readonly available: number;
    readonly taken: number;
  }> | null;
  readonly progress: ReadonlyArray<{
    readonly name: string;
    readonly rated: number;
    readonly startedAt: string;
    readonly finishedAt: string | null;
  }>;
};

export type TaskItemFieldsFragment = {
  readonly position: number;
  readonly isRated: boolean;
  readonly choice: ShownChoice | null;
  readonly reason: string;
  readonly scores: ReadonlyArray<{ readonly criterion: string; readonly value: number }> | null;
};

export type ListRatingSetsQueryVariables = Exact<{
  filter?: RatingSetFilter | null | undefined;
  first?: number | null | undefined;
  after?: string | null | undefined;
}>;

export type ListRatingSetsQuery = {
  readonly ratingSets: {
    readonly nodes: ReadonlyArray<{
      readonly id: string;
      readonly project: string;
      readonly name: string;
      readonly kind: RatingKind;
      readonly instructions: string;
      readonly size: number;
      readonly createdBy: string;
      readonly keyId: string;
      readonly createdAt: string;
      readonly closedAt: string | null;
      readonly closedBy: string | null;
      readonly seed: number | null;
      readonly criteria: ReadonlyArray<{
        readonly name: string;
        readonly question: string;
        readonly scale: RatingScale;
        readonly low: string;
        readonly high: string;
      }>;
      readonly sources: ReadonlyArray<{
        readonly runId: string;
        readonly runName: string;
        readonly fromStep: number;
        readonly toStep: number;
        readonly split: string | null;
        readonly available: number;
        readonly taken: number;
      }> | null;
      readonly progress: ReadonlyArray<{
        readonly name: string;
        readonly rated: number;
        readonly startedAt: string;
        readonly finishedAt: string | null;
      }>;
    }>;
    readonly pageInfo: {
      readonly startCursor: string | null;
      readonly endCursor: string | null;
      readonly hasNextPage: boolean;
      readonly hasPreviousPage: boolean;
    };
  } | null;
};

export type ReadRatingSetQueryVariables = Exact<{
  id: string | number;
}>;

export type ReadRatingSetQuery = {
  readonly ratingSet: {
    readonly id: string;
    readonly project: string;
    readonly name: string;
    readonly kind: RatingKind;
    readonly instructions: string;
    readonly size: number;
    readonly createdBy: string;
    readonly keyId: string;
    readonly createdAt: string;
    readonly closedAt: string | null;
    readonly closedBy: string | null;
    readonly seed: number | null;
    readonly task: {
      readonly finishedAt: string | null;
      readonly items: ReadonlyArray<{
        readonly position: number;
        readonly isRated: boolean;
        readonly choice: ShownChoice | null;
        readonly reason: string;
        readonly scores: ReadonlyArray<{ readonly criterion: string; readonly value: number }> | null;
      }>;
    };
    readonly results: {
      readonly raters: ReadonlyArray<string>;
      readonly preference: {
        readonly wins: number;
        readonly ties: number;
        readonly losses: number;
        readonly winRate: number | null;
        readonly low: number;
        readonly high: number;
      } | null;
      readonly criteria: ReadonlyArray<{
        readonly criterion: string;
        readonly source: number;
        readonly mean: number | null;
        readonly low: number | null;
        readonly high: number | null;
        readonly items: number;
      }>;
      readonly agreements: ReadonlyArray<{
        readonly criterion: string | null;
        readonly level: MeasurementLevel;
        readonly alpha: number | null;
        readonly low: number | null;
        readonly high: number | null;
        readonly units: number;
        readonly ratings: number;
      }>;
      readonly items: ReadonlyArray<{
        readonly position: number;
        readonly source: number;
        readonly disagreement: number | null;
        readonly places: ReadonlyArray<{
          readonly runId: string;
          readonly trajectoryId: string;
          readonly step: number | null;
          readonly reward: number | null;
          readonly success: boolean | null;
        }>;
        readonly ratings: ReadonlyArray<{
          readonly rater: string;
          readonly choice: RatingChoice | null;
          readonly reason: string;
          readonly time: string;
          readonly scores: ReadonlyArray<{ readonly criterion: string; readonly value: number }> | null;
        }>;
      }>;
    } | null;
    readonly criteria: ReadonlyArray<{
      readonly name: string;
      readonly question: string;
      readonly scale: RatingScale;
      readonly low: string;
      readonly high: string;
    }>;
    readonly sources: ReadonlyArray<{
      readonly runId: string;
      readonly runName: string;
      readonly fromStep: number;
      readonly toStep: number;
      readonly split: string | null;
      readonly available: number;
      readonly taken: number;
    }> | null;
    readonly progress: ReadonlyArray<{
      readonly name: string;
      readonly rated: number;
      readonly startedAt: string;
      readonly finishedAt: string | null;
    }>;
  } | null;
};

export type ReadRatingItemQueryVariables = Exact<{
  setId: string | number;
  position: number;
}>;

export type ReadRatingItemQuery = {
  readonly ratingItem: {
    readonly position: number;
    readonly sides: ReadonlyArray<{
      readonly missing: string | null;
      readonly turns: ReadonlyArray<{ readonly observation: string; readonly response: string }>;
    }>;
  } | null;
};

export type ListRubricsQueryVariables = Exact<{ [key: string]: never }>;

export type ListRubricsQuery = {
  readonly rubrics: ReadonlyArray<{
    readonly id: string;
    readonly title: string;
    readonly criteria: ReadonlyArray<{
      readonly name: string;
      readonly question: string;
      readonly scale: RatingScale;
      readonly low: string;
      readonly high: string;
    }>;
  }> | null;
};

export type CreateRatingSetMutationVariables = Exact<{
  input: CreateRatingSetInput;
}>;

export type CreateRatingSetMutation = {
  readonly createRatingSet:
    | {
        readonly __typename: 'InvalidInput';
        readonly problems: ReadonlyArray<string>;
        readonly code: string;
        readonly message: string;
        readonly remedy: string | null;
      }
    | {
        readonly __typename: 'NotFound';
        readonly code: string;
        readonly message: string;
        readonly remedy: string | null;
      }
    | {
        readonly __typename: 'NotPossible';
        readonly code: string;
        readonly message: string;
        readonly remedy: string | null;
      }
    | {
        readonly __typename: 'RatingSet';
        readonly id: string;
        readonly project: string;
        readonly name: string;
        readonly kind: RatingKind;
        readonly instructions: string;
        readonly size: number;
        readonly createdBy: string;
        readonly keyId: string;
        readonly createdAt: string;
        readonly closedAt: string | null;
        readonly closedBy: string | null;
        readonly seed: number | null;
        readonly criteria: ReadonlyArray<{
          readonly name: string;
          readonly question: string;
          readonly scale: RatingScale;
          readonly low: string;
          readonly high: string;
        }>;
        readonly sources: ReadonlyArray<{
          readonly runId: string;
          readonly runName: string;
          readonly fromStep: number;
          readonly toStep: number;
          readonly split: string | null;
          readonly available: number;
          readonly taken: number;
        }> | null;
        readonly progress: ReadonlyArray<{
          readonly name: string;
          readonly rated: number;
          readonly startedAt: string;
          readonly finishedAt: string | null;
        }>;
      }
    | null;
};

export type RateItemMutationVariables = Exact<{
  input: RateItemInput;
}>;

export type RateItemMutation = {
  readonly rateItem:
    | {
        readonly __typename: 'InvalidInput';
        readonly problems: ReadonlyArray<string>;
        readonly code: string;
        readonly message: string;
        readonly remedy: string | null;
      }
    | {
        readonly __typename: 'NotFound';
        readonly code: string;
        readonly message: string;
        readonly remedy: string | null;
      }
    | {
        readonly __typename: 'NotPossible';
        readonly code: string;
        readonly message: string;
        readonly remedy: string | null;
      }
    | {
        readonly __typename: 'RatingTaskItem';
        readonly position: number;
        readonly isRated: boolean;
        readonly choice: ShownChoice | null;
        readonly reason: string;
        readonly scores: ReadonlyArray<{ readonly criterion: string; readonly value: number }> | null;
      }
    | null;
};

export type UndoRatingMutationVariables = Exact<{
  input: UndoRatingInput;
}>;

export type UndoRatingMutation = {
  readonly undoRating:
    | {
        readonly __typename: 'NotFound';
        readonly code: string;
        readonly message: string;
        readonly remedy: string | null;
      }
    | {
        readonly __typename: 'NotPossible';
        readonly code: string;
        readonly message: string;
        readonly remedy: string | null;
      }
    | {
        readonly __typename: 'RatingTaskItem';
        readonly position: number;
        readonly isRated: boolean;
        readonly choice: ShownChoice | null;
        readonly reason: string;
        readonly scores: ReadonlyArray<{ readonly criterion: string; readonly value: number }> | null;
      }
    | null;
};

export type FinishRatingMutationVariables = Exact<{
  input: FinishRatingInput;
}>;

export type FinishRatingMutation = {
  readonly finishRating:
    | {
        readonly __typename: 'NotFound';
        readonly code: string;
        readonly message: string;
        readonly remedy: string | null;
      }
    | {
        readonly __typename: 'NotPossible';
        readonly code: string;
        readonly message: string;
        readonly remedy: string | null;
      }
    | {
        readonly __typename: 'RatingSet';
        readonly id: string;
        readonly project: string;
        readonly name: string;
        readonly kind: RatingKind;
        readonly instructions: string;
        readonly size: number;
        readonly createdBy: string;
        readonly keyId: string;
        readonly createdAt: string;
        readonly closedAt: string | null;
        readonly closedBy: string | null;
        readonly seed: number | null;
        readonly criteria: ReadonlyArray<{
          readonly name: string;
          readonly question: string;
          readonly scale: RatingScale;
          readonly low: string;
          readonly high: string;
        }>;
        readonly sources: ReadonlyArray<{
          readonly runId: string;
          readonly runName: string;
          readonly fromStep: number;
          readonly toStep: number;
          readonly split: string | null;
          readonly available: number;
          readonly taken: number;
        }> | null;
        readonly progress: ReadonlyArray<{
          readonly name: string;
          readonly rated: number;
          readonly startedAt: string;
          readonly finishedAt: string | null;
        }>;
      }
    | null;
};

export type CloseRatingSetMutationVariables = Exact<{
  input: CloseRatingSetInput;
}>;

export type CloseRatingSetMutation = {
  readonly closeRatingSet:
    | {
        readonly __typename: 'NotFound';
        readonly code: string;
        readonly message: string;
        readonly remedy: string | null;
      }
    | {
        readonly __typename: 'NotPossible';
        readonly code: string;
        readonly message: string;
        readonly remedy: string | null;
      }
    | {
        readonly __typename: 'RatingSet';
        readonly id: string;
        readonly project: string;
        readonly name: string;
        readonly kind: RatingKind;
        readonly instructions: string;
        readonly size: number;
        readonly createdBy: string;
        readonly keyId: string;
        readonly createdAt: string;
        readonly closedAt: string | null;
        readonly closedBy: string | null;
        readonly seed: number | null;
        readonly criteria: ReadonlyArray<{
          readonly name: string;
          readonly question: string;
          readonly scale: RatingScale;
          readonly low: string;
          readonly high: string;
        }>;
        readonly sources: ReadonlyArray<{
          readonly runId: string;
          readonly runName: string;
          readonly fromStep: number;
          readonly toStep: number;
          readonly split: string | null;
          readonly available: number;
          readonly taken: number;
        }> | null;
        readonly progress: ReadonlyArray<{
          readonly name: string;
          readonly rated: number;
          readonly startedAt: string;
          readonly finishedAt: string | null;
        }>;
      }
    | null;
};

export type DeleteRatingSetMutationVariables = Exact<{
  input: DeleteRatingSetInput;
}>;

export type DeleteRatingSetMutation = {
  readonly deleteRatingSet:
    | {
        readonly __typename: 'NotFound';
        readonly code: string;
        readonly message: string;
        readonly remedy: string | null;
      }
    | {
        readonly __typename: 'NotPossible';
        readonly code: string;
        readonly message: string;
        readonly remedy: string | null;
      }
    | {
        readonly __typename: 'RatingSet';
        readonly id: string;
        readonly project: string;
        readonly name: string;
        readonly kind: RatingKind;
        readonly instructions: string;
        readonly size: number;
        readonly createdBy: string;
        readonly keyId: string;
        readonly createdAt: string;
        readonly closedAt: string | null;
        readonly closedBy: string | null;
        readonly seed: number | null;
        readonly criteria: ReadonlyArray<{
          readonly name: string;
          readonly question: string;
          readonly scale: RatingScale;
          readonly low: string;
          readonly high: string;
        }>;
        readonly sources: ReadonlyArray<{
          readonly runId: string;
          readonly runName: string;
          readonly fromStep: number;
          readonly toStep: number;
          readonly split: string | null;
          readonly available: number;
          readonly taken: number;
        }> | null;
        readonly progress: ReadonlyArray<{
          readonly name: string;
          readonly rated: number;
          readonly startedAt: string;
          readonly finishedAt: string | null;
        }>;
      }
    | null;
};

export type WatchRatingSetsSubscriptionVariables = Exact<{
  id?: string | number | null | undefined;
}>;

export type WatchRatingSetsSubscription = { readonly ratingSetChanged: { readonly id: string } };

type RefusalFields_InvalidInput_Fragment = {
  readonly problems: ReadonlyArray<string>;
  readonly code: string;
  readonly message: string;
  readonly remedy: string | null;
};

type RefusalFields_NotFound_Fragment = {
  readonly code: string;
  readonly message: string;
  readonly remedy: string | null;
};

type RefusalFields_NotPossible_Fragment = {
  readonly code: string;
  readonly message: string;
  readonly remedy: string | null;
};

type RefusalFields_WrongState_Fragment = {
  readonly state: JobState;
  readonly code: string;
  readonly message: string;
  readonly remedy: string | null;
};

export type RefusalFieldsFragment =
  | RefusalFields_InvalidInput_Fragment
  | RefusalFields_NotFound_Fragment
  | RefusalFields_NotPossible_Fragment
  | RefusalFields_WrongState_Fragment;

export type RunFieldsFragment = {
  readonly id: string;
  readonly project: string;
  readonly name: string;
  readonly title: string;
  readonly state: JobState;
  readonly message: string;
  readonly priority: number;
  readonly tags: ReadonlyArray<string>;
  readonly group: string;
  readonly note: string;
  readonly step: number | null;
  readonly steps: number;
  readonly latest: Readonly<Record<string, number | null>>;
  readonly health: HealthState | null;
  readonly warnings: number;
  readonly head: number;
  readonly createdAt: string;
  readonly createdBy: string;
  readonly startedAt: string | null;
  readonly endedAt: string | null;
  readonly parentRunId: string | null;
  readonly parentStep: number | null;
  readonly continues: boolean;
  readonly host: string | null;
  readonly imported: boolean;
  readonly specHash: string;
};

export type JobFieldsFragment = {
  readonly id: string;
  readonly runId: string;
  readonly kind: JobKind;
  readonly state: JobState;
  readonly message: string;
  readonly priority: number;
  readonly createdAt: string;
  readonly queuedAt: string;
  readonly startedAt: string | null;
  readonly endedAt: string | null;
  readonly failures: number;
  readonly needs: {
    readonly kind: DeviceKind;
    readonly count: number;
    readonly memoryMb: number;
    readonly labels: ReadonlyArray<string>;
  };
  readonly result: {
    readonly model: string;
    readonly environment: string;
    readonly episodes: number;
    readonly failed: number;
    readonly successRate: number;
    readonly successLow: number;
    readonly successHigh: number;
    readonly metrics: Readonly<Record<string, number | null>>;
    readonly tags: ReadonlyArray<{
      readonly tag: string;
      readonly environment: string;
      readonly trained: boolean;
      readonly episodes: number;
      readonly failed: number;
      readonly successRate: number | null;
      readonly successLow: number | null;
      readonly successHigh: number | null;
      readonly error: string | null;
    }> | null;
    readonly outcomes: ReadonlyArray<{
      readonly stateSeed: number;
      readonly success: boolean;
      readonly total: number | null;
      readonly stopReason: StopReason;
      readonly turns: number;
      readonly actions: number;
      readonly formatShare: number;
    }> | null;
  } | null;
};

export type ResultFieldsFragment = {
  readonly model: string;
  readonly environment: string;
  readonly episodes: number;
  readonly failed: number;
  readonly successRate: number;
  readonly successLow: number;
  readonly successHigh: number;
  readonly metrics: Readonly<Record<string, number | null>>;
  readonly tags: ReadonlyArray<{
    readonly tag: string;
    readonly environment: string;
    readonly trained: boolean;
    readonly episodes: number;
    readonly failed: number;
    readonly successRate: number | null;
    readonly successLow: number | null;
    readonly successHigh: number | null;
    readonly error: string | null;
  }> | null;
  readonly outcomes: ReadonlyArray<{
    readonly stateSeed: number;
    readonly success: boolean;
    readonly total: number | null;
    readonly stopReason: StopReason;
    readonly turns: number;
    readonly actions: number;
    readonly formatShare: number;
  }> | null;
};

export type AttemptFieldsFragment = {
  readonly id: string;
  readonly jobId: string;
  readonly number: number;
  readonly state: AttemptState;
  readonly workerName: string;
  readonly host: string | null;
  readonly devices: ReadonlyArray<string>;
  readonly pid: number | null;
  readonly startStep: number | null;
  readonly step: number | null;
  readonly assignedAt: string;
  readonly startedAt: string | null;
  readonly endedAt: string | null;
  readonly exitCode: number | null;
  readonly signal: string | null;
  readonly verdict: ExitVerdict | null;
  readonly message: string;
  readonly hardware: ReadonlyArray<{
    readonly id: string;
    readonly kind: DeviceKind;
    readonly name: string;
    readonly threads: number;
    readonly memoryMb: number | null;
  }> | null;
};

export type RunDetailsFragment = {
  readonly spec: unknown;
  readonly source: string | null;
  readonly overrides: ReadonlyArray<string>;
  readonly gitRevision: string | null;
  readonly id: string;
  readonly project: string;
  readonly name: string;
  readonly title: string;
  readonly state: JobState;
  readonly message: string;
  readonly priority: number;
  readonly tags: ReadonlyArray<string>;
  readonly group: string;
  readonly note: string;
  readonly step: number | null;
  readonly steps: number;
  readonly latest: Readonly<Record<string, number | null>>;
  readonly health: HealthState | null;
  readonly warnings: number;
  readonly head: number;
  readonly createdAt: string;
  readonly createdBy: string;
  readonly startedAt: string | null;
  readonly endedAt: string | null;
  readonly parentRunId: string | null;
  readonly parentStep: number | null;
  readonly continues: boolean;
  readonly host: string | null;
  readonly imported: boolean;
  readonly specHash: string;
  readonly versions: ReadonlyArray<{ readonly name: string; readonly version: string }> | null;
  readonly plugins: ReadonlyArray<{
    readonly kind: VersionedKind;
    readonly id: string;
    readonly version: string;
    readonly sha256: string;
    readonly isExternal: boolean | null;
  }> | null;
  readonly jobs: {
    readonly nodes: ReadonlyArray<{
      readonly whyWaiting: string | null;
      readonly id: string;
      readonly runId: string;
      readonly kind: JobKind;
      readonly state: JobState;
      readonly message: string;
      readonly priority: number;
      readonly createdAt: string;
      readonly queuedAt: string;
      readonly startedAt: string | null;
      readonly endedAt: string | null;
      readonly failures: number;
      readonly needs: {
        readonly kind: DeviceKind;
        readonly count: number;
        readonly memoryMb: number;
        readonly labels: ReadonlyArray<string>;
      };
      readonly result: {
        readonly model: string;
        readonly environment: string;
        readonly episodes: number;
        readonly failed: number;
        readonly successRate: number;
        readonly successLow: number;
        readonly successHigh: number;
        readonly metrics: Readonly<Record<string, number | null>>;
        readonly tags: ReadonlyArray<{
          readonly tag: string;
          readonly environment: string;
          readonly trained: boolean;
          readonly episodes: number;
          readonly failed: number;
          readonly successRate: number | null;
          readonly successLow: number | null;
          readonly successHigh: number | null;
          readonly error: string | null;
        }> | null;
        readonly outcomes: ReadonlyArray<{
          readonly stateSeed: number;
          readonly success: boolean;
          readonly total: number | null;
          readonly stopReason: StopReason;
          readonly turns: number;
          readonly actions: number;
          readonly formatShare: number;
        }> | null;
      } | null;
    }>;
    readonly pageInfo: {
      readonly startCursor: string | null;
      readonly endCursor: string | null;
      readonly hasNextPage: boolean;
      readonly hasPreviousPage: boolean;
    };
  };
  readonly attempts: {
    readonly nodes: ReadonlyArray<{
      readonly id: string;
      readonly jobId: string;
      readonly number: number;
      readonly state: AttemptState;
      readonly workerName: string;
      readonly host: string | null;
      readonly devices: ReadonlyArray<string>;
      readonly pid: number | null;
      readonly startStep: number | null;
      readonly step: number | null;
      readonly assignedAt: string;
      readonly startedAt: string | null;
      readonly endedAt: string | null;
      readonly exitCode: number | null;
      readonly signal: string | null;
      readonly verdict: ExitVerdict | null;
      readonly message: string;
      readonly hardware: ReadonlyArray<{
        readonly id: string;
        readonly kind: DeviceKind;
        readonly name: string;
        readonly threads: number;
        readonly memoryMb: number | null;
      }> | null;
    }>;
    readonly pageInfo: {
      readonly startCursor: string | null;
      readonly endCursor: string | null;
      readonly hasNextPage: boolean;
      readonly hasPreviousPage: boolean;
    };
  };
};

export type JobsPageFragment = {
  readonly nodes: ReadonlyArray<{
    readonly whyWaiting: string | null;
    readonly id: string;
    readonly runId: string;
    readonly kind: JobKind;
    readonly state: JobState;
    readonly message: string;
    readonly priority: number;
    readonly createdAt: string;
    readonly queuedAt: string;
    readonly startedAt: string | null;
    readonly endedAt: string | null;
    readonly failures: number;
    readonly needs: {
      readonly kind: DeviceKind;
      readonly count: number;
      readonly memoryMb: number;
      readonly labels: ReadonlyArray<string>;
    };
    readonly result: {
      readonly model: string;
      readonly environment: string;
      readonly episodes: number;
      readonly failed: number;
      readonly successRate: number;
      readonly successLow: number;
      readonly successHigh: number;
      readonly metrics: Readonly<Record<string, number | null>>;
      readonly tags: ReadonlyArray<{
        readonly tag: string;
        readonly environment: string;
        readonly trained: boolean;
        readonly episodes: number;
        readonly failed: number;
        readonly successRate: number | null;
        readonly successLow: number | null;
        readonly successHigh: number | null;
        readonly error: string | null;
      }> | null;
      readonly outcomes: ReadonlyArray<{
        readonly stateSeed: number;
        readonly success: boolean;
        readonly total: number | null;
        readonly stopReason: StopReason;
        readonly turns: number;
        readonly actions: number;
        readonly formatShare: number;
      }> | null;
    } | null;
  }>;
  readonly pageInfo: {
    readonly startCursor: string | null;
    readonly endCursor: string | null;
    readonly hasNextPage: boolean;
    readonly hasPreviousPage: boolean;
  };
};

export type AttemptsPageFragment = {
  readonly nodes: ReadonlyArray<{
    readonly id: string;
    readonly jobId: string;
    readonly number: number;
    readonly state: AttemptState;
    readonly workerName: string;
    readonly host: string | null;
    readonly devices: ReadonlyArray<string>;
    readonly pid: number | null;
    readonly startStep: number | null;
    readonly step: number | null;
    readonly assignedAt: string;
    readonly startedAt: string | null;
    readonly endedAt: string | null;
    readonly exitCode: number | null;
    readonly signal: string | null;
    readonly verdict: ExitVerdict | null;
    readonly message: string;
    readonly hardware: ReadonlyArray<{
      readonly id: string;
      readonly kind: DeviceKind;
      readonly name: string;
      readonly threads: number;
      readonly memoryMb: number | null;
    }> | null;
  }>;
  readonly pageInfo: {
    readonly startCursor: string | null;
    readonly endCursor: string | null;
    readonly hasNextPage: boolean;
    readonly hasPreviousPage: boolean;
  };
};

export type ListRunsQueryVariables = Exact<{
  first?: number | null | undefined;
  after?: string | null | undefined;
  last?: number | null | undefined;
  before?: string | null | undefined;
  filter?: RunFilter | null | undefined;
  orderBy?: RunOrder | null | undefined;
}>;

export type ListRunsQuery = {
  readonly runs: {
    readonly nodes: ReadonlyArray<{
      readonly id: string;
      readonly project: string;
      readonly name: string;
      readonly title: string;
      readonly state: JobState;
      readonly message: string;
      readonly priority: number;
      readonly tags: ReadonlyArray<string>;
      readonly group: string;
      readonly note: string;
      readonly step: number | null;
      readonly steps: number;
      readonly latest: Readonly<Record<string, number | null>>;
      readonly health: HealthState | null;
      readonly warnings: number;
      readonly head: number;
      readonly createdAt: string;
      readonly createdBy: string;
      readonly startedAt: string | null;
      readonly endedAt: string | null;
      readonly parentRunId: string | null;
      readonly parentStep: number | null;
      readonly continues: boolean;
      readonly host: string | null;
      readonly imported: boolean;
      readonly specHash: string;
    }>;
    readonly pageInfo: {
      readonly startCursor: string | null;
      readonly endCursor: string | null;
      readonly hasNextPage: boolean;
      readonly hasPreviousPage: boolean;
    };
  } | null;
};

export type ReadTwinQueryVariables = Exact<{
  id: string | number;
}>;

export type ReadTwinQuery = {
  readonly run: {
    readonly twin: {
      readonly state: TwinState;
      readonly fromStep: number;
      readonly upToStep: number | null;
      readonly values: number;
      readonly files: number;
      readonly differsAtStep: number | null;
      readonly differsIn: string | null;
      readonly parentValue: number | null;
      readonly twinValue: number | null;
      readonly message: string;
    } | null;
  } | null;
};

export type ShowRunQueryVariables = Exact<{
  id: string | number;
}>;

export type ShowRunQuery = {
  readonly run: {
    readonly spec: unknown;
    readonly source: string | null;
    readonly overrides: ReadonlyArray<string>;
    readonly gitRevision: string | null;
    readonly id: string;
    readonly project: string;
    readonly name: string;
    readonly title: string;
    readonly state: JobState;
    readonly message: string;
    readonly priority: number;
    readonly tags: ReadonlyArray<string>;
    readonly group: string;
    readonly note: string;
    readonly step: number | null;
    readonly steps: number;
    readonly latest: Readonly<Record<string, number | null>>;
    readonly health: HealthState | null;
    readonly warnings: number;
    readonly head: number;
    readonly createdAt: string;
    readonly createdBy: string;
    readonly startedAt: string | null;
    readonly endedAt: string | null;
    readonly parentRunId: string | null;
    readonly parentStep: number | null;
    readonly continues: boolean;
    readonly host: string | null;
    readonly imported: boolean;
    readonly specHash: string;
    readonly versions: ReadonlyArray<{ readonly name: string; readonly version: string }> | null;
    readonly plugins: ReadonlyArray<{
      readonly kind: VersionedKind;
      readonly id: string;
      readonly version: string;
      readonly sha256: string;
      readonly isExternal: boolean | null;
    }> | null;
    readonly jobs: {
      readonly nodes: ReadonlyArray<{
        readonly whyWaiting: string | null;
        readonly id: string;
        readonly runId: string;
        readonly kind: JobKind;
        readonly state: JobState;
        readonly message: string;
        readonly priority: number;
        readonly createdAt: string;
        readonly queuedAt: string;
        readonly startedAt: string | null;
        readonly endedAt: string | null;
        readonly failures: number;
        readonly needs: {
          readonly kind: DeviceKind;
          readonly count: number;
          readonly memoryMb: number;
          readonly labels: ReadonlyArray<string>;
        };
        readonly result: {
          readonly model: string;
          readonly environment: string;
          readonly episodes: number;
          readonly failed: number;
          readonly successRate: number;
          readonly successLow: number;
          readonly successHigh: number;
          readonly metrics: Readonly<Record<string, number | null>>;
          readonly tags: ReadonlyArray<{
            readonly tag: string;
            readonly environment: string;
            readonly trained: boolean;
            readonly episodes: number;
            readonly failed: number;
            readonly successRate: number | null;
            readonly successLow: number | null;
            readonly successHigh: number | null;
            readonly error: string | null;
          }> | null;
          readonly outcomes: ReadonlyArray<{
            readonly stateSeed: number;
            readonly success: boolean;
            readonly total: number | null;
            readonly stopReason: StopReason;
            readonly turns: number;
            readonly actions: number;
            readonly formatShare: number;
          }> | null;
        } | null;
      }>;
      readonly pageInfo: {
        readonly startCursor: string | null;
        readonly endCursor: string | null;
        readonly hasNextPage: boolean;
        readonly hasPreviousPage: boolean;
      };
    };
    readonly attempts: {
      readonly nodes: ReadonlyArray<{
        readonly id: string;
        readonly jobId: string;
        readonly number: number;
        readonly state: AttemptState;
        readonly workerName: string;
        readonly host: string | null;
        readonly devices: ReadonlyArray<string>;
        readonly pid: number | null;
        readonly startStep: number | null;
        readonly step: number | null;
        readonly assignedAt: string;
        readonly startedAt: string | null;
        readonly endedAt: string | null;
        readonly exitCode: number | null;
        readonly signal: string | null;
        readonly verdict: ExitVerdict | null;
        readonly message: string;
        readonly hardware: ReadonlyArray<{
          readonly id: string;
          readonly kind: DeviceKind;
          readonly name: string;
          readonly threads: number;
          readonly memoryMb: number | null;
        }> | null;
      }>;
      readonly pageInfo: {
        readonly startCursor: string | null;
        readonly endCursor: string | null;
        readonly hasNextPage: boolean;
        readonly hasPreviousPage: boolean;
      };
    };
  } | null;
};

export type ListJobsOfRunQueryVariables = Exact<{
  id: string | number;
  after?: string | null | undefined;
}>;

export type ListJobsOfRunQuery = {
  readonly run: {
    readonly jobs: {
      readonly nodes: ReadonlyArray<{
        readonly whyWaiting: string | null;
        readonly id: string;
        readonly runId: string;
        readonly kind: JobKind;
        readonly state: JobState;
        readonly message: string;
        readonly priority: number;
        readonly createdAt: string;
        readonly queuedAt: string;
        readonly startedAt: string | null;
        readonly endedAt: string | null;
        readonly failures: number;
        readonly needs: {
          readonly kind: DeviceKind;
          readonly count: number;
          readonly memoryMb: number;
          readonly labels: ReadonlyArray<string>;
        };
        readonly result: {
          readonly model: string;
          readonly environment: string;
          readonly episodes: number;
          readonly failed: number;
          readonly successRate: number;
          readonly successLow: number;
          readonly successHigh: number;
          readonly metrics: Readonly<Record<string, number | null>>;
          readonly tags: ReadonlyArray<{
            readonly tag: string;
            readonly environment: string;
            readonly trained: boolean;
            readonly episodes: number;
            readonly failed: number;
            readonly successRate: number | null;
            readonly successLow: number | null;
            readonly successHigh: number | null;
            readonly error: string | null;
          }> | null;
          readonly outcomes: ReadonlyArray<{
            readonly stateSeed: number;
            readonly success: boolean;
            readonly total: number | null;
            readonly stopReason: StopReason;
            readonly turns: number;
            readonly actions: number;
            readonly formatShare: number;
          }> | null;
        } | null;
      }>;
      readonly pageInfo: {
        readonly startCursor: string | null;
        readonly endCursor: string | null;
        readonly hasNextPage: boolean;
        readonly hasPreviousPage: boolean;
      };
    };
  } | null;
};

export type ListAttemptsOfRunQueryVariables = Exact<{
  id: string | number;
  after?: string | null | undefined;
}>;

export type ListAttemptsOfRunQuery = {
  readonly run: {
    readonly attempts: {
      readonly nodes: ReadonlyArray<{
        readonly id: string;
        readonly jobId: string;
        readonly number: number;
        readonly state: AttemptState;
        readonly workerName: string;
        readonly host: string | null;
        readonly devices: ReadonlyArray<string>;
        readonly pid: number | null;
        readonly startStep: number | null;
        readonly step: number | null;
        readonly assignedAt: string;
        readonly startedAt: string | null;
        readonly endedAt: string | null;
        readonly exitCode: number | null;
        readonly signal: string | null;
        readonly verdict: ExitVerdict | null;
        readonly message: string;
        readonly hardware: ReadonlyArray<{
          readonly id: string;
          readonly kind: DeviceKind;
          readonly name: string;
          readonly threads: number;
          readonly memoryMb: number | null;
        }> | null;
      }>;
      readonly pageInfo: {
        readonly startCursor: string | null;
        readonly endCursor: string | null;
        readonly hasNextPage: boolean;
        readonly hasPreviousPage: boolean;
      };
    };
  } | null;
};

export type CreateRunMutationVariables = Exact<{
  input: CreateRunInput;
}>;

export type CreateRunMutation = {
  readonly createRun:
    | {
        readonly __typename: 'InvalidInput';
        readonly problems: ReadonlyArray<string>;
        readonly code: string;
        readonly message: string;
        readonly remedy: string | null;
      }
    | {
        readonly __typename: 'NotPossible';
        readonly code: string;
        readonly message: string;
        readonly remedy: string | null;
      }
    | {
        readonly __typename: 'Run';
        readonly id: string;
        readonly project: string;
        readonly name: string;
        readonly title: string;
        readonly state: JobState;
        readonly message: string;
        readonly priority: number;
        readonly tags: ReadonlyArray<string>;
        readonly group: string;
        readonly note: string;
        readonly step: number | null;
        readonly steps: number;
        readonly latest: Readonly<Record<string, number | null>>;
        readonly health: HealthState | null;
        readonly warnings: number;
        readonly head: number;
        readonly createdAt: string;
        readonly createdBy: string;
        readonly startedAt: string | null;
        readonly endedAt: string | null;
        readonly parentRunId: string | null;
        readonly parentStep: number | null;
        readonly continues: boolean;
        readonly host: string | null;
        readonly imported: boolean;
        readonly specHash: string;
      }
    | null;
};

export type PlanRunMutationVariables = Exact<{
  input: PlanRunInput;
}>;

export type PlanRunMutation = {
  readonly planRun:
    | {
        readonly __typename: 'InvalidInput';
        readonly problems: ReadonlyArray<string>;
        readonly code: string;
        readonly message: string;
        readonly remedy: string | null;
      }
    | {
        readonly __typename: 'NotPossible';
        readonly code: string;
        readonly message: string;
        readonly remedy: string | null;
      }
    | {
        readonly __typename: 'RunPlan';
        readonly name: string;
        readonly project: string;
        readonly spec: unknown;
        readonly specHash: string;
        readonly steps: number;
        readonly warnings: ReadonlyArray<string>;
        readonly estimateReason: string | null;
        readonly parentRunId: string | null;
        readonly parentStep: number | null;
        readonly forkPath: string | null;
        readonly continues: boolean;
        readonly sources: ReadonlyArray<{ readonly path: string; readonly source: ValueSource }>;
        readonly derived: {
          readonly trajectoriesPerStep: number;
          readonly keptGroupsPerStep: number;
          readonly trajectoriesPerMiniBatch: number;
          readonly optimizerStepsPerStep: number;
          readonly optimizerSteps: number;
          readonly episodes: number;
          readonly tags: ReadonlyArray<{
            readonly tag: string;
            readonly groups: number;
            readonly share: number;
            readonly trajectoriesPerStep: number;
            readonly keptGroupsPerStep: number | null;
          }> | null;
        };
        readonly inert: ReadonlyArray<{
          readonly path: string;
          readonly reason: string;
          readonly set: boolean;
        }>;
        readonly needs: {
          readonly kind: DeviceKind;
          readonly count: number;
          readonly memoryMb: number;
          readonly labels: ReadonlyArray<string>;
        };
        readonly plugins: ReadonlyArray<{
          readonly kind: VersionedKind;
          readonly id: string;
          readonly version: string;
          readonly sha256: string;
          readonly isExternal: boolean | null;
        }>;
        readonly estimate: {
          readonly parameters: number;
          readonly tokensPerStep: number;
          readonly modelBytes: number;
          readonly cacheBytes: number;
          readonly activationBytes: number;
          readonly checkpointBytes: number;
          readonly checkpointsBytes: number;
          readonly secondsPerStep: ReadonlyArray<number> | null;
          readonly threads: number;
          readonly graphs: ReadonlyArray<{ readonly name: string; readonly nodes: number }>;
          readonly expected: {
            readonly turnsPerEpisode: number;
            readonly tokensPerEpisode: number;
            readonly sampledTokens: number;
            readonly trainedTokens: number;
            readonly paddingShare: number;
            readonly collectSeconds: number | null;
            readonly updateSeconds: number | null;
            readonly secondsPerStep: number | null;
            readonly peakBytes: number;
          };
        } | null;
        readonly differences: ReadonlyArray<{
          readonly path: string;
          readonly values: ReadonlyArray<unknown>;
        }>;
      }
    | null;
};

export type PlanFieldsFragment = {
  readonly name: string;
  readonly project: string;
  readonly spec: unknown;
  readonly specHash: string;
  readonly steps: number;
  readonly warnings: ReadonlyArray<string>;
  readonly estimateReason: string | null;
  readonly parentRunId: string | null;
  readonly parentStep: number | null;
  readonly forkPath: string | null;
  readonly continues: boolean;
  readonly sources: ReadonlyArray<{ readonly path: string; readonly source: ValueSource }>;
  readonly derived: {
    readonly trajectoriesPerStep: number;
    readonly keptGroupsPerStep: number;
    readonly trajectoriesPerMiniBatch: number;
    readonly optimizerStepsPerStep: number;
    readonly optimizerSteps: number;
    readonly episodes: number;
    readonly tags: ReadonlyArray<{
      readonly tag: string;
      readonly groups: number;
      readonly share: number;
      readonly trajectoriesPerStep: number;
      readonly keptGroupsPerStep: number | null;
    }> | null;
  };
  readonly inert: ReadonlyArray<{ readonly path: string; readonly reason: string; readonly set: boolean }>;
  readonly needs: {
    readonly kind: DeviceKind;
    readonly count: number;
    readonly memoryMb: number;
    readonly labels: ReadonlyArray<string>;
  };
  readonly plugins: ReadonlyArray<{
    readonly kind: VersionedKind;
    readonly id: string;
    readonly version: string;
    readonly sha256: string;
    readonly isExternal: boolean | null;
  }>;
  readonly estimate: {
    readonly parameters: number;
    readonly tokensPerStep: number;
    readonly modelBytes: number;
    readonly cacheBytes: number;
    readonly activationBytes: number;
    readonly checkpointBytes: number;
    readonly checkpointsBytes: number;
    readonly secondsPerStep: ReadonlyArray<number> | null;
    readonly threads: number;
    readonly graphs: ReadonlyArray<{ readonly name: string; readonly nodes: number }>;
    readonly expected: {
      readonly turnsPerEpisode: number;
      readonly tokensPerEpisode: number;
      readonly sampledTokens: number;
      readonly trainedTokens: number;
      readonly paddingShare: number;
      readonly collectSeconds: number | null;
      readonly updateSeconds: number | null;
      readonly secondsPerStep: number | null;
      readonly peakBytes: number;
    };
  } | null;
  readonly differences: ReadonlyArray<{ readonly path: string; readonly values: ReadonlyArray<unknown> }>;
};

export type PauseRunMutationVariables = Exact<{
  input: PauseRunInput;
}>;

export type PauseRunMutation = {
  readonly pauseRun:
    | {
        readonly __typename: 'NotFound';
        readonly code: string;
        readonly message: string;
        readonly remedy: string | null;
      }
    | {
        readonly __typename: 'NotPossible';
        readonly code: string;
        readonly message: string;
        readonly remedy: string | null;
      }
    | {
        readonly __typename: 'Run';
        readonly id: string;
        readonly project: string;
        readonly name: string;
        readonly title: string;
        readonly state: JobState;
        readonly message: string;
        readonly priority: number;
        readonly tags: ReadonlyArray<string>;
        readonly group: string;
        readonly note: string;
        readonly step: number | null;
        readonly steps: number;
        readonly latest: Readonly<Record<string, number | null>>;
        readonly health: HealthState | null;
        readonly warnings: number;
        readonly head: number;
        readonly createdAt: string;
        readonly createdBy: string;
        readonly startedAt: string | null;
        readonly endedAt: string | null;
        readonly parentRunId: string | null;
        readonly parentStep: number | null;
        readonly continues: boolean;
        readonly host: string | null;
        readonly imported: boolean;
        readonly specHash: string;
      }
    | {
        readonly __typename: 'WrongState';
        readonly state: JobState;
        readonly code: string;
        readonly message: string;
        readonly remedy: string | null;
      }
    | null;
};

export type ResumeRunMutationVariables = Exact<{
  input: ResumeRunInput;
}>;

export type ResumeRunMutation = {
  readonly resumeRun:
    | {
        readonly __typename: 'NotFound';
        readonly code: string;
        readonly message: string;
        readonly remedy: string | null;
      }
    | {
        readonly __typename: 'NotPossible';
        readonly code: string;
        readonly message: string;
        readonly remedy: string | null;
      }
    | {
        readonly __typename: 'Run';
        readonly id: string;
        readonly project: string;
        readonly name: string;
        readonly title: string;
        readonly state: JobState;
        readonly message: string;
        readonly priority: number;
        readonly tags: ReadonlyArray<string>;
        readonly group: string;
        readonly note: string;
        readonly step: number | null;
        readonly steps: number;
        readonly latest: Readonly<Record<string, number | null>>;
        readonly health: HealthState | null;
        readonly warnings: number;
        readonly head: number;
        readonly createdAt: string;
        readonly createdBy: string;
        readonly startedAt: string | null;
        readonly endedAt: string | null;
        readonly parentRunId: string | null;
        readonly parentStep: number | null;
        readonly continues: boolean;
        readonly host: string | null;
        readonly imported: boolean;
        readonly specHash: string;
      }
    | {
        readonly __typename: 'WrongState';
        readonly state: JobState;
        readonly code: string;
        readonly message: string;
        readonly remedy: string | null;
      }
    | null;
};

export type CancelRunMutationVariables = Exact<{
  input: CancelRunInput;
}>;

export type CancelRunMutation = {
  readonly cancelRun:
    | {
        readonly __typename: 'NotFound';
        readonly code: string;
        readonly message: string;
        readonly remedy: string | null;
      }
    | {
        readonly __typename: 'NotPossible';
        readonly code: string;
        readonly message: string;
        readonly remedy: string | null;
      }
    | {
        readonly __typename: 'Run';
        readonly id: string;
        readonly project: string;
        readonly name: string;
        readonly title: string;
        readonly state: JobState;
        readonly message: string;
        readonly priority: number;
        readonly tags: ReadonlyArray<string>;
        readonly group: string;
        readonly note: string;
        readonly step: number | null;
        readonly steps: number;
        readonly latest: Readonly<Record<string, number | null>>;
        readonly health: HealthState | null;
        readonly warnings: number;
        readonly head: number;
        readonly createdAt: string;
        readonly createdBy: string;
        readonly startedAt: string | null;
        readonly endedAt: string | null;
        readonly parentRunId: string | null;
        readonly parentStep: number | null;
        readonly continues: boolean;
        readonly host: string | null;
        readonly imported: boolean;
        readonly specHash: string;
      }
    | {
        readonly __typename: 'WrongState';
        readonly state: JobState;
        readonly code: string;
        readonly message: string;
        readonly remedy: string | null;
      }
    | null;
};

export type ForkRunMutationVariables = Exact<{
  input: ForkRunInput;
}>;

export type ForkRunMutation = {
  readonly forkRun:
    | {
        readonly __typename: 'InvalidInput';
        readonly problems: ReadonlyArray<string>;
        readonly code: string;
        readonly message: string;
        readonly remedy: string | null;
      }
    | {
        readonly __typename: 'NotFound';
        readonly code: string;
        readonly message: string;
        readonly remedy: string | null;
      }
    | {
        readonly __typename: 'NotPossible';
        readonly code: string;
        readonly message: string;
        readonly remedy: string | null;
      }
    | {
        readonly __typename: 'Run';
        readonly id: string;
        readonly project: string;
        readonly name: string;
        readonly title: string;
        readonly state: JobState;
        readonly message: string;
        readonly priority: number;
        readonly tags: ReadonlyArray<string>;
        readonly group: string;
        readonly note: string;
        readonly step: number | null;
        readonly steps: number;
        readonly latest: Readonly<Record<string, number | null>>;
        readonly health: HealthState | null;
        readonly warnings: number;
        readonly head: number;
        readonly createdAt: string;
        readonly createdBy: string;
        readonly startedAt: string | null;
        readonly endedAt: string | null;
        readonly parentRunId: string | null;
        readonly parentStep: number | null;
        readonly continues: boolean;
        readonly host: string | null;
        readonly imported: boolean;
        readonly specHash: string;
      }
    | null;
};

export type PlanForkMutationVariables = Exact<{
  input: PlanForkInput;
}>;

export type PlanForkMutation = {
  readonly planFork:
    | {
        readonly __typename: 'InvalidInput';
        readonly problems: ReadonlyArray<string>;
        readonly code: string;
        readonly message: string;
        readonly remedy: string | null;
      }
    | {
        readonly __typename: 'NotFound';
        readonly code: string;
        readonly message: string;
        readonly remedy: string | null;
      }
    | {
        readonly __typename: 'NotPossible';
        readonly code: string;
        readonly message: string;
        readonly remedy: string | null;
      }
    | {
        readonly __typename: 'RunPlan';
        readonly name: string;
        readonly project: string;
        readonly spec: unknown;
        readonly specHash: string;
        readonly steps: number;
        readonly warnings: ReadonlyArray<string>;
        readonly estimateReason: string | null;
        readonly parentRunId: string | null;
        readonly parentStep: number | null;
        readonly forkPath: string | null;
        readonly continues: boolean;
        readonly sources: ReadonlyArray<{ readonly path: string; readonly source: ValueSource }>;
        readonly derived: {
          readonly trajectoriesPerStep: number;
          readonly keptGroupsPerStep: number;
          readonly trajectoriesPerMiniBatch: number;
          readonly optimizerStepsPerStep: number;
          readonly optimizerSteps: number;
          readonly episodes: number;
          readonly tags: ReadonlyArray<{
            readonly tag: string;
            readonly groups: number;
            readonly share: number;
            readonly trajectoriesPerStep: number;
            readonly keptGroupsPerStep: number | null;
          }> | null;
        };
        readonly inert: ReadonlyArray<{
          readonly path: string;
          readonly reason: string;
          readonly set: boolean;
        }>;
        readonly needs: {
          readonly kind: DeviceKind;
          readonly count: number;
          readonly memoryMb: number;
          readonly labels: ReadonlyArray<string>;
        };
        readonly plugins: ReadonlyArray<{
          readonly kind: VersionedKind;
          readonly id: string;
          readonly version: string;
          readonly sha256: string;
          readonly isExternal: boolean | null;
        }>;
        readonly estimate: {
          readonly parameters: number;
          readonly tokensPerStep: number;
          readonly modelBytes: number;
          readonly cacheBytes: number;
          readonly activationBytes: number;
          readonly checkpointBytes: number;
          readonly checkpointsBytes: number;
          readonly secondsPerStep: ReadonlyArray<number> | null;
          readonly threads: number;
          readonly graphs: ReadonlyArray<{ readonly name: string; readonly nodes: number }>;
          readonly expected: {
            readonly turnsPerEpisode: number;
            readonly tokensPerEpisode: number;
            readonly sampledTokens: number;
            readonly trainedTokens: number;
            readonly paddingShare: number;
            readonly collectSeconds: number | null;
            readonly updateSeconds: number | null;
            readonly secondsPerStep: number | null;
            readonly peakBytes: number;
          };
        } | null;
        readonly differences: ReadonlyArray<{
          readonly path: string;
          readonly values: ReadonlyArray<unknown>;
        }>;
      }
    | null;
};

export type EvaluateRunMutationVariables = Exact<{
  input: EvaluateRunInput;
}>;

export type EvaluateRunMutation = {
  readonly evaluateRun:
    | {
        readonly __typename: 'InvalidInput';
        readonly problems: ReadonlyArray<string>;
        readonly code: string;
        readonly message: string;
        readonly remedy: string | null;
      }
    | {
        readonly __typename: 'Job';
        readonly id: string;
        readonly runId: string;
        readonly kind: JobKind;
        readonly state: JobState;
        readonly message: string;
        readonly priority: number;
        readonly createdAt: string;
        readonly queuedAt: string;
        readonly startedAt: string | null;
        readonly endedAt: string | null;
        readonly failures: number;
        readonly needs: {
          readonly kind: DeviceKind;
          readonly count: number;
          readonly memoryMb: number;
          readonly labels: ReadonlyArray<string>;
        };
        readonly result: {
          readonly model: string;
          readonly environment: string;
          readonly episodes: number;
          readonly failed: number;
          readonly successRate: number;
          readonly successLow: number;
          readonly successHigh: number;
          readonly metrics: Readonly<Record<string, number | null>>;
          readonly tags: ReadonlyArray<{
            readonly tag: string;
            readonly environment: string;
            readonly trained: boolean;
            readonly episodes: number;
            readonly failed: number;
            readonly successRate: number | null;
            readonly successLow: number | null;
            readonly successHigh: number | null;
            readonly error: string | null;
          }> | null;
          readonly outcomes: ReadonlyArray<{
            readonly stateSeed: number;
            readonly success: boolean;
            readonly total: number | null;
            readonly stopReason: StopReason;
            readonly turns: number;
            readonly actions: number;
            readonly formatShare: number;
          }> | null;
        } | null;
      }
    | {
        readonly __typename: 'NotFound';
        readonly code: string;
        readonly message: string;
        readonly remedy: string | null;
      }
    | {
        readonly __typename: 'NotPossible';
        readonly code: string;
        readonly message: string;
        readonly remedy: string | null;
      }
    | null;
};

export type DeleteRunMutationVariables = Exact<{
  input: DeleteRunInput;
}>;

export type DeleteRunMutation = {
  readonly deleteRun:
    | {
        readonly __typename: 'NotFound';
        readonly code: string;
        readonly message: string;
        readonly remedy: string | null;
      }
    | {
        readonly __typename: 'NotPossible';
        readonly code: string;
        readonly message: string;
        readonly remedy: string | null;
      }
    | {
        readonly __typename: 'Run';
        readonly id: string;
        readonly project: string;
        readonly name: string;
        readonly title: string;
        readonly state: JobState;
        readonly message: string;
        readonly priority: number;
        readonly tags: ReadonlyArray<string>;
        readonly group: string;
        readonly note: string;
        readonly step: number | null;
        readonly steps: number;
        readonly latest: Readonly<Record<string, number | null>>;
        readonly health: HealthState | null;
        readonly warnings: number;
        readonly head: number;
        readonly createdAt: string;
        readonly createdBy: string;
        readonly startedAt: string | null;
        readonly endedAt: string | null;
        readonly parentRunId: string | null;
        readonly parentStep: number | null;
        readonly continues: boolean;
        readonly host: string | null;
        readonly imported: boolean;
        readonly specHash: string;
      }
    | {
        readonly __typename: 'WrongState';
        readonly state: JobState;
        readonly code: string;
        readonly message: string;
        readonly remedy: string | null;
      }
    | null;
};

export type ListCheckpointsQueryVariables = Exact<{
  id: string | number;
  first: number;
  after?: string | null | undefined;
}>;

export type ListCheckpointsQuery = {
  readonly run: {
    readonly checkpoints: {
      readonly nodes: ReadonlyArray<{
        readonly step: number;
        readonly path: string;
        readonly files: number;
        readonly bytes: number;
        readonly createdAt: string;
        readonly isComplete: boolean;
        readonly canFork: boolean;
      }>;
      readonly pageInfo: {
        readonly startCursor: string | null;
        readonly endCursor: string | null;
        readonly hasNextPage: boolean;
        readonly hasPreviousPage: boolean;
      };
    };
  } | null;
};

export type ListEvaluationsQueryVariables = Exact<{
  id: string | number;
  first: number;
  after?: string | null | undefined;
}>;

export type ListEvaluationsQuery = {
  readonly run: {
    readonly evaluations: {
      readonly nodes: ReadonlyArray<{
        readonly jobId: string;
        readonly state: JobState;
        readonly message: string;
        readonly step: number;
        readonly checkpoint: string;
        readonly split: Split | null;
        readonly episodes: number | null;
        readonly createdAt: string;
        readonly endedAt: string | null;
        readonly successRate: number | null;
        readonly successLow: number | null;
        readonly successHigh: number | null;
        readonly rewardMean: number | null;
        readonly trajectory: string | null;
        readonly rescoredSteps: ReadonlyArray<number> | null;
        readonly rescoredBy: ReadonlyArray<{ readonly use: string; readonly weight: number }> | null;
      }>;
      readonly pageInfo: {
        readonly startCursor: string | null;
        readonly endCursor: string | null;
        readonly hasNextPage: boolean;
        readonly hasPreviousPage: boolean;
      };
    };
  } | null;
};

export type ListRunEventsQueryVariables = Exact<{
  runId: string | number;
  filter?: RunEventFilter | null | undefined;
  first?: number | null | undefined;
  after?: string | null | undefined;
  last?: number | null | undefined;
  before?: string | null | undefined;
  orderBy?: RunEventOrder | null | undefined;
}>;

export type ListRunEventsQuery = {
  readonly runEvents: {
    readonly nodes: ReadonlyArray<{
      readonly cursor: number;
      readonly kind: RunEventKind;
      readonly time: string;
      readonly step: number | null;
      readonly attempt: number | null;
      readonly body:
        | { readonly __typename: 'ArtifactEvent' }
        | { readonly __typename: 'CheckpointEvent'; readonly folder: string }
        | { readonly __typename: 'EvaluatedEvent' }
        | {
            readonly __typename: 'LevelEvent';
            readonly levels: number;
            readonly successRate: number;
            readonly levelBefore: number;
            readonly levelNow: number;
          }
        | { readonly __typename: 'LogEvent'; readonly line: string }
        | {
            readonly __typename: 'MonitorEvent';
            readonly action: MonitorAction | null;
            readonly restored: number | null;
            readonly message: string;
            readonly health: HealthState;
            readonly healthBefore: HealthState;
            readonly findings: ReadonlyArray<{
              readonly rule: HealthRule;
              readonly level: HealthLevel;
              readonly input: string;
              readonly measure: number | null;
              readonly limit: number;
              readonly value: number | null;
              readonly baseline: number | null;
              readonly since: number;
              readonly history: ReadonlyArray<number>;
            }>;
          }
        | { readonly __typename: 'NoteEvent' }
        | {
            readonly __typename: 'ProcessEndedEvent';
            readonly signal: string | null;
            readonly message: string;
            readonly exitCode: number | null;
          }
        | { readonly __typename: 'ProcessStartedEvent' }
        | { readonly __typename: 'RunEndedEvent'; readonly outcome: RunOutcome; readonly message: string }
        | { readonly __typename: 'RunStartedEvent'; readonly attempt: number }
        | {
            readonly __typename: 'StateEvent';
            readonly message: string;
            readonly job: JobKind;
            readonly stateBefore: JobState | null;
            readonly stateNow: JobState;
          }
        | { readonly __typename: 'TrajectoryEvent' }
        | { readonly __typename: 'WarningEvent'; readonly message: string; readonly warning: string };
    }>;
    readonly pageInfo: {
      readonly startCursor: string | null;
      readonly endCursor: string | null;
      readonly hasNextPage: boolean;
      readonly hasPreviousPage: boolean;
    };
  } | null;
};

export type CountRunEventsQueryVariables = Exact<{
  runId: string | number;
  filter?: RunEventFilter | null | undefined;
  ranges: number;
}>;

export type CountRunEventsQuery = {
  readonly runEventCounts: {
    readonly cursor: number;
    readonly counts: ReadonlyArray<{
      readonly kind: RunEventKind;
      readonly firstStep: number | null;
      readonly lastStep: number | null;
      readonly count: number;
    }>;
  } | null;
};

export type ListLogLinesQueryVariables = Exact<{
  id: string | number;
  filter?: LogFilter | null | undefined;
  first?: number | null | undefined;
  after?: string | null | undefined;
  last?: number | null | undefined;
  before?: string | null | undefined;
  orderBy?: LogLineOrder | null | undefined;
}>;

export type ListLogLinesQuery = {
  readonly runLogs: {
    readonly nodes: ReadonlyArray<{
      readonly cursor: number;
      readonly time: string;
      readonly attempt: number;
      readonly text: string;
    }>;
    readonly pageInfo: {
      readonly startCursor: string | null;
      readonly endCursor: string | null;
      readonly hasNextPage: boolean;
      readonly hasPreviousPage: boolean;
    };
  } | null;
};

export type ReadEtaQueryVariables = Exact<{
  id: string | number;
}>;

export type ReadEtaQuery = {
  readonly run: { readonly eta: { readonly seconds: number; readonly at: string } | null } | null;
};

export type BulkRunsMutationVariables = Exact<{
  input: BulkRunsInput;
}>;

export type BulkRunsMutation = {
  readonly bulkRuns:
    | {
        readonly __typename: 'BulkRuns';
        readonly results: ReadonlyArray<{
          readonly runId: string;
          readonly result:
            | {
                readonly __typename: 'InvalidInput';
                readonly problems: ReadonlyArray<string>;
                readonly code: string;
                readonly message: string;
                readonly remedy: string | null;
              }
            | {
                readonly __typename: 'NotFound';
                readonly code: string;
                readonly message: string;
                readonly remedy: string | null;
              }
            | {
                readonly __typename: 'NotPossible';
                readonly code: string;
                readonly message: string;
                readonly remedy: string | null;
              }
            | {
                readonly __typename: 'Run';
                readonly id: string;
                readonly project: string;
                readonly name: string;
                readonly title: string;
                readonly state: JobState;
                readonly message: string;
                readonly priority: number;
                readonly tags: ReadonlyArray<string>;
                readonly group: string;
                readonly note: string;
                readonly step: number | null;
                readonly steps: number;
                readonly latest: Readonly<Record<string, number | null>>;
                readonly health: HealthState | null;
                readonly warnings: number;
                readonly head: number;
                readonly createdAt: string;
                readonly createdBy: string;
                readonly startedAt: string | null;
                readonly endedAt: string | null;
                readonly parentRunId: string | null;
                readonly parentStep: number | null;
                readonly continues: boolean;
                readonly host: string | null;
                readonly imported: boolean;
                readonly specHash: string;
              }
            | {
                readonly __typename: 'WrongState';
                readonly state: JobState;
                readonly code: string;
                readonly message: string;
                readonly remedy: string | null;
              };
        }>;
      }
    | {
        readonly __typename: 'InvalidInput';
        readonly problems: ReadonlyArray<string>;
        readonly code: string;
        readonly message: string;
        readonly remedy: string | null;
      }
    | null;
};

export type EditRunMutationVariables = Exact<{
  input: EditRunInput;
}>;

export type EditRunMutation = {
  readonly editRun:
    | {
        readonly __typename: 'InvalidInput';
        readonly problems: ReadonlyArray<string>;
        readonly code: string;
        readonly message: string;
        readonly remedy: string | null;
      }
    | {
        readonly __typename: 'NotFound';
        readonly code: string;
        readonly message: string;
        readonly remedy: string | null;
      }
    | {
        readonly __typename: 'NotPossible';
        readonly code: string;
        readonly message: string;
        readonly remedy: string | null;
      }
    | {
        readonly __typename: 'Run';
        readonly id: string;
        readonly project: string;
        readonly name: string;
        readonly title: string;
        readonly state: JobState;
        readonly message: string;
        readonly priority: number;
        readonly tags: ReadonlyArray<string>;
        readonly group: string;
        readonly note: string;
        readonly step: number | null;
        readonly steps: number;
        readonly latest: Readonly<Record<string, number | null>>;
        readonly health: HealthState | null;
        readonly warnings: number;
        readonly head: number;
        readonly createdAt: string;
        readonly createdBy: string;
        readonly startedAt: string | null;
        readonly endedAt: string | null;
        readonly parentRunId: string | null;
        readonly parentStep: number | null;
        readonly continues: boolean;
        readonly host: string | null;
        readonly imported: boolean;
        readonly specHash: string;
      }
    | null;
};

export type CommentFieldsFragment = {
  readonly id: string;
  readonly runId: string;
  readonly createdAt: string;
  readonly createdBy: string;
  readonly text: string;
  readonly step: number | null;
  readonly keyId: string | null;
  readonly parentId: string | null;
  readonly alertId: string | null;
  readonly trajectoryId: string | null;
  readonly turn: number | null;
  readonly tokenStart: number | null;
  readonly tokenEnd: number | null;
  readonly editedAt: string | null;
  readonly deletedAt: string | null;
};

export type ListCommentsQueryVariables = Exact<{
  id: string | number;
  filter?: RunCommentFilter | null | undefined;
  first?: number | null | undefined;
  after?: string | null | undefined;
}>;

export type ListCommentsQuery = {
  readonly run: {
    readonly comments: {
      readonly nodes: ReadonlyArray<{
        readonly id: string;
        readonly runId: string;
        readonly createdAt: string;
        readonly createdBy: string;
        readonly text: string;
        readonly step: number | null;
        readonly keyId: string | null;
        readonly parentId: string | null;
        readonly alertId: string | null;
        readonly trajectoryId: string | null;
        readonly turn: number | null;
        readonly tokenStart: number | null;
        readonly tokenEnd: number | null;
        readonly editedAt: string | null;
        readonly deletedAt: string | null;
      }>;
      readonly pageInfo: {
        readonly startCursor: string | null;
        readonly endCursor: string | null;
        readonly hasNextPage: boolean;
        readonly hasPreviousPage: boolean;
      };
    };
  } | null;
};

export type AddRunCommentMutationVariables = Exact<{
  input: AddRunCommentInput;
}>;

export type AddRunCommentMutation = {
  readonly addRunComment:
    | {
        readonly __typename: 'InvalidInput';
        readonly problems: ReadonlyArray<string>;
        readonly code: string;
        readonly message: string;
        readonly remedy: string | null;
      }
    | {
        readonly __typename: 'NotFound';
        readonly code: string;
        readonly message: string;
        readonly remedy: string | null;
      }
    | {
        readonly __typename: 'NotPossible';
        readonly code: string;
        readonly message: string;
        readonly remedy: string | null;
      }
    | {
        readonly __typename: 'RunComment';
        readonly id: string;
        readonly runId: string;
        readonly createdAt: string;
        readonly createdBy: string;
        readonly text: string;
        readonly step: number | null;
        readonly keyId: string | null;
        readonly parentId: string | null;
        readonly alertId: string | null;
        readonly trajectoryId: string | null;
        readonly turn: number | null;
        readonly tokenStart: number | null;
        readonly tokenEnd: number | null;
        readonly editedAt: string | null;
        readonly deletedAt: string | null;
      }
    | null;
};

export type EditRunCommentMutationVariables = Exact<{
  input: EditRunCommentInput;
}>;

export type EditRunCommentMutation = {
  readonly editRunComment:
    | {
        readonly __typename: 'InvalidInput';
        readonly problems: ReadonlyArray<string>;
        readonly code: string;
        readonly message: string;
        readonly remedy: string | null;
      }
    | {
        readonly __typename: 'NotFound';
        readonly code: string;
        readonly message: string;
        readonly remedy: string | null;
      }
    | {
        readonly __typename: 'NotPossible';
        readonly code: string;
        readonly message: string;
        readonly remedy: string | null;
      }
    | {
        readonly __typename: 'RunComment';
        readonly id: string;
        readonly runId: string;
        readonly createdAt: string;
        readonly createdBy: string;
        readonly text: string;
        readonly step: number | null;
        readonly keyId: string | null;
        readonly parentId: string | null;
        readonly alertId: string | null;
        readonly trajectoryId: string | null;
        readonly turn: number | null;
        readonly tokenStart: number | null;
        readonly tokenEnd: number | null;
        readonly editedAt: string | null;
        readonly deletedAt: string | null;
      }
    | null;
};

export type WatchCommentsSubscriptionVariables = Exact<{
  runId: string | number;
}>;

export type WatchCommentsSubscription = {
  readonly runCommentChanged: {
    readonly isDeleted: boolean;
    readonly comment: {
      readonly id: string;
      readonly runId: string;
      readonly createdAt: string;
      readonly createdBy: string;
      readonly text: string;
      readonly step: number | null;
      readonly keyId: string | null;
      readonly parentId: string | null;
      readonly alertId: string | null;
      readonly trajectoryId: string | null;
      readonly turn: number | null;
      readonly tokenStart: number | null;
      readonly tokenEnd: number | null;
      readonly editedAt: string | null;
      readonly deletedAt: string | null;
    };
  };
};

export type DeleteRunCommentMutationVariables = Exact<{
  input: DeleteRunCommentInput;
}>;

export type DeleteRunCommentMutation = {
  readonly deleteRunComment:
    | {
        readonly __typename: 'NotFound';
        readonly code: string;
        readonly message: string;
        readonly remedy: string | null;
      }
    | {
        readonly __typename: 'NotPossible';
        readonly code: string;
        readonly message: string;
        readonly remedy: string | null;
      }
    | {
        readonly __typename: 'RunComment';
        readonly id: string;
        readonly runId: string;
        readonly createdAt: string;
        readonly createdBy: string;
        readonly text: string;
        readonly step: number | null;
        readonly keyId: string | null;
        readonly parentId: string | null;
        readonly alertId: string | null;
        readonly trajectoryId: string | null;
        readonly turn: number | null;
        readonly tokenStart: number | null;
        readonly tokenEnd: number | null;
        readonly editedAt: string | null;
        readonly deletedAt: string | null;
      }
    | null;
};

export type WatchRunsSubscriptionVariables = Exact<{
  runId?: string | number | null | undefined;
  project?: string | null | undefined;
}>;

export type WatchRunsSubscription = {
  readonly runChanged: {
    readonly id: string;
    readonly project: string;
    readonly name: string;
    readonly title: string;
    readonly state: JobState;
    readonly message: string;
    readonly priority: number;
    readonly tags: ReadonlyArray<string>;
    readonly group: string;
    readonly note: string;
    readonly step: number | null;
    readonly steps: number;
    readonly latest: Readonly<Record<string, number | null>>;
    readonly health: HealthState | null;
    readonly warnings: number;
    readonly head: number;
    readonly createdAt: string;
    readonly createdBy: string;
    readonly startedAt: string | null;
    readonly endedAt: string | null;
    readonly parentRunId: string | null;
    readonly parentStep: number | null;
    readonly continues: boolean;
    readonly host: string | null;
    readonly imported: boolean;
    readonly specHash: string;
  };
};

export type CompareRunsQueryVariables = Exact<{
  ids: ReadonlyArray<string | number> | string | number;
  metrics?: ReadonlyArray<string> | string | null | undefined;
  last: number;
  by?: ReadonlyArray<string> | string | null | undefined;
  fromStep?: number | null | undefined;
  toStep?: number | null | undefined;
  axis: CurveAxis;
  points: number;
  ledger: boolean;
}>;

export type CompareRunsQuery = {
  readonly compareRuns: {
    readonly runs: ReadonlyArray<{
      readonly id: string;
      readonly project: string;
      readonly name: string;
      readonly title: string;
      readonly state: JobState;
      readonly message: string;
      readonly priority: number;
      readonly tags: ReadonlyArray<string>;
      readonly group: string;
      readonly note: string;
      readonly step: number | null;
      readonly steps: number;
      readonly latest: Readonly<Record<string, number | null>>;
      readonly health: HealthState | null;
      readonly warnings: number;
      readonly head: number;
      readonly createdAt: string;
      readonly createdBy: string;
      readonly startedAt: string | null;
      readonly endedAt: string | null;
      readonly parentRunId: string | null;
      readonly parentStep: number | null;
      readonly continues: boolean;
      readonly host: string | null;
      readonly imported: boolean;
      readonly specHash: string;
    }>;
    readonly differences: ReadonlyArray<{ readonly path: string; readonly values: ReadonlyArray<unknown> }>;
    readonly groups: ReadonlyArray<{
      readonly runIds: ReadonlyArray<string>;
      readonly seeds: ReadonlyArray<number>;
      readonly values: ReadonlyArray<unknown>;
    }>;
    readonly metrics: ReadonlyArray<{
      readonly name: string;
      readonly x: ReadonlyArray<number>;
      readonly runs: ReadonlyArray<{
        readonly runId: string;
        readonly count: number;
        readonly last: number | null;
        readonly lastStep: number | null;
        readonly min: number | null;
        readonly minStep: number | null;
        readonly max: number | null;
        readonly maxStep: number | null;
        readonly tailMean: number | null;
      }>;
      readonly groups: ReadonlyArray<{
        readonly group: number;
        readonly last: {
          readonly count: number;
          readonly mean: number;
          readonly std: number;
          readonly min: number;
          readonly max: number;
          readonly low: number | null;
          readonly high: number | null;
          readonly interquartileMean: number;
          readonly interquartileRange: number;
        } | null;
        readonly tailMean: {
          readonly count: number;
          readonly mean: number;
          readonly std: number;
          readonly min: number;
          readonly max: number;
          readonly low: number | null;
          readonly high: number | null;
          readonly interquartileMean: number;
          readonly interquartileRange: number;
        } | null;
        readonly max: {
          readonly count: number;
          readonly mean: number;
          readonly std: number;
          readonly min: number;
          readonly max: number;
          readonly low: number | null;
          readonly high: number | null;
          readonly interquartileMean: number;
          readonly interquartileRange: number;
        } | null;
        readonly min: {
          readonly count: number;
          readonly mean: number;
          readonly std: number;
          readonly min: number;
          readonly max: number;
          readonly low: number | null;
          readonly high: number | null;
          readonly interquartileMean: number;
          readonly interquartileRange: number;
        } | null;
        readonly curve: {
          readonly counts: ReadonlyArray<number>;
          readonly mean: ReadonlyArray<number | null>;
          readonly low: ReadonlyArray<number | null>;
          readonly high: ReadonlyArray<number | null>;
          readonly min: ReadonlyArray<number | null>;
          readonly max: ReadonlyArray<number | null>;
        } | null;
      }>;
    }>;
    readonly ledgers: ReadonlyArray<{
      readonly runId: string;
      readonly steps: number;
      readonly wallSeconds: number;
      readonly processorSeconds: number | null;
      readonly energyJoules: number | null;
      readonly energySource: EnergySource | null;
      readonly sampledTokens: number;
      readonly trainedTokens: number;
      readonly environmentSteps: number;
      readonly episodes: number;
      readonly optimizerSteps: number;
      readonly successPoints: number | null;
      readonly perMillionTokens: number | null;
      readonly perThousandInteractions: number | null;
      readonly perDeviceHour: number | null;
      readonly price: number | null;
      readonly perPrice: number | null;
      readonly phases: ReadonlyArray<{
        readonly phase: RunPhase;
        readonly wallSeconds: number;
        readonly processorSeconds: number | null;
        readonly energyJoules: number | null;
      }>;
    }> | null;
  } | null;
};

export type TestGroupsQueryVariables = Exact<{
  ids: ReadonlyArray<string | number> | string | number;
  against: ReadonlyArray<string | number> | string | number;
}>;

export type TestGroupsQuery = {
  readonly testGroups: {
    readonly reason: string | null;
    readonly tests: ReadonlyArray<{
      readonly tag: string | null;
      readonly step: number;
      readonly states: number;
      readonly difference: number;
      readonly low: number;
      readonly high: number;
      readonly method: TestMethod;
      readonly p: number;
      readonly adjusted: number;
    }>;
  } | null;
};

export type SpreadFieldsFragment = {
  readonly count: number;
  readonly mean: number;
  readonly std: number;
  readonly min: number;
  readonly max: number;
  readonly low: number | null;
  readonly high: number | null;
  readonly interquartileMean: number;
  readonly interquartileRange: number;
};

export type ReadContinuationQueryVariables = Exact<{
  jobId: string | number;
}>;

export type ReadContinuationQuery = {
  readonly job: {
    readonly result: {
      readonly continued: ReadonlyArray<{
        readonly turn: number;
        readonly episodes: number;
        readonly failed: number;
        readonly successRate: number | null;
        readonly successLow: number | null;
        readonly successHigh: number | null;
        readonly rewardMean: number | null;
        readonly outcomes: ReadonlyArray<{
          readonly success: boolean;
          readonly total: number | null;
          readonly stopReason: StopReason;
          readonly turns: number;
          readonly actions: number;
        }> | null;
      }> | null;
    } | null;
  } | null;
};

export type ReadRescoringQueryVariables = Exact<{
  jobId: string | number;
}>;

export type ReadRescoringQuery = {
  readonly job: {
    readonly result: {
      readonly episodes: number;
      readonly failed: number;
      readonly metrics: Readonly<Record<string, number | null>>;
      readonly rescoredRewards: {
        readonly meanStored: number | null;
        readonly meanRescored: number | null;
        readonly correlation: number | null;
        readonly reversed: number | null;
        readonly differingStored: number;
        readonly differingRescored: number;
      } | null;
      readonly rescoredTotals: ReadonlyArray<{
        readonly trajectory: string;
        readonly stored: number | null;
        readonly rescored: number | null;
      }> | null;
      readonly rescoredTrajectory: {
        readonly positions: ReadonlyArray<number>;
        readonly logprobs: ReadonlyArray<number | null>;
        readonly entropies: ReadonlyArray<number | null>;
      } | null;
      readonly rescoredTokens: ReadonlyArray<{
        readonly step: number;
        readonly tokens: number;
        readonly logprobStored: number | null;
        readonly logprobModel: number | null;
        readonly entropyStored: number | null;
        readonly entropyModel: number | null;
        readonly kl: number | null;
      }> | null;
    } | null;
  } | null;
};

export type CreateTicketMutationVariables = Exact<{
  input: CreateTicketInput;
}>;

export type CreateTicketMutation = {
  readonly createTicket:
    | {
        readonly __typename: 'InvalidInput';
        readonly problems: ReadonlyArray<string>;
        readonly code: string;
        readonly message: string;
        readonly remedy: string | null;
      }
    | {
        readonly __typename: 'NotFound';
        readonly code: string;
        readonly message: string;
        readonly remedy: string | null;
      }
    | {
        readonly __typename: 'Ticket';
        readonly ticket: string;
        readonly expiresAt: string;
        readonly url: string | null;
      }
    | null;
};

export type TotalAlertsQueryVariables = Exact<{
  filter?: AlertFilter | null | undefined;
}>;

export type TotalAlertsQuery = { readonly alerts: { readonly totalCount: number } | null };

export type TotalJobsQueryVariables = Exact<{
  states?: ReadonlyArray<JobState> | JobState | null | undefined;
}>;

export type TotalJobsQuery = { readonly jobs: { readonly totalCount: number } | null };

export type TotalKeysQueryVariables = Exact<{ [key: string]: never }>;

export type TotalKeysQuery = { readonly keys: { readonly totalCount: number } | null };

export type TotalRatingSetsQueryVariables = Exact<{
  filter?: RatingSetFilter | null | undefined;
}>;

export type TotalRatingSetsQuery = { readonly ratingSets: { readonly totalCount: number } | null };

export type TotalRunsQueryVariables = Exact<{
  filter?: RunFilter | null | undefined;
}>;

export type TotalRunsQuery = { readonly runs: { readonly totalCount: number } | null };

export type TotalTrajectoriesQueryVariables = Exact<{
  filter?: TrajectorySearch | null | undefined;
}>;

export type TotalTrajectoriesQuery = { readonly trajectories: { readonly totalCount: number } | null };

export type TotalWorkersQueryVariables = Exact<{ [key: string]: never }>;

export type TotalWorkersQuery = { readonly workers: { readonly totalCount: number } | null };

export type TrajectoryRowFieldsFragment = {
  readonly id: string;
  readonly runId: string;
  readonly attempt: number;
  readonly step: number;
  readonly environment: string;
  readonly environmentTag: string | null;
  readonly split: Split;
  readonly group: number;
  readonly index: number;
  readonly stateSeed: number;
  readonly reward: number | null;
  readonly environmentReward: number | null;
  readonly success: boolean;
  readonly stopReason: StopReason;
  readonly labels: ReadonlyArray<FailureLabel>;
  readonly turns: number;
  readonly tokens: number;
  readonly sampledTokens: number;
  readonly kept: boolean;
  readonly outcome: UpdateOutcome | null;
  readonly lossTokens: number | null;
  readonly clippedTokens: number | null;
  readonly updateShare: number | null;
  readonly error: string | null;
  readonly dropped: {
    readonly reason: string;
    readonly numbers: Readonly<Record<string, number | null>>;
  } | null;
};

export type ListTrajectoriesQueryVariables = Exact<{
  filter?: TrajectorySearch | null | undefined;
  orderBy?: TrajectoryOrder | null | undefined;
  first?: number | null | undefined;
  after?: string | null | undefined;
  last?: number | null | undefined;
  before?: string | null | undefined;
}>;

export type ListTrajectoriesQuery = {
  readonly trajectories: {
    readonly nodes: ReadonlyArray<{
      readonly id: string;
      readonly runId: string;
      readonly attempt: number;
      readonly step: number;
      readonly environment: string;
      readonly environmentTag: string | null;
      readonly split: Split;
      readonly group: number;
      readonly index: number;
      readonly stateSeed: number;
      readonly reward: number | null;
      readonly environmentReward: number | null;
      readonly success: boolean;
      readonly stopReason: StopReason;
      readonly labels: ReadonlyArray<FailureLabel>;
      readonly turns: number;
      readonly tokens: number;
      readonly sampledTokens: number;
      readonly kept: boolean;
      readonly outcome: UpdateOutcome | null;
      readonly lossTokens: number | null;
      readonly clippedTokens: number | null;
      readonly updateShare: number | null;
      readonly error: string | null;
      readonly dropped: {
        readonly reason: string;
        readonly numbers: Readonly<Record<string, number | null>>;
      } | null;
    }>;
    readonly pageInfo: {
      readonly startCursor: string | null;
      readonly endCursor: string | null;
      readonly hasNextPage: boolean;
      readonly hasPreviousPage: boolean;
    };
  } | null;
};

export type TrajectoryDetailFieldsFragment = {
  readonly previousId: string | null;
  readonly nextId: string | null;
  readonly level: number | null;
  readonly totalMs: number;
  readonly row: {
    readonly id: string;
    readonly runId: string;
    readonly attempt: number;
    readonly step: number;
    readonly environment: string;
    readonly environmentTag: string | null;
    readonly split: Split;
    readonly group: number;
    readonly index: number;
    readonly stateSeed: number;
    readonly reward: number | null;
    readonly environmentReward: number | null;
    readonly success: boolean;
    readonly stopReason: StopReason;
    readonly labels: ReadonlyArray<FailureLabel>;
    readonly turns: number;
    readonly tokens: number;
    readonly sampledTokens: number;
    readonly kept: boolean;
    readonly outcome: UpdateOutcome | null;
    readonly lossTokens: number | null;
    readonly clippedTokens: number | null;
    readonly updateShare: number | null;
    readonly error: string | null;
    readonly dropped: {
      readonly reason: string;
      readonly numbers: Readonly<Record<string, number | null>>;
    } | null;
  };
  readonly seeds: { readonly state: number; readonly noise: number; readonly sampling: number };
  readonly spans: ReadonlyArray<{
    readonly kind: SpanKind;
    readonly start: number;
    readonly end: number;
    readonly turn: number;
  }>;
  readonly windows: ReadonlyArray<{ readonly start: number; readonly firstTurn: number }>;
  readonly turns: ReadonlyArray<{
    readonly index: number;
    readonly observation: string;
    readonly stateKey: string;
    readonly render: string;
    readonly image: string | null;
    readonly plan: ReadonlyArray<string> | null;
    readonly response: string;
    readonly think: string;
    readonly answer: string;
    readonly formatValid: boolean;
    readonly formatPenalty: number;
    readonly sampleStop: SampleStop;
    readonly policyVersion: number | null;
    readonly parsedActions: ReadonlyArray<string>;
    readonly reward: number;
    readonly sampled: { readonly start: number; readonly end: number };
    readonly timings: { readonly sampleMs: number; readonly environmentMs: number };
    readonly actions: ReadonlyArray<{
      readonly text: string;
      readonly valid: boolean;
      readonly effective: boolean;
      readonly slipped: boolean | null;
      readonly reward: number;
      readonly metrics: Readonly<Record<string, number | null>>;
    }>;
  }>;
  readonly labels: ReadonlyArray<{ readonly name: FailureLabel; readonly turn: number }>;
  readonly score: {
    readonly total: number;
    readonly environment: number;
    readonly formatPenalty: number;
    readonly perTurn: readonly (number | null)[];
    readonly evidence: ReadonlyArray<{
      readonly reward: string;
      readonly turn: number;
      readonly start: number;
      readonly end: number;
      readonly value: number;
      readonly note: string;
    }>;
    readonly rewards: ReadonlyArray<{
      readonly name: string;
      readonly value: number;
      readonly weight: number;
    }>;
  };
  readonly update: {
    readonly outcome: UpdateOutcome;
    readonly lossTokens: number;
    readonly clippedTokens: number | null;
    readonly share: number | null;
    readonly policyVersion: number | null;
    readonly hasTokens: boolean;
    readonly firstPassSteps: number | null;
    readonly lastPassSteps: number | null;
  } | null;
};

export type ShowTrajectoryQueryVariables = Exact<{
  runId: string | number;
  id: string | number;
}>;

export type ShowTrajectoryQuery = {
  readonly trajectory: {
    readonly tokens: readonly (number | null)[];
    readonly logprobs: readonly (number | null)[];
    readonly entropies: readonly (number | null)[];
    readonly textEnds: readonly (number | null)[] | null;
    readonly previousId: string | null;
    readonly nextId: string | null;
    readonly level: number | null;
    readonly totalMs: number;
    readonly row: {
      readonly id: string;
      readonly runId: string;
      readonly attempt: number;
      readonly step: number;
      readonly environment: string;
      readonly environmentTag: string | null;
      readonly split: Split;
      readonly group: number;
      readonly index: number;
      readonly stateSeed: number;
      readonly reward: number | null;
      readonly environmentReward: number | null;
      readonly success: boolean;
      readonly stopReason: StopReason;
      readonly labels: ReadonlyArray<FailureLabel>;
      readonly turns: number;
      readonly tokens: number;
      readonly sampledTokens: number;
      readonly kept: boolean;
      readonly outcome: UpdateOutcome | null;
      readonly lossTokens: number | null;
      readonly clippedTokens: number | null;
      readonly updateShare: number | null;
      readonly error: string | null;
      readonly dropped: {
        readonly reason: string;
        readonly numbers: Readonly<Record<string, number | null>>;
      } | null;
    };
    readonly seeds: { readonly state: number; readonly noise: number; readonly sampling: number };
    readonly spans: ReadonlyArray<{
      readonly kind: SpanKind;
      readonly start: number;
      readonly end: number;
      readonly turn: number;
    }>;
    readonly windows: ReadonlyArray<{ readonly start: number; readonly firstTurn: number }>;
    readonly turns: ReadonlyArray<{
      readonly index: number;
      readonly observation: string;
      readonly stateKey: string;
      readonly render: string;
      readonly image: string | null;
      readonly plan: ReadonlyArray<string> | null;
      readonly response: string;
      readonly think: string;
      readonly answer: string;
      readonly formatValid: boolean;
      readonly formatPenalty: number;
      readonly sampleStop: SampleStop;
      readonly policyVersion: number | null;
      readonly parsedActions: ReadonlyArray<string>;
      readonly reward: number;
      readonly sampled: { readonly start: number; readonly end: number };
      readonly timings: { readonly sampleMs: number; readonly environmentMs: number };
      readonly actions: ReadonlyArray<{
        readonly text: string;
        readonly valid: boolean;
        readonly effective: boolean;
        readonly slipped: boolean | null;
        readonly reward: number;
        readonly metrics: Readonly<Record<string, number | null>>;
      }>;
    }>;
    readonly labels: ReadonlyArray<{ readonly name: FailureLabel; readonly turn: number }>;
    readonly score: {
      readonly total: number;
      readonly environment: number;
      readonly formatPenalty: number;
      readonly perTurn: readonly (number | null)[];
      readonly evidence: ReadonlyArray<{
        readonly reward: string;
        readonly turn: number;
        readonly start: number;
        readonly end: number;
        readonly value: number;
        readonly note: string;
      }>;
      readonly rewards: ReadonlyArray<{
        readonly name: string;
        readonly value: number;
        readonly weight: number;
      }>;
    };
    readonly update: {
      readonly outcome: UpdateOutcome;
      readonly lossTokens: number;
      readonly clippedTokens: number | null;
      readonly share: number | null;
      readonly policyVersion: number | null;
      readonly hasTokens: boolean;
      readonly firstPassSteps: number | null;
      readonly lastPassSteps: number | null;
    } | null;
  } | null;
};

export type OpenTrajectoryQueryVariables = Exact<{
  runId: string | number;
  id: string | number;
  buckets: number;
}>;

export type OpenTrajectoryQuery = {
  readonly trajectory: {
    readonly previousId: string | null;
    readonly nextId: string | null;
    readonly level: number | null;
    readonly totalMs: number;
    readonly tokenSummary: {
      readonly total: number;
      readonly bucketTokens: number;
      readonly sampled: readonly (number | null)[];
      readonly inLoss: readonly (number | null)[];
      readonly clipped: readonly (number | null)[] | null;
      readonly series: ReadonlyArray<{
        readonly name: string;
        readonly minima: readonly (number | null)[];
        readonly maxima: readonly (number | null)[];
        readonly means: readonly (number | null)[];
        readonly extremes: readonly (number | null)[];
      }>;
    };
    readonly row: {
      readonly id: string;
      readonly runId: string;
      readonly attempt: number;
      readonly step: number;
      readonly environment: string;
      readonly environmentTag: string | null;
      readonly split: Split;
      readonly group: number;
      readonly index: number;
      readonly stateSeed: number;
      readonly reward: number | null;
      readonly environmentReward: number | null;
      readonly success: boolean;
      readonly stopReason: StopReason;
      readonly labels: ReadonlyArray<FailureLabel>;
      readonly turns: number;
      readonly tokens: number;
      readonly sampledTokens: number;
      readonly kept: boolean;
      readonly outcome: UpdateOutcome | null;
      readonly lossTokens: number | null;
      readonly clippedTokens: number | null;
      readonly updateShare: number | null;
      readonly error: string | null;
      readonly dropped: {
        readonly reason: string;
        readonly numbers: Readonly<Record<string, number | null>>;
      } | null;
    };
    readonly seeds: { readonly state: number; readonly noise: number; readonly sampling: number };
    readonly spans: ReadonlyArray<{
      readonly kind: SpanKind;
      readonly start: number;
      readonly end: number;
      readonly turn: number;
    }>;
    readonly windows: ReadonlyArray<{ readonly start: number; readonly firstTurn: number }>;
    readonly turns: ReadonlyArray<{
      readonly index: number;
      readonly observation: string;
      readonly stateKey: string;
      readonly render: string;
      readonly image: string | null;
      readonly plan: ReadonlyArray<string> | null;
      readonly response: string;
      readonly think: string;
      readonly answer: string;
      readonly formatValid: boolean;
      readonly formatPenalty: number;
      readonly sampleStop: SampleStop;
      readonly policyVersion: number | null;
      readonly parsedActions: ReadonlyArray<string>;
      readonly reward: number;
      readonly sampled: { readonly start: number; readonly end: number };
      readonly timings: { readonly sampleMs: number; readonly environmentMs: number };
      readonly actions: ReadonlyArray<{
        readonly text: string;
        readonly valid: boolean;
        readonly effective: boolean;
        readonly slipped: boolean | null;
        readonly reward: number;
        readonly metrics: Readonly<Record<string, number | null>>;
      }>;
    }>;
    readonly labels: ReadonlyArray<{ readonly name: FailureLabel; readonly turn: number }>;
    readonly score: {
      readonly total: number;
      readonly environment: number;
      readonly formatPenalty: number;
      readonly perTurn: readonly (number | null)[];
      readonly evidence: ReadonlyArray<{
        readonly reward: string;
        readonly turn: number;
        readonly start: number;
        readonly end: number;
        readonly value: number;
        readonly note: string;
      }>;
      readonly rewards: ReadonlyArray<{
        readonly name: string;
        readonly value: number;
        readonly weight: number;
      }>;
    };
    readonly update: {
      readonly outcome: UpdateOutcome;
      readonly lossTokens: number;
      readonly clippedTokens: number | null;
      readonly share: number | null;
      readonly policyVersion: number | null;
      readonly hasTokens: boolean;
      readonly firstPassSteps: number | null;
      readonly lastPassSteps: number | null;
    } | null;
  } | null;
};

export type ReadAtifQueryVariables = Exact<{
  runId: string | number;
  id: string | number;
}>;

export type ReadAtifQuery = { readonly trajectory: { readonly atif: unknown } | null };

export type ReadTokensQueryVariables = Exact<{
  runId: string | number;
  id: string | number;
  from: number;
  count: number;
}>;

export type ReadTokensQuery = {
  readonly trajectory: {
    readonly tokenPage: {
      readonly from: number;
      readonly total: number;
      readonly tokens: readonly (number | null)[];
      readonly textEnds: readonly (number | null)[] | null;
      readonly mask: readonly (number | null)[];
      readonly clipped: readonly (number | null)[] | null;
      readonly logprobs: readonly (number | null)[];
      readonly entropies: readonly (number | null)[];
      readonly advantages: readonly (number | null)[] | null;
      readonly returns: readonly (number | null)[] | null;
      readonly trainerLogprobs: readonly (number | null)[] | null;
      readonly referenceLogprobs: readonly (number | null)[] | null;
      readonly samplerWeights: readonly (number | null)[] | null;
      readonly ratios: readonly (number | null)[] | null;
      readonly losses: readonly (number | null)[] | null;
      readonly gradientWeights: readonly (number | null)[] | null;
    };
  } | null;
};

export type CountTrajectoriesQueryVariables = Exact<{
  runId: string | number;
  filter?: TrajectoryFilter | null | undefined;
}>;

export type CountTrajectoriesQuery = {
  readonly trajectoryCounts: {
    readonly steps: readonly (number | null)[];
    readonly matching: readonly (number | null)[];
    readonly all: readonly (number | null)[];
  } | null;
};

export type PlayedStateFieldsFragment = {
  readonly observation: string;
  readonly actions: ReadonlyArray<string> | null;
  readonly render: string;
  readonly image: string | null;
  readonly facts: unknown;
  readonly hasOracle: boolean;
  readonly plan: ReadonlyArray<string> | null;
  readonly ended: StopReason | null;
  readonly legend: ReadonlyArray<{ readonly symbol: string; readonly meaning: string }>;
  readonly steps: ReadonlyArray<{
    readonly action: string;
    readonly reward: number;
    readonly valid: boolean;
    readonly effective: boolean;
    readonly slipped: boolean | null;
  }>;
};

export type PlayTrajectoryQueryVariables = Exact<{
  runId: string | number;
  id: string | number;
  turn: number;
  actions: ReadonlyArray<string> | string;
}>;

export type PlayTrajectoryQuery = {
  readonly playTrajectory: {
    readonly observation: string;
    readonly actions: ReadonlyArray<string> | null;
    readonly render: string;
    readonly image: string | null;
    readonly facts: unknown;
    readonly hasOracle: boolean;
    readonly plan: ReadonlyArray<string> | null;
    readonly ended: StopReason | null;
    readonly legend: ReadonlyArray<{ readonly symbol: string; readonly meaning: string }>;
    readonly steps: ReadonlyArray<{
      readonly action: string;
      readonly reward: number;
      readonly valid: boolean;
      readonly effective: boolean;
      readonly slipped: boolean | null;
    }>;
  } | null;
};

export type PlayEnvironmentQueryVariables = Exact<{
  environment: unknown;
  seed: number;
  noiseSeed?: number | null | undefined;
  actions: ReadonlyArray<string> | string;
}>;

export type PlayEnvironmentQuery = {
  readonly playEnvironment: {
    readonly observation: string;
    readonly actions: ReadonlyArray<string> | null;
    readonly render: string;
    readonly image: string | null;
    readonly facts: unknown;
    readonly hasOracle: boolean;
    readonly plan: ReadonlyArray<string> | null;
    readonly ended: StopReason | null;
    readonly legend: ReadonlyArray<{ readonly symbol: string; readonly meaning: string }>;
    readonly steps: ReadonlyArray<{
      readonly action: string;
      readonly reward: number;
      readonly valid: boolean;
      readonly effective: boolean;
      readonly slipped: boolean | null;
    }>;
  } | null;
};

export type ListAlarmsQueryVariables = Exact<{
  filter?: AlertFilter | null | undefined;
  first?: number | null | undefined;
  after?: string | null | undefined;
}>;

export type ListAlarmsQuery = {
  readonly alerts: {
    readonly nodes: ReadonlyArray<{
      readonly id: string;
      readonly runId: string;
      readonly severity: AlertSeverity;
      readonly code: string;
      readonly message: string;
      readonly step: number | null;
      readonly time: string;
      readonly acknowledgedAt: string | null;
      readonly acknowledgedBy: string | null;
      readonly project: string;
      readonly assigneeId: string | null;
      readonly assignee: string | null;
      readonly findings: ReadonlyArray<{
        readonly rule: HealthRule;
        readonly meaning: string;
        readonly level: HealthLevel;
        readonly input: string;
        readonly metrics: ReadonlyArray<string>;
        readonly measure: number;
        readonly limit: number;
        readonly value: number;
        readonly baseline: number | null;
        readonly since: number;
        readonly history: readonly (number | null)[];
        readonly metricLimit: number | null;
        readonly side: LimitSide;
      }>;
      readonly verdicts: ReadonlyArray<{
        readonly keyId: string;
        readonly createdBy: string;
        readonly judgement: AlertJudgement;
        readonly reason: string;
        readonly time: string;
      }>;
    }>;
    readonly pageInfo: {
      readonly startCursor: string | null;
      readonly endCursor: string | null;
      readonly hasNextPage: boolean;
      readonly hasPreviousPage: boolean;
    };
  } | null;
};

export type AlarmFieldsFragment = {
  readonly id: string;
  readonly runId: string;
  readonly severity: AlertSeverity;
  readonly code: string;
  readonly message: string;
  readonly step: number | null;
  readonly time: string;
  readonly acknowledgedAt: string | null;
  readonly acknowledgedBy: string | null;
  readonly project: string;
  readonly assigneeId: string | null;
  readonly assignee: string | null;
  readonly findings: ReadonlyArray<{
    readonly rule: HealthRule;
    readonly meaning: string;
    readonly level: HealthLevel;
    readonly input: string;
    readonly metrics: ReadonlyArray<string>;
    readonly measure: number;
    readonly limit: number;
    readonly value: number;
    readonly baseline: number | null;
    readonly since: number;
    readonly history: readonly (number | null)[];
    readonly metricLimit: number | null;
    readonly side: LimitSide;
  }>;
  readonly verdicts: ReadonlyArray<{
    readonly keyId: string;
    readonly createdBy: string;
    readonly judgement: AlertJudgement;
    readonly reason: string;
    readonly time: string;
  }>;
};

export type ReadAlertRecordQueryVariables = Exact<{
  project?: string | null | undefined;
}>;

export type ReadAlertRecordQuery = {
  readonly alertRecord: {
    readonly alpha: number | null;
    readonly judgedBySeveral: number;
    readonly kinds: ReadonlyArray<{
      readonly name: string;
      readonly isRule: boolean;
      readonly alerts: number;
      readonly confirmed: number;
      readonly falseAlarms: number;
      readonly undecided: number;
      readonly precision: number | null;
      readonly low: number;
      readonly high: number;
    }>;
  } | null;
};

export type JudgeAlertMutationVariables = Exact<{
  input: JudgeAlertInput;
}>;

export type JudgeAlertMutation = {
  readonly judgeAlert:
    | { readonly __typename: 'Alert'; readonly id: string }
    | {
        readonly __typename: 'InvalidInput';
        readonly problems: ReadonlyArray<string>;
        readonly code: string;
        readonly message: string;
        readonly remedy: string | null;
      }
    | {
        readonly __typename: 'NotFound';
        readonly code: string;
        readonly message: string;
        readonly remedy: string | null;
      }
    | null;
};

export type WatchRunAlertsSubscriptionVariables = Exact<{
  runId?: string | number | null | undefined;
}>;

export type WatchRunAlertsSubscription = { readonly alertChanged: { readonly id: string } };

export type SampleTrajectoriesQueryVariables = Exact<{
  runId: string | number;
  sample: TrajectorySampleInput;
}>;

export type SampleTrajectoriesQuery = {
  readonly trajectorySample: {
    readonly available: number;
    readonly seed: number;
    readonly strata: ReadonlyArray<{
      readonly success: boolean;
      readonly available: number;
      readonly taken: number;
    }>;
    readonly trajectories: ReadonlyArray<{
      readonly id: string;
      readonly runId: string;
      readonly attempt: number;
      readonly step: number;
      readonly environment: string;
      readonly environmentTag: string | null;
      readonly split: Split;
      readonly group: number;
      readonly index: number;
      readonly stateSeed: number;
      readonly reward: number | null;
      readonly environmentReward: number | null;
      readonly success: boolean;
      readonly stopReason: StopReason;
      readonly labels: ReadonlyArray<FailureLabel>;
      readonly turns: number;
      readonly tokens: number;
      readonly sampledTokens: number;
      readonly kept: boolean;
      readonly outcome: UpdateOutcome | null;
      readonly lossTokens: number | null;
      readonly clippedTokens: number | null;
      readonly updateShare: number | null;
      readonly error: string | null;
      readonly dropped: {
        readonly reason: string;
        readonly numbers: Readonly<Record<string, number | null>>;
      } | null;
    }>;
  } | null;
};

export type ReadAlertExamplesQueryVariables = Exact<{
  alertId: string | number;
  examples?: AlertExamplesInput | null | undefined;
}>;

export type ReadAlertExamplesQuery = {
  readonly alertExamples: {
    readonly rule: HealthRule | null;
    readonly quantity: ExampleQuantity;
    readonly order: ExampleOrder;
    readonly meaning: string;
    readonly unit: string;
    readonly fromStep: number;
    readonly toStep: number;
    readonly available: number;
    readonly considered: number;
    readonly examples: ReadonlyArray<{
      readonly value: number;
      readonly trajectory: {
        readonly id: string;
        readonly runId: string;
        readonly attempt: number;
        readonly step: number;
        readonly environment: string;
        readonly environmentTag: string | null;
        readonly split: Split;
        readonly group: number;
        readonly index: number;
        readonly stateSeed: number;
        readonly reward: number | null;
        readonly environmentReward: number | null;
        readonly success: boolean;
        readonly stopReason: StopReason;
        readonly labels: ReadonlyArray<FailureLabel>;
        readonly turns: number;
        readonly tokens: number;
        readonly sampledTokens: number;
        readonly kept: boolean;
        readonly outcome: UpdateOutcome | null;
        readonly lossTokens: number | null;
        readonly clippedTokens: number | null;
        readonly updateShare: number | null;
        readonly error: string | null;
        readonly dropped: {
          readonly reason: string;
          readonly numbers: Readonly<Record<string, number | null>>;
        } | null;
      };
    }>;
  } | null;
};

export type NeedsFieldsFragment = {
  readonly kind: DeviceKind;
  readonly count: number;
  readonly memoryMb: number;
  readonly labels: ReadonlyArray<string>;
};

export type PluginFieldsFragment = {
  readonly kind: VersionedKind;
  readonly id: string;
  readonly version: string;
  readonly sha256: string;
  readonly isExternal: boolean | null;
};

export type WorkerFieldsFragment = {
  readonly id: string;
  readonly name: string;
  readonly host: string;
  readonly version: string;
  readonly labels: ReadonlyArray<string>;
  readonly online: boolean;
  readonly draining: boolean;
  readonly connectedAt: string;
  readonly lastSeenAt: string;
  readonly plugins: ReadonlyArray<{
    readonly kind: VersionedKind;
    readonly id: string;
    readonly version: string;
    readonly sha256: string;
    readonly isExternal: boolean | null;
  }> | null;
};

export type ListWorkersQueryVariables = Exact<{
  first?: number | null | undefined;
  after?: string | null | undefined;
  last?: number | null | undefined;
  before?: string | null | undefined;
  orderBy?: WorkerOrder | null | undefined;
}>;

export type ListWorkersQuery = {
  readonly workers: {
    readonly nodes: ReadonlyArray<{
      readonly id: string;
      readonly name: string;
      readonly host: string;
      readonly version: string;
      readonly labels: ReadonlyArray<string>;
      readonly online: boolean;
      readonly draining: boolean;
      readonly connectedAt: string;
      readonly lastSeenAt: string;
      readonly plugins: ReadonlyArray<{
        readonly kind: VersionedKind;
        readonly id: string;
        readonly version: string;
        readonly sha256: string;
        readonly isExternal: boolean | null;
      }> | null;
    }>;
    readonly pageInfo: {
      readonly startCursor: string | null;
      readonly endCursor: string | null;
      readonly hasNextPage: boolean;
      readonly hasPreviousPage: boolean;
    };
  } | null;
};

export type ListDeviceHistoryQueryVariables = Exact<{
  id: string | number;
  hours: number;
  points: number;
}>;

export type ListDeviceHistoryQuery = {
  readonly worker: {
    readonly deviceHistory: ReadonlyArray<{
      readonly at: string;
      readonly devices: ReadonlyArray<{
        readonly id: string;
        readonly utilisation: number | null;
        readonly freeMemoryMb: number | null;
        readonly powerWatts: number | null;
        readonly temperatureCelsius: number | null;
      }>;
    }>;
  } | null;
};

export type ForgetWorkerMutationVariables = Exact<{
  input: ForgetWorkerInput;
}>;

export type ForgetWorkerMutation = {
  readonly forgetWorker:
    | {
        readonly __typename: 'NotFound';
        readonly code: string;
        readonly message: string;
        readonly remedy: string | null;
      }
    | {
        readonly __typename: 'NotPossible';
        readonly code: string;
        readonly message: string;
        readonly remedy: string | null;
      }
    | {
        readonly __typename: 'Worker';
        readonly id: string;
        readonly name: string;
        readonly host: string;
        readonly version: string;
        readonly labels: ReadonlyArray<string>;
        readonly online: boolean;
        readonly draining: boolean;
        readonly connectedAt: string;
        readonly lastSeenAt: string;
        readonly plugins: ReadonlyArray<{
          readonly kind: VersionedKind;
          readonly id: string;
          readonly version: string;
          readonly sha256: string;
          readonly isExternal: boolean | null;
        }> | null;
      }
    | null;
};

export type DrainWorkerMutationVariables = Exact<{
  input: DrainWorkerInput;
}>;

export type DrainWorkerMutation = {
  readonly drainWorker:
    | {
        readonly __typename: 'NotFound';
        readonly code: string;
        readonly message: string;
        readonly remedy: string | null;
      }
    | {
        readonly __typename: 'NotPossible';
        readonly code: string;
        readonly message: string;
        readonly remedy: string | null;
      }
    | {
        readonly __typename: 'Worker';
        readonly id: string;
        readonly name: string;
        readonly host: string;
        readonly version: string;
        readonly labels: ReadonlyArray<string>;
        readonly online: boolean;
        readonly draining: boolean;
        readonly connectedAt: string;
        readonly lastSeenAt: string;
        readonly plugins: ReadonlyArray<{
          readonly kind: VersionedKind;
          readonly id: string;
          readonly version: string;
          readonly sha256: string;
          readonly isExternal: boolean | null;
        }> | null;
      }
    | null;
};

export type UndrainWorkerMutationVariables = Exact<{
  input: UndrainWorkerInput;
}>;

export type UndrainWorkerMutation = {
  readonly undrainWorker:
    | {
        readonly __typename: 'NotFound';
        readonly code: string;
        readonly message: string;
        readonly remedy: string | null;
      }
    | {
        readonly __typename: 'Worker';
        readonly id: string;
        readonly name: string;
        readonly host: string;
        readonly version: string;
        readonly labels: ReadonlyArray<string>;
        readonly online: boolean;
        readonly draining: boolean;
        readonly connectedAt: string;
        readonly lastSeenAt: string;
        readonly plugins: ReadonlyArray<{
          readonly kind: VersionedKind;
          readonly id: string;
          readonly version: string;
          readonly sha256: string;
          readonly isExternal: boolean | null;
        }> | null;
      }
    | null;
};

export const AlertFieldsFragmentDoc = {
  kind: 'Document',
  definitions: [
    {
      kind: 'FragmentDefinition',
      name: { kind: 'Name', value: 'AlertFields' },
      typeCondition: { kind: 'NamedType', name: { kind: 'Name', value: 'Alert' } },
      selectionSet: {
        kind: 'SelectionSet',
        selections: [
          { kind: 'Field', name: { kind: 'Name', value: 'id' } },
          { kind: 'Field', name: { kind: 'Name', value: 'runId' } },
          { kind: 'Field', name: { kind: 'Name', value: 'severity' } },
          { kind: 'Field', name: { kind: 'Name', value: 'code' } },
          { kind: 'Field', name: { kind: 'Name', value: 'message' } },
          { kind: 'Field', name: { kind: 'Name', value: 'step' } },
          { kind: 'Field', name: { kind: 'Name', value: 'time' } },
          { kind: 'Field', name: { kind: 'Name', value: 'acknowledgedAt' } },
          { kind: 'Field', name: { kind: 'Name', value: 'acknowledgedBy' } },
          { kind: 'Field', name: { kind: 'Name', value: 'project' } },
          { kind: 'Field', name: { kind: 'Name', value: 'rules' } },
          { kind: 'Field', name: { kind: 'Name', value: 'assigneeId' } },
          { kind: 'Field', name: { kind: 'Name', value: 'assignee' } },
        ],
      },
    },
  ],
} as unknown as DocumentNode<AlertFieldsFragment, unknown>;
export const ChatFieldsFragmentDoc = {
  kind: 'Document',
  definitions: [
    {
      kind: 'FragmentDefinition',
      name: { kind: 'Name', value: 'ChatFields' },
      typeCondition: { kind: 'NamedType', name: { kind: 'Name', value: 'Chat' } },
      selectionSet: {
        kind: 'SelectionSet',
        selections: [
          { kind: 'Field', name: { kind: 'Name', value: 'jobId' } },
          { kind: 'Field', name: { kind: 'Name', value: 'runId' } },
          { kind: 'Field', name: { kind: 'Name', value: 'state' } },
          { kind: 'Field', name: { kind: 'Name', value: 'message' } },
          { kind: 'Field', name: { kind: 'Name', value: 'whyWaiting' } },
          { kind: 'Field', name: { kind: 'Name', value: 'step' } },
          { kind: 'Field', name: { kind: 'Name', value: 'checkpoint' } },
          { kind: 'Field', name: { kind: 'Name', value: 'createdAt' } },
          { kind: 'Field', name: { kind: 'Name', value: 'endedAt' } },
          { kind: 'Field', name: { kind: 'Name', value: 'system' } },
          { kind: 'Field', name: { kind: 'Name', value: 'replyBegins' } },
          { kind: 'Field', name: { kind: 'Name', value: 'temperature' } },
          { kind: 'Field', name: { kind: 'Name', value: 'topP' } },
          { kind: 'Field', name: { kind: 'Name', value: 'topK' } },
          { kind: 'Field', name: { kind: 'Name', value: 'maxTokens' } },
        ],
      },
    },
  ],
} as unknown as DocumentNode<ChatFieldsFragment, unknown>;
export const KeyFieldsFragmentDoc = {
  kind: 'Document',
  definitions: [
    {
      kind: 'FragmentDefinition',
      name: { kind: 'Name', value: 'KeyFields' },
      typeCondition: { kind: 'NamedType', name: { kind: 'Name', value: 'ApiKey' } },
      selectionSet: {
        kind: 'SelectionSet',
        selections: [
          { kind: 'Field', name: { kind: 'Name', value: 'id' } },
          { kind: 'Field', name: { kind: 'Name', value: 'name' } },
          { kind: 'Field', name: { kind: 'Name', value: 'role' } },
          { kind: 'Field', name: { kind: 'Name', value: 'projects' } },
          { kind: 'Field', name: { kind: 'Name', value: 'prefix' } },
          { kind: 'Field', name: { kind: 'Name', value: 'maxRunning' } },
          { kind: 'Field', name: { kind: 'Name', value: 'createdAt' } },
          { kind: 'Field', name: { kind: 'Name', value: 'lastUsedAt' } },
          { kind: 'Field', name: { kind: 'Name', value: 'revokedAt' } },
        ],
      },
    },
  ],
} as unknown as DocumentNode<KeyFieldsFragment, unknown>;
export const LauncherFieldsFragmentDoc = {
  kind: 'Document',
  definitions: [
    {
      kind: 'FragmentDefinition',
      name: { kind: 'Name', value: 'LauncherFields' },
      typeCondition: { kind: 'NamedType', name: { kind: 'Name', value: 'Launcher' } },
      selectionSet: {
        kind: 'SelectionSet',
        selections: [
          { kind: 'Field', name: { kind: 'Name', value: 'name' } },
          { kind: 'Field', name: { kind: 'Name', value: 'driver' } },
          { kind: 'Field', name: { kind: 'Name', value: 'deviceKind' } },
          { kind: 'Field', name: { kind: 'Name', value: 'deviceCount' } },
          { kind: 'Field', name: { kind: 'Name', value: 'memoryMb' } },
          { kind: 'Field', name: { kind: 'Name', value: 'labels' } },
          { kind: 'Field', name: { kind: 'Name', value: 'minimum' } },
          { kind: 'Field', name: { kind: 'Name', value: 'maximum' } },
          { kind: 'Field', name: { kind: 'Name', value: 'perProject' } },
          { kind: 'Field', name: { kind: 'Name', value: 'idleSeconds' } },
          { kind: 'Field', name: { kind: 'Name', value: 'coming' } },
          { kind: 'Field', name: { kind: 'Name', value: 'online' } },
          { kind: 'Field', name: { kind: 'Name', value: 'leaving' } },
          { kind: 'Field', name: { kind: 'Name', value: 'backoffUntil' } },
          { kind: 'Field', name: { kind: 'Name', value: 'problem' } },
        ],
      },
    },
  ],
} as unknown as DocumentNode<LauncherFieldsFragment, unknown>;
export const LaunchedWorkerFieldsFragmentDoc = {
  kind: 'Document',
  definitions: [
    {
      kind: 'FragmentDefinition',
      name: { kind: 'Name', value: 'LaunchedWorkerFields' },
      typeCondition: { kind: 'NamedType', name: { kind: 'Name', value: 'LaunchedWorker' } },
      selectionSet: {
        kind: 'SelectionSet',
        selections: [
          { kind: 'Field', name: { kind: 'Name', value: 'name' } },
          { kind: 'Field', name: { kind: 'Name', value: 'launcher' } },
          { kind: 'Field', name: { kind: 'Name', value: 'project' } },
          { kind: 'Field', name: { kind: 'Name', value: 'state' } },
          { kind: 'Field', name: { kind: 'Name', value: 'reason' } },
          { kind: 'Field', name: { kind: 'Name', value: 'handle' } },
          { kind: 'Field', name: { kind: 'Name', value: 'createdAt' } },
          { kind: 'Field', name: { kind: 'Name', value: 'changedAt' } },
          { kind: 'Field', name: { kind: 'Name', value: 'connectedAt' } },
          { kind: 'Field', name: { kind: 'Name', value: 'endedAt' } },
        ],
      },
    },
  ],
} as unknown as DocumentNode<LaunchedWorkerFieldsFragment, unknown>;
export const RecordFieldsFragmentDoc = {
  kind: 'Document',
  definitions: [
    {
      kind: 'FragmentDefinition',
      name: { kind: 'Name', value: 'RecordFields' },
      typeCondition: { kind: 'NamedType', name: { kind: 'Name', value: 'RunEventRecord' } },
      selectionSet: {
        kind: 'SelectionSet',
        selections: [
          { kind: 'Field', name: { kind: 'Name', value: 'cursor' } },
          { kind: 'Field', name: { kind: 'Name', value: 'kind' } },
          { kind: 'Field', name: { kind: 'Name', value: 'time' } },
          { kind: 'Field', name: { kind: 'Name', value: 'step' } },
          { kind: 'Field', name: { kind: 'Name', value: 'attempt' } },
          {
            kind: 'Field',
            name: { kind: 'Name', value: 'body' },
            selectionSet: {
              kind: 'SelectionSet',
              selections: [
                { kind: 'Field', name: { kind: 'Name', value: '__typename' } },
                {
                  kind: 'InlineFragment',
                  typeCondition: { kind: 'NamedType', name: { kind: 'Name', value: 'StateEvent' } },
                  selectionSet: {
                    kind: 'SelectionSet',
                    selections: [
                      {
                        kind: 'Field',
                        alias: { kind: 'Name', value: 'stateBefore' },
                        name: { kind: 'Name', value: 'from' },
                      },
                      {
                        kind: 'Field',
                        alias: { kind: 'Name', value: 'stateNow' },
                        name: { kind: 'Name', value: 'to' },
                      },
                      { kind: 'Field', name: { kind: 'Name', value: 'message' } },
                      { kind: 'Field', name: { kind: 'Name', value: 'job' } },
                    ],
                  },
                },
                {
                  kind: 'InlineFragment',
                  typeCondition: { kind: 'NamedType', name: { kind: 'Name', value: 'CheckpointEvent' } },
                  selectionSet: {
                    kind: 'SelectionSet',
                    selections: [{ kind: 'Field', name: { kind: 'Name', value: 'folder' } }],
                  },
                },
                {
                  kind: 'InlineFragment',
                  typeCondition: { kind: 'NamedType', name: { kind: 'Name', value: 'LogEvent' } },
                  selectionSet: {
                    kind: 'SelectionSet',
                    selections: [
                      {
                        kind: 'Field',
                        alias: { kind: 'Name', value: 'line' },
                        name: { kind: 'Name', value: 'text' },
                      },
                    ],
                  },
                },
                {
                  kind: 'InlineFragment',
                  typeCondition: { kind: 'NamedType', name: { kind: 'Name', value: 'WarningEvent' } },
                  selectionSet: {
                    kind: 'SelectionSet',
                    selections: [
                      {
                        kind: 'Field',
                        alias: { kind: 'Name', value: 'warning' },
                        name: { kind: 'Name', value: 'code' },
                      },
                      { kind: 'Field', name: { kind: 'Name', value: 'message' } },
                    ],
                  },
                },
                {
                  kind: 'InlineFragment',
                  typeCondition: { kind: 'NamedType', name: { kind: 'Name', value: 'MonitorEvent' } },
                  selectionSet: {
                    kind: 'SelectionSet',
                    selections: [
                      {
                        kind: 'Field',
                        alias: { kind: 'Name', value: 'health' },
                        name: { kind: 'Name', value: 'state' },
                      },
                      {
                        kind: 'Field',
                        alias: { kind: 'Name', value: 'healthBefore' },
                        name: { kind: 'Name', value: 'previous' },
                      },
                      { kind: 'Field', name: { kind: 'Name', value: 'action' } },
                      { kind: 'Field', name: { kind: 'Name', value: 'restored' } },
                      { kind: 'Field', name: { kind: 'Name', value: 'message' } },
                      {
                        kind: 'Field',
                        name: { kind: 'Name', value: 'findings' },
                        selectionSet: {
                          kind: 'SelectionSet',
                          selections: [
                            { kind: 'Field', name: { kind: 'Name', value: 'rule' } },
                            { kind: 'Field', name: { kind: 'Name', value: 'level' } },
                            { kind: 'Field', name: { kind: 'Name', value: 'input' } },
                            { kind: 'Field', name: { kind: 'Name', value: 'measure' } },
                            { kind: 'Field', name: { kind: 'Name', value: 'limit' } },
                            { kind: 'Field', name: { kind: 'Name', value: 'value' } },
                            { kind: 'Field', name: { kind: 'Name', value: 'baseline' } },
                            { kind: 'Field', name: { kind: 'Name', value: 'since' } },
                            { kind: 'Field', name: { kind: 'Name', value: 'history' } },
                          ],
                        },
                      },
                    ],
                  },
                },
                {
                  kind: 'InlineFragment',
                  typeCondition: { kind: 'NamedType', name: { kind: 'Name', value: 'LevelEvent' } },
                  selectionSet: {
                    kind: 'SelectionSet',
                    selections: [
                      {
                        kind: 'Field',
                        alias: { kind: 'Name', value: 'levelBefore' },
                        name: { kind: 'Name', value: 'from' },
                      },
                      {
                        kind: 'Field',
                        alias: { kind: 'Name', value: 'levelNow' },
                        name: { kind: 'Name', value: 'to' },
                      },
                      { kind: 'Field', name: { kind: 'Name', value: 'levels' } },
                      { kind: 'Field', name: { kind: 'Name', value: 'successRate' } },
                    ],
                  },
                },
                {
                  kind: 'InlineFragment',
                  typeCondition: { kind: 'NamedType', name: { kind: 'Name', value: 'RunEndedEvent' } },
                  selectionSet: {
                    kind: 'SelectionSet',
                    selections: [
                      { kind: 'Field', name: { kind: 'Name', value: 'outcome' } },
                      { kind: 'Field', name: { kind: 'Name', value: 'message' } },
                    ],
                  },
                },
                {
                  kind: 'InlineFragment',
                  typeCondition: { kind: 'NamedType', name: { kind: 'Name', value: 'RunStartedEvent' } },
                  selectionSet: {
                    kind: 'SelectionSet',
                    selections: [{ kind: 'Field', name: { kind: 'Name', value: 'attempt' } }],
                  },
                },
                {
                  kind: 'InlineFragment',
                  typeCondition: { kind: 'NamedType', name: { kind: 'Name', value: 'ProcessEndedEvent' } },
                  selectionSet: {
                    kind: 'SelectionSet',
                    selections: [
                      {
                        kind: 'Field',
                        alias: { kind: 'Name', value: 'exitCode' },
                        name: { kind: 'Name', value: 'code' },
                      },
                      { kind: 'Field', name: { kind: 'Name', value: 'signal' } },
                      { kind: 'Field', name: { kind: 'Name', value: 'message' } },
                    ],
                  },
                },
              ],
            },
          },
        ],
      },
    },
  ],
} as unknown as DocumentNode<RecordFieldsFragment, unknown>;
export const InFlightFieldsFragmentDoc = {
  kind: 'Document',
  definitions: [
    {
      kind: 'FragmentDefinition',
      name: { kind: 'Name', value: 'InFlightFields' },
      typeCondition: { kind: 'NamedType', name: { kind: 'Name', value: 'TrajectoryInFlight' } },
      selectionSet: {
        kind: 'SelectionSet',
        selections: [
          { kind: 'Field', name: { kind: 'Name', value: 'runId' } },
          { kind: 'Field', name: { kind: 'Name', value: 'id' } },
          { kind: 'Field', name: { kind: 'Name', value: 'step' } },
          { kind: 'Field', name: { kind: 'Name', value: 'environment' } },
          { kind: 'Field', name: { kind: 'Name', value: 'startedAt' } },
          { kind: 'Field', name: { kind: 'Name', value: 'updatedAt' } },
          { kind: 'Field', name: { kind: 'Name', value: 'turn' } },
          { kind: 'Field', name: { kind: 'Name', value: 'phase' } },
          { kind: 'Field', name: { kind: 'Name', value: 'preview' } },
          { kind: 'Field', name: { kind: 'Name', value: 'reward' } },
          { kind: 'Field', name: { kind: 'Name', value: 'ended' } },
          {
            kind: 'Field',
            name: { kind: 'Name', value: 'turns' },
            selectionSet: {
              kind: 'SelectionSet',
              selections: [
                { kind: 'Field', name: { kind: 'Name', value: 'turn' } },
                { kind: 'Field', name: { kind: 'Name', value: 'phase' } },
                { kind: 'Field', name: { kind: 'Name', value: 'observation' } },
                { kind: 'Field', name: { kind: 'Name', value: 'render' } },
                { kind: 'Field', name: { kind: 'Name', value: 'image' } },
                { kind: 'Field', name: { kind: 'Name', value: 'response' } },
                { kind: 'Field', name: { kind: 'Name', value: 'actions' } },
                { kind: 'Field', name: { kind: 'Name', value: 'reward' } },
              ],
            },
          },
        ],
      },
    },
  ],
} as unknown as DocumentNode<InFlightFieldsFragment, unknown>;
export const InFlightSummaryFragmentDoc = {
  kind: 'Document',
  definitions: [
    {
      kind: 'FragmentDefinition',
      name: { kind: 'Name', value: 'InFlightSummary' },
      typeCondition: { kind: 'NamedType', name: { kind: 'Name', value: 'TrajectoryInFlight' } },
      selectionSet: {
        kind: 'SelectionSet',
        selections: [
          { kind: 'Field', name: { kind: 'Name', value: 'id' } },
          { kind: 'Field', name: { kind: 'Name', value: 'step' } },
          { kind: 'Field', name: { kind: 'Name', value: 'turn' } },
          { kind: 'Field', name: { kind: 'Name', value: 'phase' } },
          { kind: 'Field', name: { kind: 'Name', value: 'preview' } },
          { kind: 'Field', name: { kind: 'Name', value: 'reward' } },
          { kind: 'Field', name: { kind: 'Name', value: 'ended' } },
        ],
      },
    },
  ],
} as unknown as DocumentNode<InFlightSummaryFragment, unknown>;
export const AllowanceFieldsFragmentDoc = {
  kind: 'Document',
  definitions: [
    {
      kind: 'FragmentDefinition',
      name: { kind: 'Name', value: 'AllowanceFields' },
      typeCondition: { kind: 'NamedType', name: { kind: 'Name', value: 'Allowance' } },
      selectionSet: {
        kind: 'SelectionSet',
        selections: [
          { kind: 'Field', name: { kind: 'Name', value: 'limit' } },
          { kind: 'Field', name: { kind: 'Name', value: 'used' } },
          { kind: 'Field', name: { kind: 'Name', value: 'left' } },
        ],
      },
    },
  ],
} as unknown as DocumentNode<AllowanceFieldsFragment, unknown>;
export const RatingSetFieldsFragmentDoc = {
  kind: 'Document',
  definitions: [
    {
      kind: 'FragmentDefinition',
      name: { kind: 'Name', value: 'RatingSetFields' },
      typeCondition: { kind: 'NamedType', name: { kind: 'Name', value: 'RatingSet' } },
      selectionSet: {
        kind: 'SelectionSet',
        selections: [
          { kind: 'Field', name: { kind: 'Name', value: 'id' } },
          { kind: 'Field', name: { kind: 'Name', value: 'project' } },
          { kind: 'Field', name: { kind: 'Name', value: 'name' } },
          { kind: 'Field', name: { kind: 'Name', value: 'kind' } },
          { kind: 'Field', name: { kind: 'Name', value: 'instructions' } },
          {
            kind: 'Field',
            name: { kind: 'Name', value: 'criteria' },
            selectionSet: {
              kind: 'SelectionSet',
              selections: [
                { kind: 'Field', name: { kind: 'Name', value: 'name' } },
                { kind: 'Field', name: { kind: 'Name', value: 'question' } },
                { kind: 'Field', name: { kind: 'Name', value: 'scale' } },
                { kind: 'Field', name: { kind: 'Name', value: 'low' } },
                { kind: 'Field', name: { kind: 'Name', value: 'high' } },
              ],
            },
          },
          { kind: 'Field', name: { kind: 'Name', value: 'size' } },
          { kind: 'Field', name: { kind: 'Name', value: 'createdBy' } },
          { kind: 'Field', name: { kind: 'Name', value: 'keyId' } },
          { kind: 'Field', name: { kind: 'Name', value: 'createdAt' } },
          { kind: 'Field', name: { kind: 'Name', value: 'closedAt' } },
          { kind: 'Field', name: { kind: 'Name', value: 'closedBy' } },
          { kind: 'Field', name: { kind: 'Name', value: 'seed' } },
          {
            kind: 'Field',
            name: { kind: 'Name', value: 'sources' },
            selectionSet: {
              kind: 'SelectionSet',
              selections: [
                { kind: 'Field', name: { kind: 'Name', value: 'runId' } },
                { kind: 'Field', name: { kind: 'Name', value: 'runName' } },
                { kind: 'Field', name: { kind: 'Name', value: 'fromStep' } },
                { kind: 'Field', name: { kind: 'Name', value: 'toStep' } },
                { kind: 'Field', name: { kind: 'Name', value: 'split' } },
                { kind: 'Field', name: { kind: 'Name', value: 'available' } },
                { kind: 'Field', name: { kind: 'Name', value: 'taken' } },
              ],
            },
          },
          {
            kind: 'Field',
            name: { kind: 'Name', value: 'progress' },
            selectionSet: {
              kind: 'SelectionSet',
              selections: [
                { kind: 'Field', name: { kind: 'Name', value: 'name' } },
                { kind: 'Field', name: { kind: 'Name', value: 'rated' } },
                { kind: 'Field', name: { kind: 'Name', value: 'startedAt' } },
                { kind: 'Field', name: { kind: 'Name', value: 'finishedAt' } },
              ],
            },
          },
        ],
      },
    },
  ],
} as unknown as DocumentNode<RatingSetFieldsFragment, unknown>;
export const TaskItemFieldsFragmentDoc = {
  kind: 'Document',
  definitions: [
    {
      kind: 'FragmentDefinition',
      name: { kind: 'Name', value: 'TaskItemFields' },
      typeCondition: { kind: 'NamedType', name: { kind: 'Name', value: 'RatingTaskItem' } },
      selectionSet: {
        kind: 'SelectionSet',
        selections: [
          { kind: 'Field', name: { kind: 'Name', value: 'position' } },
          { kind: 'Field', name: { kind: 'Name', value: 'isRated' } },
          { kind: 'Field', name: { kind: 'Name', value: 'choice' } },
          {
            kind: 'Field',
            name: { kind: 'Name', value: 'scores' },
            selectionSet: {
              kind: 'SelectionSet',
              selections: [
                { kind: 'Field', name: { kind: 'Name', value: 'criterion' } },
                { kind: 'Field', name: { kind: 'Name', value: 'value' } },
              ],
            },
          },
          { kind: 'Field', name: { kind: 'Name', value: 'reason' } },
        ],
      },
    },
  ],
} as unknown as DocumentNode<TaskItemFieldsFragment, unknown>;
export const RefusalFieldsFragmentDoc = {
  kind: 'Document',
  definitions: [
    {
      kind: 'FragmentDefinition',
      name: { kind: 'Name', value: 'RefusalFields' },
      typeCondition: { kind: 'NamedType', name: { kind: 'Name', value: 'Refusal' } },
      selectionSet: {
        kind: 'SelectionSet',
        selections: [
          { kind: 'Field', name: { kind: 'Name', value: 'code' } },
          { kind: 'Field', name: { kind: 'Name', value: 'message' } },
          { kind: 'Field', name: { kind: 'Name', value: 'remedy' } },
          {
            kind: 'InlineFragment',
            typeCondition: { kind: 'NamedType', name: { kind: 'Name', value: 'InvalidInput' } },
            selectionSet: {
              kind: 'SelectionSet',
              selections: [{ kind: 'Field', name: { kind: 'Name', value: 'problems' } }],
            },
          },
          {
            kind: 'InlineFragment',
            typeCondition: { kind: 'NamedType', name: { kind: 'Name', value: 'WrongState' } },
            selectionSet: {
              kind: 'SelectionSet',
              selections: [{ kind: 'Field', name: { kind: 'Name', value: 'state' } }],
            },
          },
        ],
      },
    },
  ],
} as unknown as DocumentNode<RefusalFieldsFragment, unknown>;
export const RunFieldsFragmentDoc = {
  kind: 'Document',
  definitions: [
    {
      kind: 'FragmentDefinition',
      name: { kind: 'Name', value: 'RunFields' },
      typeCondition: { kind: 'NamedType', name: { kind: 'Name', value: 'Run' } },
      selectionSet: {
        kind: 'SelectionSet',
        selections: [
          { kind: 'Field', name: { kind: 'Name', value: 'id' } },
          { kind: 'Field', name: { kind: 'Name', value: 'project' } },
          { kind: 'Field', name: { kind: 'Name', value: 'name' } },
          { kind: 'Field', name: { kind: 'Name', value: 'title' } },
          { kind: 'Field', name: { kind: 'Name', value: 'state' } },
          { kind: 'Field', name: { kind: 'Name', value: 'message' } },
          { kind: 'Field', name: { kind: 'Name', value: 'priority' } },
          { kind: 'Field', name: { kind: 'Name', value: 'tags' } },
          { kind: 'Field', name: { kind: 'Name', value: 'group' } },
          { kind: 'Field', name: { kind: 'Name', value: 'note' } },
          { kind: 'Field', name: { kind: 'Name', value: 'step' } },
          { kind: 'Field', name: { kind: 'Name', value: 'steps' } },
          { kind: 'Field', name: { kind: 'Name', value: 'latest' } },
          { kind: 'Field', name: { kind: 'Name', value: 'health' } },
          { kind: 'Field', name: { kind: 'Name', value: 'warnings' } },
          { kind: 'Field', name: { kind: 'Name', value: 'head' } },
          { kind: 'Field', name: { kind: 'Name', value: 'createdAt' } },
          { kind: 'Field', name: { kind: 'Name', value: 'createdBy' } },
          { kind: 'Field', name: { kind: 'Name', value: 'startedAt' } },
          { kind: 'Field', name: { kind: 'Name', value: 'endedAt' } },
          { kind: 'Field', name: { kind: 'Name', value: 'parentRunId' } },
          { kind: 'Field', name: { kind: 'Name', value: 'parentStep' } },
          { kind: 'Field', name: { kind: 'Name', value: 'continues' } },
          { kind: 'Field', name: { kind: 'Name', value: 'host' } },
          { kind: 'Field', name: { kind: 'Name', value: 'imported' } },
          { kind: 'Field', name: { kind: 'Name', value: 'specHash' } },
        ],
      },
    },
  ],
} as unknown as DocumentNode<RunFieldsFragment, unknown>;
export const PluginFieldsFragmentDoc = {
  kind: 'Document',
  definitions: [
    {
      kind: 'FragmentDefinition',
      name: { kind: 'Name', value: 'PluginFields' },
      typeCondition: { kind: 'NamedType', name: { kind: 'Name', value: 'PluginVersion' } },
      selectionSet: {
        kind: 'SelectionSet',
        selections: [
          { kind: 'Field', name: { kind: 'Name', value: 'kind' } },
          { kind: 'Field', name: { kind: 'Name', value: 'id' } },
          { kind: 'Field', name: { kind: 'Name', value: 'version' } },
          { kind: 'Field', name: { kind: 'Name', value: 'sha256' } },
          { kind: 'Field', name: { kind: 'Name', value: 'isExternal' } },
        ],
      },
    },
  ],
} as unknown as DocumentNode<PluginFieldsFragment, unknown>;
export const NeedsFieldsFragmentDoc = {
  kind: 'Document',
  definitions: [
    {
      kind: 'FragmentDefinition',
      name: { kind: 'Name', value: 'NeedsFields' },
      typeCondition: { kind: 'NamedType', name: { kind: 'Name', value: 'JobNeeds' } },
      selectionSet: {
        kind: 'SelectionSet',
        selections: [
          { kind: 'Field', name: { kind: 'Name', value: 'kind' } },
          { kind: 'Field', name: { kind: 'Name', value: 'count' } },
          { kind: 'Field', name: { kind: 'Name', value: 'memoryMb' } },
          { kind: 'Field', name: { kind: 'Name', value: 'labels' } },
        ],
      },
    },
  ],
} as unknown as DocumentNode<NeedsFieldsFragment, unknown>;
export const ResultFieldsFragmentDoc = {
  kind: 'Document',
  definitions: [
    {
      kind: 'FragmentDefinition',
      name: { kind: 'Name', value: 'ResultFields' },
      typeCondition: { kind: 'NamedType', name: { kind: 'Name', value: 'EvaluationResult' } },
      selectionSet: {
        kind: 'SelectionSet',
        selections: [
          { kind: 'Field', name: { kind: 'Name', value: 'model' } },
          { kind: 'Field', name: { kind: 'Name', value: 'environment' } },
          { kind: 'Field', name: { kind: 'Name', value: 'episodes' } },
          { kind: 'Field', name: { kind: 'Name', value: 'failed' } },
          { kind: 'Field', name: { kind: 'Name', value: 'successRate' } },
          { kind: 'Field', name: { kind: 'Name', value: 'successLow' } },
          { kind: 'Field', name: { kind: 'Name', value: 'successHigh' } },
          { kind: 'Field', name: { kind: 'Name', value: 'metrics' } },
          {
            kind: 'Field',
            name: { kind: 'Name', value: 'tags' },
            selectionSet: {
              kind: 'SelectionSet',
              selections: [
                { kind: 'Field', name: { kind: 'Name', value: 'tag' } },
                { kind: 'Field', name: { kind: 'Name', value: 'environment' } },
                { kind: 'Field', name: { kind: 'Name', value: 'trained' } },
                { kind: 'Field', name: { kind: 'Name', value: 'episodes' } },
                { kind: 'Field', name: { kind: 'Name', value: 'failed' } },
                { kind: 'Field', name: { kind: 'Name', value: 'successRate' } },
                { kind: 'Field', name: { kind: 'Name', value: 'successLow' } },
                { kind: 'Field', name: { kind: 'Name', value: 'successHigh' } },
                { kind: 'Field', name: { kind: 'Name', value: 'error' } },
              ],
            },
          },
          {
            kind: 'Field',
            name: { kind: 'Name', value: 'outcomes' },
            selectionSet: {
              kind: 'SelectionSet',
              selections: [
                { kind: 'Field', name: { kind: 'Name', value: 'stateSeed' } },
                { kind: 'Field', name: { kind: 'Name', value: 'success' } },
                { kind: 'Field', name: { kind: 'Name', value: 'total' } },
                { kind: 'Field', name: { kind: 'Name', value: 'stopReason' } },
                { kind: 'Field', name: { kind: 'Name', value: 'turns' } },
                { kind: 'Field', name: { kind: 'Name', value: 'actions' } },
                { kind: 'Field', name: { kind: 'Name', value: 'formatShare' } },
              ],
            },
          },
        ],
      },
    },
  ],
} as unknown as DocumentNode<ResultFieldsFragment, unknown>;
export const JobFieldsFragmentDoc = {
  kind: 'Document',
  definitions: [
    {
      kind: 'FragmentDefinition',
      name: { kind: 'Name', value: 'JobFields' },
      typeCondition: { kind: 'NamedType', name: { kind: 'Name', value: 'Job' } },
      selectionSet: {
        kind: 'SelectionSet',
        selections: [
          { kind: 'Field', name: { kind: 'Name', value: 'id' } },
          { kind: 'Field', name: { kind: 'Name', value: 'runId' } },
          { kind: 'Field', name: { kind: 'Name', value: 'kind' } },
          { kind: 'Field', name: { kind: 'Name', value: 'state' } },
          { kind: 'Field', name: { kind: 'Name', value: 'message' } },
          { kind: 'Field', name: { kind: 'Name', value: 'priority' } },
          {
            kind: 'Field',
            name: { kind: 'Name', value: 'needs' },
            selectionSet: {
              kind: 'SelectionSet',
              selections: [{ kind: 'FragmentSpread', name: { kind: 'Name', value: 'NeedsFields' } }],
            },
          },
          { kind: 'Field', name: { kind: 'Name', value: 'createdAt' } },
          { kind: 'Field', name: { kind: 'Name', value: 'queuedAt' } },
          { kind: 'Field', name: { kind: 'Name', value: 'startedAt' } },
          { kind: 'Field', name: { kind: 'Name', value: 'endedAt' } },
          { kind: 'Field', name: { kind: 'Name', value: 'failures' } },
          {
            kind: 'Field',
            name: { kind: 'Name', value: 'result' },
            selectionSet: {
              kind: 'SelectionSet',
              selections: [{ kind: 'FragmentSpread', name: { kind: 'Name', value: 'ResultFields' } }],
            },
          },
        ],
      },
    },
    {
      kind: 'FragmentDefinition',
      name: { kind: 'Name', value: 'NeedsFields' },
      typeCondition: { kind: 'NamedType', name: { kind: 'Name', value: 'JobNeeds' } },
      selectionSet: {
        kind: 'SelectionSet',
        selections: [
          { kind: 'Field', name: { kind: 'Name', value: 'kind' } },
          { kind: 'Field', name: { kind: 'Name', value: 'count' } },
          { kind: 'Field', name: { kind: 'Name', value: 'memoryMb' } },
          { kind: 'Field', name: { kind: 'Name', value: 'labels' } },
        ],
      },
    },
    {
      kind: 'FragmentDefinition',
      name: { kind: 'Name', value: 'ResultFields' },
      typeCondition: { kind: 'NamedType', name: { kind: 'Name', value: 'EvaluationResult' } },
      selectionSet: {
        kind: 'SelectionSet',
        selections: [
          { kind: 'Field', name: { kind: 'Name', value: 'model' } },
          { kind: 'Field', name: { kind: 'Name', value: 'environment' } },
          { kind: 'Field', name: { kind: 'Name', value: 'episodes' } },
          { kind: 'Field', name: { kind: 'Name', value: 'failed' } },
          { kind: 'Field', name: { kind: 'Name', value: 'successRate' } },
          { kind: 'Field', name: { kind: 'Name', value: 'successLow' } },
          { kind: 'Field', name: { kind: 'Name', value: 'successHigh' } },
          { kind: 'Field', name: { kind: 'Name', value: 'metrics' } },
          {
            kind: 'Field',
            name: { kind: 'Name', value: 'tags' },
            selectionSet: {
              kind: 'SelectionSet',
              selections: [
                { kind: 'Field', name: { kind: 'Name', value: 'tag' } },
                { kind: 'Field', name: { kind: 'Name', value: 'environment' } },
                { kind: 'Field', name: { kind: 'Name', value: 'trained' } },
                { kind: 'Field', name: { kind: 'Name', value: 'episodes' } },
                { kind: 'Field', name: { kind: 'Name', value: 'failed' } },
                { kind: 'Field', name: { kind: 'Name', value: 'successRate' } },
                { kind: 'Field', name: { kind: 'Name', value: 'successLow' } },
                { kind: 'Field', name: { kind: 'Name', value: 'successHigh' } },
                { kind: 'Field', name: { kind: 'Name', value: 'error' } },
              ],
            },
          },
          {
            kind: 'Field',
            name: { kind: 'Name', value: 'outcomes' },
            selectionSet: {
              kind: 'SelectionSet',
              selections: [
                { kind: 'Field', name: { kind: 'Name', value: 'stateSeed' } },
                { kind: 'Field', name: { kind: 'Name', value: 'success' } },
                { kind: 'Field', name: { kind: 'Name', value: 'total' } },
                { kind: 'Field', name: { kind: 'Name', value: 'stopReason' } },
                { kind: 'Field', name: { kind: 'Name', value: 'turns' } },
                { kind: 'Field', name: { kind: 'Name', value: 'actions' } },
                { kind: 'Field', name: { kind: 'Name', value: 'formatShare' } },
              ],
            },
          },
        ],
      },
    },
  ],
} as unknown as DocumentNode<JobFieldsFragment, unknown>;
export const PageFieldsFragmentDoc = {
  kind: 'Document',
  definitions: [
    {
      kind: 'FragmentDefinition',
      name: { kind: 'Name', value: 'PageFields' },
      typeCondition: { kind: 'NamedType', name: { kind: 'Name', value: 'PageInfo' } },
      selectionSet: {
        kind: 'SelectionSet',
        selections: [
          { kind: 'Field', name: { kind: 'Name', value: 'startCursor' } },
          { kind: 'Field', name: { kind: 'Name', value: 'endCursor' } },
          { kind: 'Field', name: { kind: 'Name', value: 'hasNextPage' } },
          { kind: 'Field', name: { kind: 'Name', value: 'hasPreviousPage' } },
        ],
      },
    },
  ],
} as unknown as DocumentNode<PageFieldsFragment, unknown>;
export const JobsPageFragmentDoc = {
  kind: 'Document',
  definitions: [
    {
      kind: 'FragmentDefinition',
      name: { kind: 'Name', value: 'JobsPage' },
      typeCondition: { kind: 'NamedType', name: { kind: 'Name', value: 'JobConnection' } },
      selectionSet: {
        kind: 'SelectionSet',
        selections: [
          {
            kind: 'Field',
            name: { kind: 'Name', value: 'nodes' },
            selectionSet: {
              kind: 'SelectionSet',
              selections: [
                { kind: 'FragmentSpread', name: { kind: 'Name', value: 'JobFields' } },
                { kind: 'Field', name: { kind: 'Name', value: 'whyWaiting' } },
              ],
            },
          },
          {
            kind: 'Field',
            name: { kind: 'Name', value: 'pageInfo' },
            selectionSet: {
              kind: 'SelectionSet',
              selections: [{ kind: 'FragmentSpread', name: { kind: 'Name', value: 'PageFields' } }],
            },
          },
        ],
      },
    },
    {
      kind: 'FragmentDefinition',
      name: { kind: 'Name', value: 'NeedsFields' },
      typeCondition: { kind: 'NamedType', name: { kind: 'Name', value: 'JobNeeds' } },
      selectionSet: {
        kind: 'SelectionSet',
        selections: [
          { kind: 'Field', name: { kind: 'Name', value: 'kind' } },
          { kind: 'Field', name: { kind: 'Name', value: 'count' } },
          { kind: 'Field', name: { kind: 'Name', value: 'memoryMb' } },
          { kind: 'Field', name: { kind: 'Name', value: 'labels' } },
        ],
      },
    },
    {
      kind: 'FragmentDefinition',
      name: { kind: 'Name', value: 'ResultFields' },
      typeCondition: { kind: 'NamedType', name: { kind: 'Name', value: 'EvaluationResult' } },
      selectionSet: {
        kind: 'SelectionSet',
        selections: [
          { kind: 'Field', name: { kind: 'Name', value: 'model' } },
          { kind: 'Field', name: { kind: 'Name', value: 'environment' } },
          { kind: 'Field', name: { kind: 'Name', value: 'episodes' } },
          { kind: 'Field', name: { kind: 'Name', value: 'failed' } },
          { kind: 'Field', name: { kind: 'Name', value: 'successRate' } },
          { kind: 'Field', name: { kind: 'Name', value: 'successLow' } },
          { kind: 'Field', name: { kind: 'Name', value: 'successHigh' } },
          { kind: 'Field', name: { kind: 'Name', value: 'metrics' } },
          {
            kind: 'Field',
            name: { kind: 'Name', value: 'tags' },
            selectionSet: {
              kind: 'SelectionSet',
              selections: [
                { kind: 'Field', name: { kind: 'Name', value: 'tag' } },
                { kind: 'Field', name: { kind: 'Name', value: 'environment' } },
                { kind: 'Field', name: { kind: 'Name', value: 'trained' } },
                { kind: 'Field', name: { kind: 'Name', value: 'episodes' } },
                { kind: 'Field', name: { kind: 'Name', value: 'failed' } },
                { kind: 'Field', name: { kind: 'Name', value: 'successRate' } },
                { kind: 'Field', name: { kind: 'Name', value: 'successLow' } },
                { kind: 'Field', name: { kind: 'Name', value: 'successHigh' } },
                { kind: 'Field', name: { kind: 'Name', value: 'error' } },
              ],
            },
          },
          {
            kind: 'Field',
            name: { kind: 'Name', value: 'outcomes' },
            selectionSet: {
              kind: 'SelectionSet',
              selections: [
                { kind: 'Field', name: { kind: 'Name', value: 'stateSeed' } },
                { kind: 'Field', name: { kind: 'Name', value: 'success' } },
                { kind: 'Field', name: { kind: 'Name', value: 'total' } },
                { kind: 'Field', name: { kind: 'Name', value: 'stopReason' } },
                { kind: 'Field', name: { kind: 'Name', value: 'turns' } },
                { kind: 'Field', name: { kind: 'Name', value: 'actions' } },
                { kind: 'Field', name: { kind: 'Name', value: 'formatShare' } },
              ],
            },
          },
        ],
      },
    },
    {
      kind: 'FragmentDefinition',
      name: { kind: 'Name', value: 'JobFields' },
      typeCondition: { kind: 'NamedType', name: { kind: 'Name', value: 'Job' } },
      selectionSet: {
        kind: 'SelectionSet',
        selections: [
          { kind: 'Field', name: { kind: 'Name', value: 'id' } },
          { kind: 'Field', name: { kind: 'Name', value: 'runId' } },
          { kind: 'Field', name: { kind: 'Name', value: 'kind' } },
          { kind: 'Field', name: { kind: 'Name', value: 'state' } },
          { kind: 'Field', name: { kind: 'Name', value: 'message' } },
          { kind: 'Field', name: { kind: 'Name', value: 'priority' } },
          {
            kind: 'Field',
            name: { kind: 'Name', value: 'needs' },
            selectionSet: {
              kind: 'SelectionSet',
              selections: [{ kind: 'FragmentSpread', name: { kind: 'Name', value: 'NeedsFields' } }],
            },
          },
          { kind: 'Field', name: { kind: 'Name', value: 'createdAt' } },
          { kind: 'Field', name: { kind: 'Name', value: 'queuedAt' } },
          { kind: 'Field', name: { kind: 'Name', value: 'startedAt' } },
          { kind: 'Field', name: { kind: 'Name', value: 'endedAt' } },
          { kind: 'Field', name: { kind: 'Name', value: 'failures' } },
          {
            kind: 'Field',
            name: { kind: 'Name', value: 'result' },
            selectionSet: {
              kind: 'SelectionSet',
              selections: [{ kind: 'FragmentSpread', name: { kind: 'Name', value: 'ResultFields' } }],
            },
          },
        ],
      },
    },
    {
      kind: 'FragmentDefinition',
      name: { kind: 'Name', value: 'PageFields' },
      typeCondition: { kind: 'NamedType', name: { kind: 'Name', value: 'PageInfo' } },
      selectionSet: {
        kind: 'SelectionSet',
        selections: [
          { kind: 'Field', name: { kind: 'Name', value: 'startCursor' } },
          { kind: 'Field', name: { kind: 'Name', value: 'endCursor' } },
          { kind: 'Field', name: { kind: 'Name', value: 'hasNextPage' } },
          { kind: 'Field', name: { kind: 'Name', value: 'hasPreviousPage' } },
        ],
      },
    },
  ],
} as unknown as DocumentNode<JobsPageFragment, unknown>;
export const AttemptFieldsFragmentDoc = {
  kind: 'Document',
  definitions: [
    {
      kind: 'FragmentDefinition',
      name: { kind: 'Name', value: 'AttemptFields' },
      typeCondition: { kind: 'NamedType', name: { kind: 'Name', value: 'Attempt' } },
      selectionSet: {
        kind: 'SelectionSet',
        selections: [
          { kind: 'Field', name: { kind: 'Name', value: 'id' } },
          { kind: 'Field', name: { kind: 'Name', value: 'jobId' } },
          { kind: 'Field', name: { kind: 'Name', value: 'number' } },
          { kind: 'Field', name: { kind: 'Name', value: 'state' } },
          { kind: 'Field', name: { kind: 'Name', value: 'workerName' } },
          { kind: 'Field', name: { kind: 'Name', value: 'host' } },
          { kind: 'Field', name: { kind: 'Name', value: 'devices' } },
          {
            kind: 'Field',
            name: { kind: 'Name', value: 'hardware' },
            selectionSet: {
              kind: 'SelectionSet',
              selections: [
                { kind: 'Field', name: { kind: 'Name', value: 'id' } },
                { kind: 'Field', name: { kind: 'Name', value: 'kind' } },
                { kind: 'Field', name: { kind: 'Name', value: 'name' } },
                { kind: 'Field', name: { kind: 'Name', value: 'threads' } },
                { kind: 'Field', name: { kind: 'Name', value: 'memoryMb' } },
              ],
            },
          },
          { kind: 'Field', name: { kind: 'Name', value: 'pid' } },
          { kind: 'Field', name: { kind: 'Name', value: 'startStep' } },
          { kind: 'Field', name: { kind: 'Name', value: 'step' } },
          { kind: 'Field', name: { kind: 'Name', value: 'assignedAt' } },
          { kind: 'Field', name: { kind: 'Name', value: 'startedAt' } },
          { kind: 'Field', name: { kind: 'Name', value: 'endedAt' } },
          { kind: 'Field', name: { kind: 'Name', value: 'exitCode' } },
          { kind: 'Field', name: { kind: 'Name', value: 'signal' } },
          { kind: 'Field', name: { kind: 'Name', value: 'verdict' } },
          { kind: 'Field', name: { kind: 'Name', value: 'message' } },
        ],
      },
    },
  ],
} as unknown as DocumentNode<AttemptFieldsFragment, unknown>;
export const AttemptsPageFragmentDoc = {
  kind: 'Document',
  definitions: [
    {
      kind: 'FragmentDefinition',
      name: { kind: 'Name', value: 'AttemptsPage' },
      typeCondition: { kind: 'NamedType', name: { kind: 'Name', value: 'AttemptConnection' } },
      selectionSet: {
        kind: 'SelectionSet',
        selections: [
          {
            kind: 'Field',
            name: { kind: 'Name', value: 'nodes' },
            selectionSet: {
              kind: 'SelectionSet',
              selections: [{ kind: 'FragmentSpread', name: { kind: 'Name', value: 'AttemptFields' } }],
            },
          },
          {
            kind: 'Field',
            name: { kind: 'Name', value: 'pageInfo' },
            selectionSet: {
              kind: 'SelectionSet',
              selections: [{ kind: 'FragmentSpread', name: { kind: 'Name', value: 'PageFields' } }],
            },
          },
        ],
      },
    },
    {
      kind: 'FragmentDefinition',
      name: { kind: 'Name', value: 'AttemptFields' },
      typeCondition: { kind: 'NamedType', name: { kind: 'Name', value: 'Attempt' } },
      selectionSet: {
        kind: 'SelectionSet',
        selections: [
          { kind: 'Field', name: { kind: 'Name', value: 'id' } },
          { kind: 'Field', name: { kind: 'Name', value: 'jobId' } },
          { kind: 'Field', name: { kind: 'Name', value: 'number' } },
          { kind: 'Field', name: { kind: 'Name', value: 'state' } },
          { kind: 'Field', name: { kind: 'Name', value: 'workerName' } },
          { kind: 'Field', name: { kind: 'Name', value: 'host' } },
          { kind: 'Field', name: { kind: 'Name', value: 'devices' } },
          {
            kind: 'Field',
            name: { kind: 'Name', value: 'hardware' },
            selectionSet: {
              kind: 'SelectionSet',
              selections: [
                { kind: 'Field', name: { kind: 'Name', value: 'id' } },
                { kind: 'Field', name: { kind: 'Name', value: 'kind' } },
                { kind: 'Field', name: { kind: 'Name', value: 'name' } },
                { kind: 'Field', name: { kind: 'Name', value: 'threads' } },
                { kind: 'Field', name: { kind: 'Name', value: 'memoryMb' } },
              ],
            },
          },
          { kind: 'Field', name: { kind: 'Name', value: 'pid' } },
          { kind: 'Field', name: { kind: 'Name', value: 'startStep' } },
          { kind: 'Field', name: { kind: 'Name', value: 'step' } },
          { kind: 'Field', name: { kind: 'Name', value: 'assignedAt' } },
          { kind: 'Field', name: { kind: 'Name', value: 'startedAt' } },
          { kind: 'Field', name: { kind: 'Name', value: 'endedAt' } },
          { kind: 'Field', name: { kind: 'Name', value: 'exitCode' } },
          { kind: 'Field', name: { kind: 'Name', value: 'signal' } },
          { kind: 'Field', name: { kind: 'Name', value: 'verdict' } },
          { kind: 'Field', name: { kind: 'Name', value: 'message' } },
        ],
      },
    },
    {
      kind: 'FragmentDefinition',
      name: { kind: 'Name', value: 'PageFields' },
      typeCondition: { kind: 'NamedType', name: { kind: 'Name', value: 'PageInfo' } },
      selectionSet: {
        kind: 'SelectionSet',
        selections: [
          { kind: 'Field', name: { kind: 'Name', value: 'startCursor' } },
          { kind: 'Field', name: { kind: 'Name', value: 'endCursor' } },
          { kind: 'Field', name: { kind: 'Name', value: 'hasNextPage' } },
          { kind: 'Field', name: { kind: 'Name', value: 'hasPreviousPage' } },
        ],
      },
    },
  ],
} as unknown as DocumentNode<AttemptsPageFragment, unknown>;
export const RunDetailsFragmentDoc = {
  kind: 'Document',
  definitions: [
    {
      kind: 'FragmentDefinition',
      name: { kind: 'Name', value: 'RunDetails' },
      typeCondition: { kind: 'NamedType', name: { kind: 'Name', value: 'Run' } },
      selectionSet: {
        kind: 'SelectionSet',
        selections: [
          { kind: 'FragmentSpread', name: { kind: 'Name', value: 'RunFields' } },
          { kind: 'Field', name: { kind: 'Name', value: 'spec' } },
          { kind: 'Field', name: { kind: 'Name', value: 'source' } },
          { kind: 'Field', name: { kind: 'Name', value: 'overrides' } },
          {
            kind: 'Field',
            name: { kind: 'Name', value: 'versions' },
            selectionSet: {
              kind: 'SelectionSet',
              selections: [
                { kind: 'Field', name: { kind: 'Name', value: 'name' } },
                { kind: 'Field', name: { kind: 'Name', value: 'version' } },
              ],
            },
          },
          {
            kind: 'Field',
            name: { kind: 'Name', value: 'plugins' },
            selectionSet: {
              kind: 'SelectionSet',
              selections: [{ kind: 'FragmentSpread', name: { kind: 'Name', value: 'PluginFields' } }],
            },
          },
          { kind: 'Field', name: { kind: 'Name', value: 'gitRevision' } },
          {
            kind: 'Field',
            name: { kind: 'Name', value: 'jobs' },
            arguments: [
              {
                kind: 'Argument',
                name: { kind: 'Name', value: 'first' },
                value: { kind: 'IntValue', value: '100' },
              },
            ],
            selectionSet: {
              kind: 'SelectionSet',
              selections: [{ kind: 'FragmentSpread', name: { kind: 'Name', value: 'JobsPage' } }],
            },
          },
          {
            kind: 'Field',
            name: { kind: 'Name', value: 'attempts' },
            arguments: [
              {
                kind: 'Argument',
                name: { kind: 'Name', value: 'first' },
                value: { kind: 'IntValue', value: '100' },
              },
            ],
            selectionSet: {
              kind: 'SelectionSet',
              selections: [{ kind: 'FragmentSpread', name: { kind: 'Name', value: 'AttemptsPage' } }],
            },
          },
        ],
      },
    },
    {
      kind: 'FragmentDefinition',
      name: { kind: 'Name', value: 'NeedsFields' },
      typeCondition: { kind: 'NamedType', name: { kind: 'Name', value: 'JobNeeds' } },
      selectionSet: {
        kind: 'SelectionSet',
        selections: [
          { kind: 'Field', name: { kind: 'Name', value: 'kind' } },
          { kind: 'Field', name: { kind: 'Name', value: 'count' } },
          { kind: 'Field', name: { kind: 'Name', value: 'memoryMb' } },
          { kind: 'Field', name: { kind: 'Name', value: 'labels' } },
        ],
      },
    },
    {
      kind: 'FragmentDefinition',
      name: { kind: 'Name', value: 'ResultFields' },
      typeCondition: { kind: 'NamedType', name: { kind: 'Name', value: 'EvaluationResult' } },
      selectionSet: {
        kind: 'SelectionSet',
        selections: [
          { kind: 'Field', name: { kind: 'Name', value: 'model' } },
          { kind: 'Field', name: { kind: 'Name', value: 'environment' } },
          { kind: 'Field', name: { kind: 'Name', value: 'episodes' } },
          { kind: 'Field', name: { kind: 'Name', value: 'failed' } },
          { kind: 'Field', name: { kind: 'Name', value: 'successRate' } },
          { kind: 'Field', name: { kind: 'Name', value: 'successLow' } },
          { kind: 'Field', name: { kind: 'Name', value: 'successHigh' } },
          { kind: 'Field', name: { kind: 'Name', value: 'metrics' } },
          {
            kind: 'Field',
            name: { kind: 'Name', value: 'tags' },
            selectionSet: {
              kind: 'SelectionSet',
              selections: [
                { kind: 'Field', name: { kind: 'Name', value: 'tag' } },
                { kind: 'Field', name: { kind: 'Name', value: 'environment' } },
                { kind: 'Field', name: { kind: 'Name', value: 'trained' } },
                { kind: 'Field', name: { kind: 'Name', value: 'episodes' } },
                { kind: 'Field', name: { kind: 'Name', value: 'failed' } },
                { kind: 'Field', name: { kind: 'Name', value: 'successRate' } },
                { kind: 'Field', name: { kind: 'Name', value: 'successLow' } },
                { kind: 'Field', name: { kind: 'Name', value: 'successHigh' } },
                { kind: 'Field', name: { kind: 'Name', value: 'error' } },
              ],
            },
          },
          {
            kind: 'Field',
            name: { kind: 'Name', value: 'outcomes' },
            selectionSet: {
              kind: 'SelectionSet',
              selections: [
                { kind: 'Field', name: { kind: 'Name', value: 'stateSeed' } },
                { kind: 'Field', name: { kind: 'Name', value: 'success' } },
                { kind: 'Field', name: { kind: 'Name', value: 'total' } },
                { kind: 'Field', name: { kind: 'Name', value: 'stopReason' } },
                { kind: 'Field', name: { kind: 'Name', value: 'turns' } },
                { kind: 'Field', name: { kind: 'Name', value: 'actions' } },
                { kind: 'Field', name: { kind: 'Name', value: 'formatShare' } },
              ],
            },
          },
        ],
      },
    },
    {
      kind: 'FragmentDefinition',
      name: { kind: 'Name', value: 'JobFields' },
      typeCondition: { kind: 'NamedType', name: { kind: 'Name', value: 'Job' } },
      selectionSet: {
        kind: 'SelectionSet',
        selections: [
          { kind: 'Field', name: { kind: 'Name', value: 'id' } },
          { kind: 'Field', name: { kind: 'Name', value: 'runId' } },
          { kind: 'Field', name: { kind: 'Name', value: 'kind' } },
          { kind: 'Field', name: { kind: 'Name', value: 'state' } },
          { kind: 'Field', name: { kind: 'Name', value: 'message' } },
          { kind: 'Field', name: { kind: 'Name', value: 'priority' } },
          {
            kind: 'Field',
            name: { kind: 'Name', value: 'needs' },
            selectionSet: {
              kind: 'SelectionSet',
              selections: [{ kind: 'FragmentSpread', name: { kind: 'Name', value: 'NeedsFields' } }],
            },
          },
          { kind: 'Field', name: { kind: 'Name', value: 'createdAt' } },
          { kind: 'Field', name: { kind: 'Name', value: 'queuedAt' } },
          { kind: 'Field', name: { kind: 'Name', value: 'startedAt' } },
          { kind: 'Field', name: { kind: 'Name', value: 'endedAt' } },
          { kind: 'Field', name: { kind: 'Name', value: 'failures' } },
          {
            kind: 'Field',
            name: { kind: 'Name', value: 'result' },
            selectionSet: {
              kind: 'SelectionSet',
              selections: [{ kind: 'FragmentSpread', name: { kind: 'Name', value: 'ResultFields' } }],
            },
          },
        ],
      },
    },
    {
      kind: 'FragmentDefinition',
      name: { kind: 'Name', value: 'PageFields' },
      typeCondition: { kind: 'NamedType', name: { kind: 'Name', value: 'PageInfo' } },
      selectionSet: {
        kind: 'SelectionSet',
        selections: [
          { kind: 'Field', name: { kind: 'Name', value: 'startCursor' } },
          { kind: 'Field', name: { kind: 'Name', value: 'endCursor' } },
          { kind: 'Field', name: { kind: 'Name', value: 'hasNextPage' } },
          { kind: 'Field', name: { kind: 'Name', value: 'hasPreviousPage' } },
        ],
      },
    },
    {
      kind: 'FragmentDefinition',
      name: { kind: 'Name', value: 'AttemptFields' },
      typeCondition: { kind: 'NamedType', name: { kind: 'Name', value: 'Attempt' } },
      selectionSet: {
        kind: 'SelectionSet',
        selections: [
          { kind: 'Field', name: { kind: 'Name', value: 'id' } },
          { kind: 'Field', name: { kind: 'Name', value: 'jobId' } },
          { kind: 'Field', name: { kind: 'Name', value: 'number' } },
          { kind: 'Field', name: { kind: 'Name', value: 'state' } },
          { kind: 'Field', name: { kind: 'Name', value: 'workerName' } },
          { kind: 'Field', name: { kind: 'Name', value: 'host' } },
          { kind: 'Field', name: { kind: 'Name', value: 'devices' } },
          {
            kind: 'Field',
            name: { kind: 'Name', value: 'hardware' },
            selectionSet: {
              kind: 'SelectionSet',
              selections: [
                { kind: 'Field', name: { kind: 'Name', value: 'id' } },
                { kind: 'Field', name: { kind: 'Name', value: 'kind' } },
                { kind: 'Field', name: { kind: 'Name', value: 'name' } },
                { kind: 'Field', name: { kind: 'Name', value: 'threads' } },
                { kind: 'Field', name: { kind: 'Name', value: 'memoryMb' } },
              ],
            },
          },
          { kind: 'Field', name: { kind: 'Name', value: 'pid' } },
          { kind: 'Field', name: { kind: 'Name', value: 'startStep' } },
          { kind: 'Field', name: { kind: 'Name', value: 'step' } },
          { kind: 'Field', name: { kind: 'Name', value: 'assignedAt' } },
          { kind: 'Field', name: { kind: 'Name', value: 'startedAt' } },
          { kind: 'Field', name: { kind: 'Name', value: 'endedAt' } },
          { kind: 'Field', name: { kind: 'Name', value: 'exitCode' } },
          { kind: 'Field', name: { kind: 'Name', value: 'signal' } },
          { kind: 'Field', name: { kind: 'Name', value: 'verdict' } },
          { kind: 'Field', name: { kind: 'Name', value: 'message' } },
        ],
      },
    },
    {
      kind: 'FragmentDefinition',
      name: { kind: 'Name', value: 'RunFields' },
      typeCondition: { kind: 'NamedType', name: { kind: 'Name', value: 'Run' } },
      selectionSet: {
        kind: 'SelectionSet',
        selections: [
          { kind: 'Field', name: { kind: 'Name', value: 'id' } },
          { kind: 'Field', name: { kind: 'Name', value: 'project' } },
          { kind: 'Field', name: { kind: 'Name', value: 'name' } },
          { kind: 'Field', name: { kind: 'Name', value: 'title' } },
          { kind: 'Field', name: { kind: 'Name', value: 'state' } },
          { kind: 'Field', name: { kind: 'Name', value: 'message' } },
          { kind: 'Field', name: { kind: 'Name', value: 'priority' } },
          { kind: 'Field', name: { kind: 'Name', value: 'tags' } },
          { kind: 'Field', name: { kind: 'Name', value: 'group' } },
          { kind: 'Field', name: { kind: 'Name', value: 'note' } },
          { kind: 'Field', name: { kind: 'Name', value: 'step' } },
          { kind: 'Field', name: { kind: 'Name', value: 'steps' } },
          { kind: 'Field', name: { kind: 'Name', value: 'latest' } },
          { kind: 'Field', name: { kind: 'Name', value: 'health' } },
          { kind: 'Field', name: { kind: 'Name', value: 'warnings' } },
          { kind: 'Field', name: { kind: 'Name', value: 'head' } },
          { kind: 'Field', name: { kind: 'Name', value: 'createdAt' } },
          { kind: 'Field', name: { kind: 'Name', value: 'createdBy' } },
          { kind: 'Field', name: { kind: 'Name', value: 'startedAt' } },
          { kind: 'Field', name: { kind: 'Name', value: 'endedAt' } },
          { kind: 'Field', name: { kind: 'Name', value: 'parentRunId' } },
          { kind: 'Field', name: { kind: 'Name', value: 'parentStep' } },
          { kind: 'Field', name: { kind: 'Name', value: 'continues' } },
          { kind: 'Field', name: { kind: 'Name', value: 'host' } },
          { kind: 'Field', name: { kind: 'Name', value: 'imported' } },
          { kind: 'Field', name: { kind: 'Name', value: 'specHash' } },
        ],
      },
    },
    {
      kind: 'FragmentDefinition',
      name: { kind: 'Name', value: 'PluginFields' },
      typeCondition: { kind: 'NamedType', name: { kind: 'Name', value: 'PluginVersion' } },
      selectionSet: {
        kind: 'SelectionSet',
        selections: [
          { kind: 'Field', name: { kind: 'Name', value: 'kind' } },
          { kind: 'Field', name: { kind: 'Name', value: 'id' } },
          { kind: 'Field', name: { kind: 'Name', value: 'version' } },
          { kind: 'Field', name: { kind: 'Name', value: 'sha256' } },
          { kind: 'Field', name: { kind: 'Name', value: 'isExternal' } },
        ],
      },
    },
    {
      kind: 'FragmentDefinition',
      name: { kind: 'Name', value: 'JobsPage' },
      typeCondition: { kind: 'NamedType', name: { kind: 'Name', value: 'JobConnection' } },
      selectionSet: {
        kind: 'SelectionSet',
        selections: [
          {
            kind: 'Field',
            name: { kind: 'Name', value: 'nodes' },
            selectionSet: {
              kind: 'SelectionSet',
              selections: [
                { kind: 'FragmentSpread', name: { kind: 'Name', value: 'JobFields' } },
                { kind: 'Field', name: { kind: 'Name', value: 'whyWaiting' } },
              ],
            },
          },
          {
            kind: 'Field',
            name: { kind: 'Name', value: 'pageInfo' },
            selectionSet: {
              kind: 'SelectionSet',
              selections: [{ kind: 'FragmentSpread', name: { kind: 'Name', value: 'PageFields' } }],
            },
          },
        ],
      },
    },
    {
      kind: 'FragmentDefinition',
      name: { kind: 'Name', value: 'AttemptsPage' },
      typeCondition: { kind: 'NamedType', name: { kind: 'Name', value: 'AttemptConnection' } },
      selectionSet: {
        kind: 'SelectionSet',
        selections: [
          {
            kind: 'Field',
            name: { kind: 'Name', value: 'nodes' },
            selectionSet: {
              kind: 'SelectionSet',
              selections: [{ kind: 'FragmentSpread', name: { kind: 'Name', value: 'AttemptFields' } }],
            },
          },
          {
            kind: 'Field',
            name: { kind: 'Name', value: 'pageInfo' },
            selectionSet: {
              kind: 'SelectionSet',
              selections: [{ kind: 'FragmentSpread', name: { kind: 'Name', value: 'PageFields' } }],
            },
          },
        ],
      },
    },
  ],
} as unknown as DocumentNode<RunDetailsFragment, unknown>;
export const PlanFieldsFragmentDoc = {
  kind: 'Document',
  definitions: [
    {
      kind: 'FragmentDefinition',
      name: { kind: 'Name', value: 'PlanFields' },
      typeCondition: { kind: 'NamedType', name: { kind: 'Name', value: 'RunPlan' } },
      selectionSet: {
        kind: 'SelectionSet',
        selections: [
          { kind: 'Field', name: { kind: 'Name', value: 'name' } },
          { kind: 'Field', name: { kind: 'Name', value: 'project' } },
          { kind: 'Field', name: { kind: 'Name', value: 'spec' } },
          { kind: 'Field', name: { kind: 'Name', value: 'specHash' } },
          {
            kind: 'Field',
            name: { kind: 'Name', value: 'sources' },
            selectionSet: {
              kind: 'SelectionSet',
              selections: [
                { kind: 'Field', name: { kind: 'Name', value: 'path' } },
                { kind: 'Field', name: { kind: 'Name', value: 'source' } },
              ],
            },
          },
          {
            kind: 'Field',
            name: { kind: 'Name', value: 'derived' },
            selectionSet: {
              kind: 'SelectionSet',
              selections: [
                { kind: 'Field', name: { kind: 'Name', value: 'trajectoriesPerStep' } },
                { kind: 'Field', name: { kind: 'Name', value: 'keptGroupsPerStep' } },
                { kind: 'Field', name: { kind: 'Name', value: 'trajectoriesPerMiniBatch' } },
                { kind: 'Field', name: { kind: 'Name', value: 'optimizerStepsPerStep' } },
                { kind: 'Field', name: { kind: 'Name', value: 'optimizerSteps' } },
                { kind: 'Field', name: { kind: 'Name', value: 'episodes' } },
                {
                  kind: 'Field',
                  name: { kind: 'Name', value: 'tags' },
                  selectionSet: {
                    kind: 'SelectionSet',
                    selections: [
                      { kind: 'Field', name: { kind: 'Name', value: 'tag' } },
                      { kind: 'Field', name: { kind: 'Name', value: 'groups' } },
                      { kind: 'Field', name: { kind: 'Name', value: 'share' } },
                      { kind: 'Field', name: { kind: 'Name', value: 'trajectoriesPerStep' } },
                      { kind: 'Field', name: { kind: 'Name', value: 'keptGroupsPerStep' } },
                    ],
                  },
                },
              ],
            },
          },
          {
            kind: 'Field',
            name: { kind: 'Name', value: 'inert' },
            selectionSet: {
              kind: 'SelectionSet',
              selections: [
                { kind: 'Field', name: { kind: 'Name', value: 'path' } },
                { kind: 'Field', name: { kind: 'Name', value: 'reason' } },
                { kind: 'Field', name: { kind: 'Name', value: 'set' } },
              ],
            },
          },
          { kind: 'Field', name: { kind: 'Name', value: 'steps' } },
          {
            kind: 'Field',
            name: { kind: 'Name', value: 'needs' },
            selectionSet: {
              kind: 'SelectionSet',
              selections: [{ kind: 'FragmentSpread', name: { kind: 'Name', value: 'NeedsFields' } }],
            },
          },
          {
            kind: 'Field',
            name: { kind: 'Name', value: 'plugins' },
            selectionSet: {
              kind: 'SelectionSet',
              selections: [{ kind: 'FragmentSpread', name: { kind: 'Name', value: 'PluginFields' } }],
            },
          },
          { kind: 'Field', name: { kind: 'Name', value: 'warnings' } },
          {
            kind: 'Field',
            name: { kind: 'Name', value: 'estimate' },
            selectionSet: {
              kind: 'SelectionSet',
              selections: [
                { kind: 'Field', name: { kind: 'Name', value: 'parameters' } },
                {
                  kind: 'Field',
                  name: { kind: 'Name', value: 'graphs' },
                  selectionSet: {
                    kind: 'SelectionSet',
                    selections: [
                      { kind: 'Field', name: { kind: 'Name', value: 'name' } },
                      { kind: 'Field', name: { kind: 'Name', value: 'nodes' } },
                    ],
                  },
                },
                { kind: 'Field', name: { kind: 'Name', value: 'tokensPerStep' } },
                {
                  kind: 'Field',
                  name: { kind: 'Name', value: 'expected' },
                  selectionSet: {
                    kind: 'SelectionSet',
                    selections: [
                      { kind: 'Field', name: { kind: 'Name', value: 'turnsPerEpisode' } },
                      { kind: 'Field', name: { kind: 'Name', value: 'tokensPerEpisode' } },
                      { kind: 'Field', name: { kind: 'Name', value: 'sampledTokens' } },
                      { kind: 'Field', name: { kind: 'Name', value: 'trainedTokens' } },
                      { kind: 'Field', name: { kind: 'Name', value: 'paddingShare' } },
                      { kind: 'Field', name: { kind: 'Name', value: 'collectSeconds' } },
                      { kind: 'Field', name: { kind: 'Name', value: 'updateSeconds' } },
                      { kind: 'Field', name: { kind: 'Name', value: 'secondsPerStep' } },
                      { kind: 'Field', name: { kind: 'Name', value: 'peakBytes' } },
                    ],
                  },
                },
                { kind: 'Field', name: { kind: 'Name', value: 'modelBytes' } },
                { kind: 'Field', name: { kind: 'Name', value: 'cacheBytes' } },
                { kind: 'Field', name: { kind: 'Name', value: 'activationBytes' } },
                { kind: 'Field', name: { kind: 'Name', value: 'checkpointBytes' } },
                { kind: 'Field', name: { kind: 'Name', value: 'checkpointsBytes' } },
                { kind: 'Field', name: { kind: 'Name', value: 'secondsPerStep' } },
                { kind: 'Field', name: { kind: 'Name', value: 'threads' } },
              ],
            },
          },
          { kind: 'Field', name: { kind: 'Name', value: 'estimateReason' } },
          { kind: 'Field', name: { kind: 'Name', value: 'parentRunId' } },
          { kind: 'Field', name: { kind: 'Name', value: 'parentStep' } },
          { kind: 'Field', name: { kind: 'Name', value: 'forkPath' } },
          { kind: 'Field', name: { kind: 'Name', value: 'continues' } },
          {
            kind: 'Field',
            name: { kind: 'Name', value: 'differences' },
            selectionSet: {
              kind: 'SelectionSet',
              selections: [
                { kind: 'Field', name: { kind: 'Name', value: 'path' } },
                { kind: 'Field', name: { kind: 'Name', value: 'values' } },
              ],
            },
          },
        ],
      },
    },
    {
      kind: 'FragmentDefinition',
      name: { kind: 'Name', value: 'NeedsFields' },
      typeCondition: { kind: 'NamedType', name: { kind: 'Name', value: 'JobNeeds' } },
      selectionSet: {
        kind: 'SelectionSet',
        selections: [
          { kind: 'Field', name: { kind: 'Name', value: 'kind' } },
          { kind: 'Field', name: { kind: 'Name', value: 'count' } },
          { kind: 'Field', name: { kind: 'Name', value: 'memoryMb' } },
          { kind: 'Field', name: { kind: 'Name', value: 'labels' } },
        ],
      },
    },
    {
      kind: 'FragmentDefinition',
      name: { kind: 'Name', value: 'PluginFields' },
      typeCondition: { kind: 'NamedType', name: { kind: 'Name', value: 'PluginVersion' } },
      selectionSet: {
        kind: 'SelectionSet',
        selections: [
          { kind: 'Field', name: { kind: 'Name', value: 'kind' } },
          { kind: 'Field', name: { kind: 'Name', value: 'id' } },
          { kind: 'Field', name: { kind: 'Name', value: 'version' } },
          { kind: 'Field', name: { kind: 'Name', value: 'sha256' } },
          { kind: 'Field', name: { kind: 'Name', value: 'isExternal' } },
        ],
      },
    },
  ],
} as unknown as DocumentNode<PlanFieldsFragment, unknown>;
export const CommentFieldsFragmentDoc = {
  kind: 'Document',
  definitions: [
    {
      kind: 'FragmentDefinition',
      name: { kind: 'Name', value: 'CommentFields' },
      typeCondition: { kind: 'NamedType', name: { kind: 'Name', value: 'RunComment' } },
      selectionSet: {
        kind: 'SelectionSet',
        selections: [
          { kind: 'Field', name: { kind: 'Name', value: 'id' } },
          { kind: 'Field', name: { kind: 'Name', value: 'runId' } },
          { kind: 'Field', name: { kind: 'Name', value: 'createdAt' } },
          { kind: 'Field', name: { kind: 'Name', value: 'createdBy' } },
          { kind: 'Field', name: { kind: 'Name', value: 'text' } },
          { kind: 'Field', name: { kind: 'Name', value: 'step' } },
          { kind: 'Field', name: { kind: 'Name', value: 'keyId' } },
          { kind: 'Field', name: { kind: 'Name', value: 'parentId' } },
          { kind: 'Field', name: { kind: 'Name', value: 'alertId' } },
          { kind: 'Field', name: { kind: 'Name', value: 'trajectoryId' } },
          { kind: 'Field', name: { kind: 'Name', value: 'turn' } },
          { kind: 'Field', name: { kind: 'Name', value: 'tokenStart' } },
          { kind: 'Field', name: { kind: 'Name', value: 'tokenEnd' } },
          { kind: 'Field', name: { kind: 'Name', value: 'editedAt' } },
          { kind: 'Field', name: { kind: 'Name', value: 'deletedAt' } },
        ],
      },
    },
  ],
} as unknown as DocumentNode<CommentFieldsFragment, unknown>;
export const SpreadFieldsFragmentDoc = {
  kind: 'Document',
  definitions: [
    {
      kind: 'FragmentDefinition',
      name: { kind: 'Name', value: 'SpreadFields' },
      typeCondition: { kind: 'NamedType', name: { kind: 'Name', value: 'MetricSpread' } },
      selectionSet: {
        kind: 'SelectionSet',
        selections: [
          { kind: 'Field', name: { kind: 'Name', value: 'count' } },
          { kind: 'Field', name: { kind: 'Name', value: 'mean' } },
          { kind: 'Field', name: { kind: 'Name', value: 'std' } },
          { kind: 'Field', name: { kind: 'Name', value: 'min' } },
          { kind: 'Field', name: { kind: 'Name', value: 'max' } },
          { kind: 'Field', name: { kind: 'Name', value: 'low' } },
          { kind: 'Field', name: { kind: 'Name', value: 'high' } },
          { kind: 'Field', name: { kind: 'Name', value: 'interquartileMean' } },
          { kind: 'Field', name: { kind: 'Name', value: 'interquartileRange' } },
        ],
      },
    },
  ],
} as unknown as DocumentNode<SpreadFieldsFragment, unknown>;
export const TrajectoryRowFieldsFragmentDoc = {
  kind: 'Document',
  definitions: [
    {
      kind: 'FragmentDefinition',
      name: { kind: 'Name', value: 'TrajectoryRowFields' },
      typeCondition: { kind: 'NamedType', name: { kind: 'Name', value: 'Trajectory' } },
      selectionSet: {
        kind: 'SelectionSet',
        selections: [
          { kind: 'Field', name: { kind: 'Name', value: 'id' } },
          { kind: 'Field', name: { kind: 'Name', value: 'runId' } },
          { kind: 'Field', name: { kind: 'Name', value: 'attempt' } },
          { kind: 'Field', name: { kind: 'Name', value: 'step' } },
          { kind: 'Field', name: { kind: 'Name', value: 'environment' } },
          { kind: 'Field', name: { kind: 'Name', value: 'environmentTag' } },
          { kind: 'Field', name: { kind: 'Name', value: 'split' } },
          { kind: 'Field', name: { kind: 'Name', value: 'group' } },
          { kind: 'Field', name: { kind: 'Name', value: 'index' } },
          { kind: 'Field', name: { kind: 'Name', value: 'stateSeed' } },
          { kind: 'Field', name: { kind: 'Name', value: 'reward' } },
          { kind: 'Field', name: { kind: 'Name', value: 'environmentReward' } },
          { kind: 'Field', name: { kind: 'Name', value: 'success' } },
          { kind: 'Field', name: { kind: 'Name', value: 'stopReason' } },
          { kind: 'Field', name: { kind: 'Name', value: 'labels' } },
          { kind: 'Field', name: { kind: 'Name', value: 'turns' } },
          { kind: 'Field', name: { kind: 'Name', value: 'tokens' } },
          { kind: 'Field', name: { kind: 'Name', value: 'sampledTokens' } },
          { kind: 'Field', name: { kind: 'Name', value: 'kept' } },
          {
            kind: 'Field',
            name: { kind: 'Name', value: 'dropped' },
            selectionSet: {
              kind: 'SelectionSet',
              selections: [
                { kind: 'Field', name: { kind: 'Name', value: 'reason' } },
                { kind: 'Field', name: { kind: 'Name', value: 'numbers' } },
              ],
            },
          },
          { kind: 'Field', name: { kind: 'Name', value: 'outcome' } },
          { kind: 'Field', name: { kind: 'Name', value: 'lossTokens' } },
          { kind: 'Field', name: { kind: 'Name', value: 'clippedTokens' } },
          { kind: 'Field', name: { kind: 'Name', value: 'updateShare' } },
          { kind: 'Field', name: { kind: 'Name', value: 'error' } },
        ],
      },
    },
  ],
} as unknown as DocumentNode<TrajectoryRowFieldsFragment, unknown>;
export const TrajectoryDetailFieldsFragmentDoc = {
  kind: 'Document',
  definitions: [
    {
      kind: 'FragmentDefinition',
      name: { kind: 'Name', value: 'TrajectoryDetailFields' },
      typeCondition: { kind: 'NamedType', name: { kind: 'Name', value: 'TrajectoryDetail' } },
      selectionSet: {
        kind: 'SelectionSet',
        selections: [
          {
            kind: 'Field',
            name: { kind: 'Name', value: 'row' },
            selectionSet: {
              kind: 'SelectionSet',
              selections: [{ kind: 'FragmentSpread', name: { kind: 'Name', value: 'TrajectoryRowFields' } }],
            },
          },
          { kind: 'Field', name: { kind: 'Name', value: 'previousId' } },
          { kind: 'Field', name: { kind: 'Name', value: 'nextId' } },
          { kind: 'Field', name: { kind: 'Name', value: 'level' } },
          {
            kind: 'Field',
            name: { kind: 'Name', value: 'seeds' },
            selectionSet: {
              kind: 'SelectionSet',
              selections: [
                { kind: 'Field', name: { kind: 'Name', value: 'state' } },
                { kind: 'Field', name: { kind: 'Name', value: 'noise' } },
                { kind: 'Field', name: { kind: 'Name', value: 'sampling' } },
              ],
            },
          },
          { kind: 'Field', name: { kind: 'Name', value: 'totalMs' } },
          {
            kind: 'Field',
            name: { kind: 'Name', value: 'spans' },
            selectionSet: {
              kind: 'SelectionSet',
              selections: [
                { kind: 'Field', name: { kind: 'Name', value: 'kind' } },
                { kind: 'Field', name: { kind: 'Name', value: 'start' } },
                { kind: 'Field', name: { kind: 'Name', value: 'end' } },
                { kind: 'Field', name: { kind: 'Name', value: 'turn' } },
              ],
            },
          },
          {
            kind: 'Field',
            name: { kind: 'Name', value: 'windows' },
            selectionSet: {
              kind: 'SelectionSet',
              selections: [
                { kind: 'Field', name: { kind: 'Name', value: 'start' } },
                { kind: 'Field', name: { kind: 'Name', value: 'firstTurn' } },
              ],
            },
          },
          {
            kind: 'Field',
            name: { kind: 'Name', value: 'turns' },
            selectionSet: {
              kind: 'SelectionSet',
              selections: [
                { kind: 'Field', name: { kind: 'Name', value: 'index' } },
                { kind: 'Field', name: { kind: 'Name', value: 'observation' } },
                { kind: 'Field', name: { kind: 'Name', value: 'stateKey' } },
                { kind: 'Field', name: { kind: 'Name', value: 'render' } },
                { kind: 'Field', name: { kind: 'Name', value: 'image' } },
                { kind: 'Field', name: { kind: 'Name', value: 'plan' } },
                { kind: 'Field', name: { kind: 'Name', value: 'response' } },
                { kind: 'Field', name: { kind: 'Name', value: 'think' } },
                { kind: 'Field', name: { kind: 'Name', value: 'answer' } },
                { kind: 'Field', name: { kind: 'Name', value: 'formatValid' } },
                { kind: 'Field', name: { kind: 'Name', value: 'formatPenalty' } },
                { kind: 'Field', name: { kind: 'Name', value: 'sampleStop' } },
                {
                  kind: 'Field',
                  name: { kind: 'Name', value: 'sampled' },
                  selectionSet: {
                    kind: 'SelectionSet',
                    selections: [
                      { kind: 'Field', name: { kind: 'Name', value: 'start' } },
                      { kind: 'Field', name: { kind: 'Name', value: 'end' } },
                    ],
                  },
                },
                { kind: 'Field', name: { kind: 'Name', value: 'policyVersion' } },
                {
                  kind: 'Field',
                  name: { kind: 'Name', value: 'timings' },
                  selectionSet: {
                    kind: 'SelectionSet',
                    selections: [
                      { kind: 'Field', name: { kind: 'Name', value: 'sampleMs' } },
                      { kind: 'Field', name: { kind: 'Name', value: 'environmentMs' } },
                    ],
                  },
                },
                { kind: 'Field', name: { kind: 'Name', value: 'parsedActions' } },
                {
                  kind: 'Field',
                  name: { kind: 'Name', value: 'actions' },
                  selectionSet: {
                    kind: 'SelectionSet',
                    selections: [
                      { kind: 'Field', name: { kind: 'Name', value: 'text' } },
                      { kind: 'Field', name: { kind: 'Name', value: 'valid' } },
                      { kind: 'Field', name: { kind: 'Name', value: 'effective' } },
                      { kind: 'Field', name: { kind: 'Name', value: 'slipped' } },
                      { kind: 'Field', name: { kind: 'Name', value: 'reward' } },
                      { kind: 'Field', name: { kind: 'Name', value: 'metrics' } },
                    ],
                  },
                },
                { kind: 'Field', name: { kind: 'Name', value: 'reward' } },
              ],
            },
          },
          {
            kind: 'Field',
            name: { kind: 'Name', value: 'labels' },
            selectionSet: {
              kind: 'SelectionSet',
              selections: [
                { kind: 'Field', name: { kind: 'Name', value: 'name' } },
                { kind: 'Field', name: { kind: 'Name', value: 'turn' } },
              ],
            },
          },
          {
            kind: 'Field',
            name: { kind: 'Name', value: 'score' },
            selectionSet: {
              kind: 'SelectionSet',
              selections: [
                { kind: 'Field', name: { kind: 'Name', value: 'total' } },
                { kind: 'Field', name: { kind: 'Name', value: 'environment' } },
                { kind: 'Field', name: { kind: 'Name', value: 'formatPenalty' } },
                { kind: 'Field', name: { kind: 'Name', value: 'perTurn' } },
                {
                  kind: 'Field',
                  name: { kind: 'Name', value: 'evidence' },
                  selectionSet: {
                    kind: 'SelectionSet',
                    selections: [
                      { kind: 'Field', name: { kind: 'Name', value: 'reward' } },
                      { kind: 'Field', name: { kind: 'Name', value: 'turn' } },
                      { kind: 'Field', name: { kind: 'Name', value: 'start' } },
                      { kind: 'Field', name: { kind: 'Name', value: 'end' } },
                      { kind: 'Field', name: { kind: 'Name', value: 'value' } },
                      { kind: 'Field', name: { kind: 'Name', value: 'note' } },
                    ],
                  },
                },
                {
                  kind: 'Field',
                  name: { kind: 'Name', value: 'rewards' },
                  selectionSet: {
                    kind: 'SelectionSet',
                    selections: [
                      { kind: 'Field', name: { kind: 'Name', value: 'name' } },
                      { kind: 'Field', name: { kind: 'Name', value: 'value' } },
                      { kind: 'Field', name: { kind: 'Name', value: 'weight' } },
                    ],
                  },
                },
              ],
            },
          },
          {
            kind: 'Field',
            name: { kind: 'Name', value: 'update' },
            selectionSet: {
              kind: 'SelectionSet',
              selections: [
                { kind: 'Field', name: { kind: 'Name', value: 'outcome' } },
                { kind: 'Field', name: { kind: 'Name', value: 'lossTokens' } },
                { kind: 'Field', name: { kind: 'Name', value: 'clippedTokens' } },
                { kind: 'Field', name: { kind: 'Name', value: 'share' } },
                { kind: 'Field', name: { kind: 'Name', value: 'policyVersion' } },
                { kind: 'Field', name: { kind: 'Name', value: 'hasTokens' } },
                { kind: 'Field', name: { kind: 'Name', value: 'firstPassSteps' } },
                { kind: 'Field', name: { kind: 'Name', value: 'lastPassSteps' } },
              ],
            },
          },
        ],
      },
    },
    {
      kind: 'FragmentDefinition',
      name: { kind: 'Name', value: 'TrajectoryRowFields' },
      typeCondition: { kind: 'NamedType', name: { kind: 'Name', value: 'Trajectory' } },
      selectionSet: {
        kind: 'SelectionSet',
        selections: [
          { kind: 'Field', name: { kind: 'Name', value: 'id' } },
          { kind: 'Field', name: { kind: 'Name', value: 'runId' } },
          { kind: 'Field', name: { kind: 'Name', value: 'attempt' } },
          { kind: 'Field', name: { kind: 'Name', value: 'step' } },
          { kind: 'Field', name: { kind: 'Name', value: 'environment' } },
          { kind: 'Field', name: { kind: 'Name', value: 'environmentTag' } },
          { kind: 'Field', name: { kind: 'Name', value: 'split' } },
          { kind: 'Field', name: { kind: 'Name', value: 'group' } },
          { kind: 'Field', name: { kind: 'Name', value: 'index' } },
          { kind: 'Field', name: { kind: 'Name', value: 'stateSeed' } },
          { kind: 'Field', name: { kind: 'Name', value: 'reward' } },
          { kind: 'Field', name: { kind: 'Name', value: 'environmentReward' } },
          { kind: 'Field', name: { kind: 'Name', value: 'success' } },
          { kind: 'Field', name: { kind: 'Name', value: 'stopReason' } },
          { kind: 'Field', name: { kind: 'Name', value: 'labels' } },
          { kind: 'Field', name: { kind: 'Name', value: 'turns' } },
          { kind: 'Field', name: { kind: 'Name', value: 'tokens' } },
          { kind: 'Field', name: { kind: 'Name', value: 'sampledTokens' } },
          { kind: 'Field', name: { kind: 'Name', value: 'kept' } },
          {
            kind: 'Field',
            name: { kind: 'Name', value: 'dropped' },
            selectionSet: {
              kind: 'SelectionSet',
              selections: [
                { kind: 'Field', name: { kind: 'Name', value: 'reason' } },
                { kind: 'Field', name: { kind: 'Name', value: 'numbers' } },
              ],
            },
          },
          { kind: 'Field', name: { kind: 'Name', value: 'outcome' } },
          { kind: 'Field', name: { kind: 'Name', value: 'lossTokens' } },
          { kind: 'Field', name: { kind: 'Name', value: 'clippedTokens' } },
          { kind: 'Field', name: { kind: 'Name', value: 'updateShare' } },
          { kind: 'Field', name: { kind: 'Name', value: 'error' } },
        ],
      },
    },
  ],
} as unknown as DocumentNode<TrajectoryDetailFieldsFragment, unknown>;
export const PlayedStateFieldsFragmentDoc = {
  kind: 'Document',
  definitions: [
    {
      kind: 'FragmentDefinition',
      name: { kind: 'Name', value: 'PlayedStateFields' },
      typeCondition: { kind: 'NamedType', name: { kind: 'Name', value: 'PlayedState' } },
      selectionSet: {
        kind: 'SelectionSet',
        selections: [
          { kind: 'Field', name: { kind: 'Name', value: 'observation' } },
          {
            kind: 'Field',
            name: { kind: 'Name', value: 'legend' },
            selectionSet: {
              kind: 'SelectionSet',
              selections: [
                { kind: 'Field', name: { kind: 'Name', value: 'symbol' } },
                { kind: 'Field', name: { kind: 'Name', value: 'meaning' } },
              ],
            },
          },
          { kind: 'Field', name: { kind: 'Name', value: 'actions' } },
          { kind: 'Field', name: { kind: 'Name', value: 'render' } },
          { kind: 'Field', name: { kind: 'Name', value: 'image' } },
          { kind: 'Field', name: { kind: 'Name', value: 'facts' } },
          { kind: 'Field', name: { kind: 'Name', value: 'hasOracle' } },
          { kind: 'Field', name: { kind: 'Name', value: 'plan' } },
          {
            kind: 'Field',
            name: { kind: 'Name', value: 'steps' },
            selectionSet: {
              kind: 'SelectionSet',
              selections: [
                { kind: 'Field', name: { kind: 'Name', value: 'action' } },
                { kind: 'Field', name: { kind: 'Name', value: 'reward' } },
                { kind: 'Field', name: { kind: 'Name', value: 'valid' } },
                { kind: 'Field', name: { kind: 'Name', value: 'effective' } },
                { kind: 'Field', name: { kind: 'Name', value: 'slipped' } },
              ],
            },
          },
          { kind: 'Field', name: { kind: 'Name', value: 'ended' } },
        ],
      },
    },
  ],
} as unknown as DocumentNode<PlayedStateFieldsFragment, unknown>;
export const AlarmFieldsFragmentDoc = {
  kind: 'Document',
  definitions: [
    {
      kind: 'FragmentDefinition',
      name: { kind: 'Name', value: 'AlarmFields' },
      typeCondition: { kind: 'NamedType', name: { kind: 'Name', value: 'Alert' } },
      selectionSet: {
        kind: 'SelectionSet',
        selections: [
          { kind: 'Field', name: { kind: 'Name', value: 'id' } },
          { kind: 'Field', name: { kind: 'Name', value: 'runId' } },
          { kind: 'Field', name: { kind: 'Name', value: 'severity' } },
          { kind: 'Field', name: { kind: 'Name', value: 'code' } },
          { kind: 'Field', name: { kind: 'Name', value: 'message' } },
          { kind: 'Field', name: { kind: 'Name', value: 'step' } },
          { kind: 'Field', name: { kind: 'Name', value: 'time' } },
          { kind: 'Field', name: { kind: 'Name', value: 'acknowledgedAt' } },
          { kind: 'Field', name: { kind: 'Name', value: 'acknowledgedBy' } },
          { kind: 'Field', name: { kind: 'Name', value: 'project' } },
          { kind: 'Field', name: { kind: 'Name', value: 'assigneeId' } },
          { kind: 'Field', name: { kind: 'Name', value: 'assignee' } },
          {
            kind: 'Field',
            name: { kind: 'Name', value: 'findings' },
            selectionSet: {
              kind: 'SelectionSet',
              selections: [
                { kind: 'Field', name: { kind: 'Name', value: 'rule' } },
                { kind: 'Field', name: { kind: 'Name', value: 'meaning' } },
                { kind: 'Field', name: { kind: 'Name', value: 'level' } },
                { kind: 'Field', name: { kind: 'Name', value: 'input' } },
                { kind: 'Field', name: { kind: 'Name', value: 'metrics' } },
                { kind: 'Field', name: { kind: 'Name', value: 'measure' } },
                { kind: 'Field', name: { kind: 'Name', value: 'limit' } },
                { kind: 'Field', name: { kind: 'Name', value: 'value' } },
                { kind: 'Field', name: { kind: 'Name', value: 'baseline' } },
                { kind: 'Field', name: { kind: 'Name', value: 'since' } },
                { kind: 'Field', name: { kind: 'Name', value: 'history' } },
                { kind: 'Field', name: { kind: 'Name', value: 'metricLimit' } },
                { kind: 'Field', name: { kind: 'Name', value: 'side' } },
              ],
            },
          },
          {
            kind: 'Field',
            name: { kind: 'Name', value: 'verdicts' },
            selectionSet: {
              kind: 'SelectionSet',
              selections: [
                { kind: 'Field', name: { kind: 'Name', value: 'keyId' } },
                { kind: 'Field', name: { kind: 'Name', value: 'createdBy' } },
                { kind: 'Field', name: { kind: 'Name', value: 'judgement' } },
                { kind: 'Field', name: { kind: 'Name', value: 'reason' } },
                { kind: 'Field', name: { kind: 'Name', value: 'time' } },
              ],
            },
          },
        ],
      },
    },
  ],
} as unknown as DocumentNode<AlarmFieldsFragment, unknown>;
export const WorkerFieldsFragmentDoc = {
  kind: 'Document',
  definitions: [
    {
      kind: 'FragmentDefinition',
      name: { kind: 'Name', value: 'WorkerFields' },
      typeCondition: { kind: 'NamedType', name: { kind: 'Name', value: 'Worker' } },
      selectionSet: {
        kind: 'SelectionSet',
        selections: [
          { kind: 'Field', name: { kind: 'Name', value: 'id' } },
          { kind: 'Field', name: { kind: 'Name', value: 'name' } },
          { kind: 'Field', name: { kind: 'Name', value: 'host' } },
          { kind: 'Field', name: { kind: 'Name', value: 'version' } },
          { kind: 'Field', name: { kind: 'Name', value: 'labels' } },
          {
            kind: 'Field',
            name: { kind: 'Name', value: 'plugins' },
            selectionSet: {
              kind: 'SelectionSet',
              selections: [{ kind: 'FragmentSpread', name: { kind: 'Name', value: 'PluginFields' } }],
            },
          },
          { kind: 'Field', name: { kind: 'Name', value: 'online' } },
          { kind: 'Field', name: { kind: 'Name', value: 'draining' } },
          { kind: 'Field', name: { kind: 'Name', value: 'connectedAt' } },
          { kind: 'Field', name: { kind: 'Name', value: 'lastSeenAt' } },
        ],
      },
    },
    {
      kind: 'FragmentDefinition',
      name: { kind: 'Name', value: 'PluginFields' },
      typeCondition: { kind: 'NamedType', name: { kind: 'Name', value: 'PluginVersion' } },
      selectionSet: {
        kind: 'SelectionSet',
        selections: [
          { kind: 'Field', name: { kind: 'Name', value: 'kind' } },
          { kind: 'Field', name: { kind: 'Name', value: 'id' } },
          { kind: 'Field', name: { kind: 'Name', value: 'version' } },
          { kind: 'Field', name: { kind: 'Name', value: 'sha256' } },
          { kind: 'Field', name: { kind: 'Name', value: 'isExternal' } },
        ],
      },
    },
  ],
} as unknown as DocumentNode<WorkerFieldsFragment, unknown>;
export const ListAlertsDocument = {
  kind: 'Document',
  definitions: [
    {
      kind: 'OperationDefinition',
      operation: 'query',
      name: { kind: 'Name', value: 'ListAlerts' },
      variableDefinitions: [
        {
          kind: 'VariableDefinition',
          variable: { kind: 'Variable', name: { kind: 'Name', value: 'filter' } },
          type: { kind: 'NamedType', name: { kind: 'Name', value: 'AlertFilter' } },
        },
        {
          kind: 'VariableDefinition',
          variable: { kind: 'Variable', name: { kind: 'Name', value: 'first' } },
          type: { kind: 'NamedType', name: { kind: 'Name', value: 'Int' } },
        },
        {
          kind: 'VariableDefinition',
          variable: { kind: 'Variable', name: { kind: 'Name', value: 'after' } },
          type: { kind: 'NamedType', name: { kind: 'Name', value: 'String' } },
        },
        {
          kind: 'VariableDefinition',
          variable: { kind: 'Variable', name: { kind: 'Name', value: 'orderBy' } },
          type: { kind: 'NamedType', name: { kind: 'Name', value: 'AlertOrder' } },
        },
      ],
      selectionSet: {
        kind: 'SelectionSet',
        selections: [
          {
            kind: 'Field',
            name: { kind: 'Name', value: 'alerts' },
            arguments: [
              {
                kind: 'Argument',
                name: { kind: 'Name', value: 'filter' },
                value: { kind: 'Variable', name: { kind: 'Name', value: 'filter' } },
              },
              {
                kind: 'Argument',
                name: { kind: 'Name', value: 'first' },
                value: { kind: 'Variable', name: { kind: 'Name', value: 'first' } },
              },
              {
                kind: 'Argument',
                name: { kind: 'Name', value: 'after' },
                value: { kind: 'Variable', name: { kind: 'Name', value: 'after' } },
              },
              {
                kind: 'Argument',
                name: { kind: 'Name', value: 'orderBy' },
                value: { kind: 'Variable', name: { kind: 'Name', value: 'orderBy' } },
              },
            ],
            selectionSet: {
              kind: 'SelectionSet',
              selections: [
                {
                  kind: 'Field',
                  name: { kind: 'Name', value: 'nodes' },
                  selectionSet: {
                    kind: 'SelectionSet',
                    selections: [{ kind: 'FragmentSpread', name: { kind: 'Name', value: 'AlertFields' } }],
                  },
                },
                {
                  kind: 'Field',
                  name: { kind: 'Name', value: 'pageInfo' },
                  selectionSet: {
                    kind: 'SelectionSet',
                    selections: [{ kind: 'FragmentSpread', name: { kind: 'Name', value: 'PageFields' } }],
                  },
                },
              ],
            },
          },
        ],
      },
    },
    {
      kind: 'FragmentDefinition',
      name: { kind: 'Name', value: 'AlertFields' },
      typeCondition: { kind: 'NamedType', name: { kind: 'Name', value: 'Alert' } },
      selectionSet: {
        kind: 'SelectionSet',
        selections: [
          { kind: 'Field', name: { kind: 'Name', value: 'id' } },
          { kind: 'Field', name: { kind: 'Name', value: 'runId' } },
          { kind: 'Field', name: { kind: 'Name', value: 'severity' } },
          { kind: 'Field', name: { kind: 'Name', value: 'code' } },
          { kind: 'Field', name: { kind: 'Name', value: 'message' } },
          { kind: 'Field', name: { kind: 'Name', value: 'step' } },
          { kind: 'Field', name: { kind: 'Name', value: 'time' } },
          { kind: 'Field', name: { kind: 'Name', value: 'acknowledgedAt' } },
          { kind: 'Field', name: { kind: 'Name', value: 'acknowledgedBy' } },
          { kind: 'Field', name: { kind: 'Name', value: 'project' } },
          { kind: 'Field', name: { kind: 'Name', value: 'rules' } },
          { kind: 'Field', name: { kind: 'Name', value: 'assigneeId' } },
          { kind: 'Field', name: { kind: 'Name', value: 'assignee' } },
        ],
      },
    },
    {
      kind: 'FragmentDefinition',
      name: { kind: 'Name', value: 'PageFields' },
      typeCondition: { kind: 'NamedType', name: { kind: 'Name', value: 'PageInfo' } },
      selectionSet: {
        kind: 'SelectionSet',
        selections: [
          { kind: 'Field', name: { kind: 'Name', value: 'startCursor' } },
          { kind: 'Field', name: { kind: 'Name', value: 'endCursor' } },
          { kind: 'Field', name: { kind: 'Name', value: 'hasNextPage' } },
          { kind: 'Field', name: { kind: 'Name', value: 'hasPreviousPage' } },
        ],
      },
    },
  ],
} as unknown as DocumentNode<ListAlertsQuery, ListAlertsQueryVariables>;
export const AcknowledgeAlertDocument = {
  kind: 'Document',
  definitions: [
    {
      kind: 'OperationDefinition',
      operation: 'mutation',
      name: { kind: 'Name', value: 'AcknowledgeAlert' },
      variableDefinitions: [
        {
          kind: 'VariableDefinition',
          variable: { kind: 'Variable', name: { kind: 'Name', value: 'input' } },
          type: {
            kind: 'NonNullType',
            type: { kind: 'NamedType', name: { kind: 'Name', value: 'AcknowledgeAlertInput' } },
          },
        },
      ],
      selectionSet: {
        kind: 'SelectionSet',
        selections: [
          {
            kind: 'Field',
            name: { kind: 'Name', value: 'acknowledgeAlert' },
            arguments: [
              {
                kind: 'Argument',
                name: { kind: 'Name', value: 'input' },
                value: { kind: 'Variable', name: { kind: 'Name', value: 'input' } },
              },
            ],
            selectionSet: {
              kind: 'SelectionSet',
              selections: [
                { kind: 'Field', name: { kind: 'Name', value: '__typename' } },
                {
                  kind: 'InlineFragment',
                  typeCondition: { kind: 'NamedType', name: { kind: 'Name', value: 'Alert' } },
                  selectionSet: {
                    kind: 'SelectionSet',
                    selections: [{ kind: 'Field', name: { kind: 'Name', value: 'id' } }],
                  },
                },
                { kind: 'FragmentSpread', name: { kind: 'Name', value: 'RefusalFields' } },
              ],
            },
          },
        ],
      },
    },
    {
      kind: 'FragmentDefinition',
      name: { kind: 'Name', value: 'RefusalFields' },
      typeCondition: { kind: 'NamedType', name: { kind: 'Name', value: 'Refusal' } },
      selectionSet: {
        kind: 'SelectionSet',
        selections: [
          { kind: 'Field', name: { kind: 'Name', value: 'code' } },
          { kind: 'Field', name: { kind: 'Name', value: 'message' } },
          { kind: 'Field', name: { kind: 'Name', value: 'remedy' } },
          {
            kind: 'InlineFragment',
            typeCondition: { kind: 'NamedType', name: { kind: 'Name', value: 'InvalidInput' } },
            selectionSet: {
              kind: 'SelectionSet',
              selections: [{ kind: 'Field', name: { kind: 'Name', value: 'problems' } }],
            },
          },
          {
            kind: 'InlineFragment',
            typeCondition: { kind: 'NamedType', name: { kind: 'Name', value: 'WrongState' } },
            selectionSet: {
              kind: 'SelectionSet',
              selections: [{ kind: 'Field', name: { kind: 'Name', value: 'state' } }],
            },
          },
        ],
      },
    },
  ],
} as unknown as DocumentNode<AcknowledgeAlertMutation, AcknowledgeAlertMutationVariables>;
export const AcknowledgeAlertsDocument = {
  kind: 'Document',
  definitions: [
    {
      kind: 'OperationDefinition',
      operation: 'mutation',
      name: { kind: 'Name', value: 'AcknowledgeAlerts' },
      variableDefinitions: [
        {
          kind: 'VariableDefinition',
          variable: { kind: 'Variable', name: { kind: 'Name', value: 'input' } },
          type: {
            kind: 'NonNullType',
            type: { kind: 'NamedType', name: { kind: 'Name', value: 'AcknowledgeAlertsInput' } },
          },
        },
      ],
      selectionSet: {
        kind: 'SelectionSet',
        selections: [
          {
            kind: 'Field',
            name: { kind: 'Name', value: 'acknowledgeAlerts' },
            arguments: [
              {
                kind: 'Argument',
                name: { kind: 'Name', value: 'input' },
                value: { kind: 'Variable', name: { kind: 'Name', value: 'input' } },
              },
            ],
            selectionSet: {
              kind: 'SelectionSet',
              selections: [
                { kind: 'Field', name: { kind: 'Name', value: '__typename' } },
                {
                  kind: 'InlineFragment',
                  typeCondition: { kind: 'NamedType', name: { kind: 'Name', value: 'AcknowledgedAlerts' } },
                  selectionSet: {
                    kind: 'SelectionSet',
                    selections: [
                      {
                        kind: 'Field',
                        name: { kind: 'Name', value: 'alerts' },
                        selectionSet: {
                          kind: 'SelectionSet',
                          selections: [{ kind: 'Field', name: { kind: 'Name', value: 'id' } }],
                        },
                      },
                    ],
                  },
                },
                { kind: 'FragmentSpread', name: { kind: 'Name', value: 'RefusalFields' } },
              ],
            },
          },
        ],
      },
    },
    {
      kind: 'FragmentDefinition',
      name: { kind: 'Name', value: 'RefusalFields' },
      typeCondition: { kind: 'NamedType', name: { kind: 'Name', value: 'Refusal' } },
      selectionSet: {
        kind: 'SelectionSet',
        selections: [
          { kind: 'Field', name: { kind: 'Name', value: 'code' } },
          { kind: 'Field', name: { kind: 'Name', value: 'message' } },
          { kind: 'Field', name: { kind: 'Name', value: 'remedy' } },
          {
            kind: 'InlineFragment',
            typeCondition: { kind: 'NamedType', name: { kind: 'Name', value: 'InvalidInput' } },
            selectionSet: {
              kind: 'SelectionSet',
              selections: [{ kind: 'Field', name: { kind: 'Name', value: 'problems' } }],
            },
          },
          {
            kind: 'InlineFragment',
            typeCondition: { kind: 'NamedType', name: { kind: 'Name', value: 'WrongState' } },
            selectionSet: {
              kind: 'SelectionSet',
              selections: [{ kind: 'Field', name: { kind: 'Name', value: 'state' } }],
            },
          },
        ],
      },
    },
  ],
} as unknown as DocumentNode<AcknowledgeAlertsMutation, AcknowledgeAlertsMutationVariables>;
export const ListAssigneesDocument = {
  kind: 'Document',
  definitions: [
    {
      kind: 'OperationDefinition',
      operation: 'query',
      name: { kind: 'Name', value: 'ListAssignees' },
      variableDefinitions: [
        {
          kind: 'VariableDefinition',
          variable: { kind: 'Variable', name: { kind: 'Name', value: 'project' } },
          type: { kind: 'NonNullType', type: { kind: 'NamedType', name: { kind: 'Name', value: 'String' } } },
        },
      ],
      selectionSet: {
        kind: 'SelectionSet',
        selections: [
          {
            kind: 'Field',
            name: { kind: 'Name', value: 'assignees' },
            arguments: [
              {
                kind: 'Argument',
                name: { kind: 'Name', value: 'project' },
                value: { kind: 'Variable', name: { kind: 'Name', value: 'project' } },
              },
            ],
            selectionSet: {
              kind: 'SelectionSet',
              selections: [
                { kind: 'Field', name: { kind: 'Name', value: 'keyId' } },
                { kind: 'Field', name: { kind: 'Name', value: 'name' } },
                { kind: 'Field', name: { kind: 'Name', value: 'role' } },
              ],
            },
          },
        ],
      },
    },
  ],
} as unknown as DocumentNode<ListAssigneesQuery, ListAssigneesQueryVariables>;
export const AssignAlertDocument = {
  kind: 'Document',
  definitions: [
    {
      kind: 'OperationDefinition',
      operation: 'mutation',
      name: { kind: 'Name', value: 'AssignAlert' },
      variableDefinitions: [
        {
          kind: 'VariableDefinition',
          variable: { kind: 'Variable', name: { kind: 'Name', value: 'input' } },
          type: {
            kind: 'NonNullType',
            type: { kind: 'NamedType', name: { kind: 'Name', value: 'AssignAlertInput' } },
          },
        },
      ],
      selectionSet: {
        kind: 'SelectionSet',
        selections: [
          {
            kind: 'Field',
            name: { kind: 'Name', value: 'assignAlert' },
            arguments: [
              {
                kind: 'Argument',
                name: { kind: 'Name', value: 'input' },
                value: { kind: 'Variable', name: { kind: 'Name', value: 'input' } },
              },
            ],
            selectionSet: {
              kind: 'SelectionSet',
              selections: [
                { kind: 'Field', name: { kind: 'Name', value: '__typename' } },
                {
                  kind: 'InlineFragment',
                  typeCondition: { kind: 'NamedType', name: { kind: 'Name', value: 'Alert' } },
                  selectionSet: {
                    kind: 'SelectionSet',
                    selections: [{ kind: 'Field', name: { kind: 'Name', value: 'id' } }],
                  },
                },
                { kind: 'FragmentSpread', name: { kind: 'Name', value: 'RefusalFields' } },
              ],
            },
          },
        ],
      },
    },
    {
      kind: 'FragmentDefinition',
      name: { kind: 'Name', value: 'RefusalFields' },
      typeCondition: { kind: 'NamedType', name: { kind: 'Name', value: 'Refusal' } },
      selectionSet: {
        kind: 'SelectionSet',
        selections: [
          { kind: 'Field', name: { kind: 'Name', value: 'code' } },
          { kind: 'Field', name: { kind: 'Name', value: 'message' } },
          { kind: 'Field', name: { kind: 'Name', value: 'remedy' } },
          {
            kind: 'InlineFragment',
            typeCondition: { kind: 'NamedType', name: { kind: 'Name', value: 'InvalidInput' } },
            selectionSet: {
              kind: 'SelectionSet',
              selections: [{ kind: 'Field', name: { kind: 'Name', value: 'problems' } }],
            },
          },
          {
            kind: 'InlineFragment',
            typeCondition: { kind: 'NamedType', name: { kind: 'Name', value: 'WrongState' } },
            selectionSet: {
              kind: 'SelectionSet',
              selections: [{ kind: 'Field', name: { kind: 'Name', value: 'state' } }],
            },
          },
        ],
      },
    },
  ],
} as unknown as DocumentNode<AssignAlertMutation, AssignAlertMutationVariables>;
export const ReadChatDocument = {
  kind: 'Document',
  definitions: [
    {
      kind: 'OperationDefinition',
      operation: 'query',
      name: { kind: 'Name', value: 'ReadChat' },
      variableDefinitions: [
        {
          kind: 'VariableDefinition',
          variable: { kind: 'Variable', name: { kind: 'Name', value: 'runId' } },
          type: { kind: 'NonNullType', type: { kind: 'NamedType', name: { kind: 'Name', value: 'ID' } } },
        },
        {
          kind: 'VariableDefinition',
          variable: { kind: 'Variable', name: { kind: 'Name', value: 'jobId' } },
          type: { kind: 'NonNullType', type: { kind: 'NamedType', name: { kind: 'Name', value: 'ID' } } },
        },
      ],
      selectionSet: {
        kind: 'SelectionSet',
        selections: [
          {
            kind: 'Field',
            name: { kind: 'Name', value: 'chat' },
            arguments: [
              {
                kind: 'Argument',
                name: { kind: 'Name', value: 'runId' },
                value: { kind: 'Variable', name: { kind: 'Name', value: 'runId' } },
              },
              {
                kind: 'Argument',
                name: { kind: 'Name', value: 'jobId' },
                value: { kind: 'Variable', name: { kind: 'Name', value: 'jobId' } },
              },
            ],
            selectionSet: {
              kind: 'SelectionSet',
              selections: [{ kind: 'FragmentSpread', name: { kind: 'Name', value: 'ChatFields' } }],
            },
          },
        ],
      },
    },
    {
      kind: 'FragmentDefinition',
      name: { kind: 'Name', value: 'ChatFields' },
      typeCondition: { kind: 'NamedType', name: { kind: 'Name', value: 'Chat' } },
      selectionSet: {
        kind: 'SelectionSet',
        selections: [
          { kind: 'Field', name: { kind: 'Name', value: 'jobId' } },
          { kind: 'Field', name: { kind: 'Name', value: 'runId' } },
          { kind: 'Field', name: { kind: 'Name', value: 'state' } },
          { kind: 'Field', name: { kind: 'Name', value: 'message' } },
          { kind: 'Field', name: { kind: 'Name', value: 'whyWaiting' } },
          { kind: 'Field', name: { kind: 'Name', value: 'step' } },
          { kind: 'Field', name: { kind: 'Name', value: 'checkpoint' } },
          { kind: 'Field', name: { kind: 'Name', value: 'createdAt' } },
          { kind: 'Field', name: { kind: 'Name', value: 'endedAt' } },
          { kind: 'Field', name: { kind: 'Name', value: 'system' } },
          { kind: 'Field', name: { kind: 'Name', value: 'replyBegins' } },
          { kind: 'Field', name: { kind: 'Name', value: 'temperature' } },
          { kind: 'Field', name: { kind: 'Name', value: 'topP' } },
          { kind: 'Field', name: { kind: 'Name', value: 'topK' } },
          { kind: 'Field', name: { kind: 'Name', value: 'maxTokens' } },
        ],
      },
    },
  ],
} as unknown as DocumentNode<ReadChatQuery, ReadChatQueryVariables>;
export const StartChatDocument = {
  kind: 'Document',
  definitions: [
    {
      kind: 'OperationDefinition',
      operation: 'mutation',
      name: { kind: 'Name', value: 'StartChat' },
      variableDefinitions: [
        {
          kind: 'VariableDefinition',
          variable: { kind: 'Variable', name: { kind: 'Name', value: 'input' } },
          type: {
            kind: 'NonNullType',
            type: { kind: 'NamedType', name: { kind: 'Name', value: 'StartChatInput' } },
          },
        },
      ],
      selectionSet: {
        kind: 'SelectionSet',
        selections: [
          {
            kind: 'Field',
            name: { kind: 'Name', value: 'startChat' },
            arguments: [
              {
                kind: 'Argument',
                name: { kind: 'Name', value: 'input' },
                value: { kind: 'Variable', name: { kind: 'Name', value: 'input' } },
              },
            ],
            selectionSet: {
              kind: 'SelectionSet',
              selections: [
                { kind: 'Field', name: { kind: 'Name', value: '__typename' } },
                { kind: 'FragmentSpread', name: { kind: 'Name', value: 'ChatFields' } },
                { kind: 'FragmentSpread', name: { kind: 'Name', value: 'RefusalFields' } },
              ],
            },
          },
        ],
      },
    },
    {
      kind: 'FragmentDefinition',
      name: { kind: 'Name', value: 'ChatFields' },
      typeCondition: { kind: 'NamedType', name: { kind: 'Name', value: 'Chat' } },
      selectionSet: {
        kind: 'SelectionSet',
        selections: [
          { kind: 'Field', name: { kind: 'Name', value: 'jobId' } },
          { kind: 'Field', name: { kind: 'Name', value: 'runId' } },
          { kind: 'Field', name: { kind: 'Name', value: 'state' } },
          { kind: 'Field', name: { kind: 'Name', value: 'message' } },
          { kind: 'Field', name: { kind: 'Name', value: 'whyWaiting' } },
          { kind: 'Field', name: { kind: 'Name', value: 'step' } },
          { kind: 'Field', name: { kind: 'Name', value: 'checkpoint' } },
          { kind: 'Field', name: { kind: 'Name', value: 'createdAt' } },
          { kind: 'Field', name: { kind: 'Name', value: 'endedAt' } },
          { kind: 'Field', name: { kind: 'Name', value: 'system' } },
          { kind: 'Field', name: { kind: 'Name', value: 'replyBegins' } },
          { kind: 'Field', name: { kind: 'Name', value: 'temperature' } },
          { kind: 'Field', name: { kind: 'Name', value: 'topP' } },
          { kind: 'Field', name: { kind: 'Name', value: 'topK' } },
          { kind: 'Field', name: { kind: 'Name', value: 'maxTokens' } },
        ],
      },
    },
    {
      kind: 'FragmentDefinition',
      name: { kind: 'Name', value: 'RefusalFields' },
      typeCondition: { kind: 'NamedType', name: { kind: 'Name', value: 'Refusal' } },
      selectionSet: {
        kind: 'SelectionSet',
        selections: [
          { kind: 'Field', name: { kind: 'Name', value: 'code' } },
          { kind: 'Field', name: { kind: 'Name', value: 'message' } },
          { kind: 'Field', name: { kind: 'Name', value: 'remedy' } },
          {
            kind: 'InlineFragment',
            typeCondition: { kind: 'NamedType', name: { kind: 'Name', value: 'InvalidInput' } },
            selectionSet: {
              kind: 'SelectionSet',
              selections: [{ kind: 'Field', name: { kind: 'Name', value: 'problems' } }],
            },
          },
          {
            kind: 'InlineFragment',
            typeCondition: { kind: 'NamedType', name: { kind: 'Name', value: 'WrongState' } },
            selectionSet: {
              kind: 'SelectionSet',
              selections: [{ kind: 'Field', name: { kind: 'Name', value: 'state' } }],
            },
          },
        ],
      },
    },
  ],
} as unknown as DocumentNode<StartChatMutation, StartChatMutationVariables>;
export const EndChatDocument = {
  kind: 'Document',
  definitions: [
    {
      kind: 'OperationDefinition',
      operation: 'mutation',
      name: { kind: 'Name', value: 'EndChat' },
      variableDefinitions: [
        {
          kind: 'VariableDefinition',
          variable: { kind: 'Variable', name: { kind: 'Name', value: 'input' } },
          type: {
            kind: 'NonNullType',
            type: { kind: 'NamedType', name: { kind: 'Name', value: 'EndChatInput' } },
          },
        },
      ],
      selectionSet: {
        kind: 'SelectionSet',
        selections: [
          {
            kind: 'Field',
            name: { kind: 'Name', value: 'endChat' },
            arguments: [
              {
                kind: 'Argument',
                name: { kind: 'Name', value: 'input' },
                value: { kind: 'Variable', name: { kind: 'Name', value: 'input' } },
              },
            ],
            selectionSet: {
              kind: 'SelectionSet',
              selections: [
                { kind: 'Field', name: { kind: 'Name', value: '__typename' } },
                { kind: 'FragmentSpread', name: { kind: 'Name', value: 'ChatFields' } },
                { kind: 'FragmentSpread', name: { kind: 'Name', value: 'RefusalFields' } },
              ],
            },
          },
        ],
      },
    },
    {
      kind: 'FragmentDefinition',
      name: { kind: 'Name', value: 'ChatFields' },
      typeCondition: { kind: 'NamedType', name: { kind: 'Name', value: 'Chat' } },
      selectionSet: {
        kind: 'SelectionSet',
        selections: [
          { kind: 'Field', name: { kind: 'Name', value: 'jobId' } },
          { kind: 'Field', name: { kind: 'Name', value: 'runId' } },
          { kind: 'Field', name: { kind: 'Name', value: 'state' } },
          { kind: 'Field', name: { kind: 'Name', value: 'message' } },
          { kind: 'Field', name: { kind: 'Name', value: 'whyWaiting' } },
          { kind: 'Field', name: { kind: 'Name', value: 'step' } },
          { kind: 'Field', name: { kind: 'Name', value: 'checkpoint' } },
          { kind: 'Field', name: { kind: 'Name', value: 'createdAt' } },
          { kind: 'Field', name: { kind: 'Name', value: 'endedAt' } },
          { kind: 'Field', name: { kind: 'Name', value: 'system' } },
          { kind: 'Field', name: { kind: 'Name', value: 'replyBegins' } },
          { kind: 'Field', name: { kind: 'Name', value: 'temperature' } },
          { kind: 'Field', name: { kind: 'Name', value: 'topP' } },
          { kind: 'Field', name: { kind: 'Name', value: 'topK' } },
          { kind: 'Field', name: { kind: 'Name', value: 'maxTokens' } },
        ],
      },
    },
    {
      kind: 'FragmentDefinition',
      name: { kind: 'Name', value: 'RefusalFields' },
      typeCondition: { kind: 'NamedType', name: { kind: 'Name', value: 'Refusal' } },
      selectionSet: {
        kind: 'SelectionSet',
        selections: [
          { kind: 'Field', name: { kind: 'Name', value: 'code' } },
          { kind: 'Field', name: { kind: 'Name', value: 'message' } },
          { kind: 'Field', name: { kind: 'Name', value: 'remedy' } },
          {
            kind: 'InlineFragment',
            typeCondition: { kind: 'NamedType', name: { kind: 'Name', value: 'InvalidInput' } },
            selectionSet: {
              kind: 'SelectionSet',
              selections: [{ kind: 'Field', name: { kind: 'Name', value: 'problems' } }],
            },
          },
          {
            kind: 'InlineFragment',
            typeCondition: { kind: 'NamedType', name: { kind: 'Name', value: 'WrongState' } },
            selectionSet: {
              kind: 'SelectionSet',
              selections: [{ kind: 'Field', name: { kind: 'Name', value: 'state' } }],
            },
          },
        ],
      },
    },
  ],
} as unknown as DocumentNode<EndChatMutation, EndChatMutationVariables>;
export const ListKeysDocument = {
  kind: 'Document',
  definitions: [
    {
      kind: 'OperationDefinition',
      operation: 'query',
      name: { kind: 'Name', value: 'ListKeys' },
      variableDefinitions: [
        {
          kind: 'VariableDefinition',
          variable: { kind: 'Variable', name: { kind: 'Name', value: 'first' } },
          type: { kind: 'NamedType', name: { kind: 'Name', value: 'Int' } },
        },
        {
          kind: 'VariableDefinition',
          variable: { kind: 'Variable', name: { kind: 'Name', value: 'after' } },
          type: { kind: 'NamedType', name: { kind: 'Name', value: 'String' } },
        },
        {
          kind: 'VariableDefinition',
          variable: { kind: 'Variable', name: { kind: 'Name', value: 'last' } },
          type: { kind: 'NamedType', name: { kind: 'Name', value: 'Int' } },
        },
        {
          kind: 'VariableDefinition',
          variable: { kind: 'Variable', name: { kind: 'Name', value: 'before' } },
          type: { kind: 'NamedType', name: { kind: 'Name', value: 'String' } },
        },
        {
          kind: 'VariableDefinition',
          variable: { kind: 'Variable', name: { kind: 'Name', value: 'orderBy' } },
          type: { kind: 'NamedType', name: { kind: 'Name', value: 'ApiKeyOrder' } },
        },
      ],
      selectionSet: {
        kind: 'SelectionSet',
        selections: [
          {
            kind: 'Field',
            name: { kind: 'Name', value: 'keys' },
            arguments: [
              {
                kind: 'Argument',
                name: { kind: 'Name', value: 'first' },
                value: { kind: 'Variable', name: { kind: 'Name', value: 'first' } },
              },
              {
                kind: 'Argument',
                name: { kind: 'Name', value: 'after' },
                value: { kind: 'Variable', name: { kind: 'Name', value: 'after' } },
              },
              {
                kind: 'Argument',
                name: { kind: 'Name', value: 'last' },
                value: { kind: 'Variable', name: { kind: 'Name', value: 'last' } },
              },
              {
                kind: 'Argument',
                name: { kind: 'Name', value: 'before' },
                value: { kind: 'Variable', name: { kind: 'Name', value: 'before' } },
              },
              {
                kind: 'Argument',
                name: { kind: 'Name', value: 'orderBy' },
                value: { kind: 'Variable', name: { kind: 'Name', value: 'orderBy' } },
              },
            ],
            selectionSet: {
              kind: 'SelectionSet',
              selections: [
                {
                  kind: 'Field',
                  name: { kind: 'Name', value: 'nodes' },
                  selectionSet: {
                    kind: 'SelectionSet',
                    selections: [{ kind: 'FragmentSpread', name: { kind: 'Name', value: 'KeyFields' } }],
                  },
                },
                {
                  kind: 'Field',
                  name: { kind: 'Name', value: 'pageInfo' },
                  selectionSet: {
                    kind: 'SelectionSet',
                    selections: [{ kind: 'FragmentSpread', name: { kind: 'Name', value: 'PageFields' } }],
                  },
                },
              ],
            },
          },
        ],
      },
    },
    {
      kind: 'FragmentDefinition',
      name: { kind: 'Name', value: 'KeyFields' },
      typeCondition: { kind: 'NamedType', name: { kind: 'Name', value: 'ApiKey' } },
      selectionSet: {
        kind: 'SelectionSet',
        selections: [
          { kind: 'Field', name: { kind: 'Name', value: 'id' } },
          { kind: 'Field', name: { kind: 'Name', value: 'name' } },
          { kind: 'Field', name: { kind: 'Name', value: 'role' } },
          { kind: 'Field', name: { kind: 'Name', value: 'projects' } },
          { kind: 'Field', name: { kind: 'Name', value: 'prefix' } },
          { kind: 'Field', name: { kind: 'Name', value: 'maxRunning' } },
          { kind: 'Field', name: { kind: 'Name', value: 'createdAt' } },
          { kind: 'Field', name: { kind: 'Name', value: 'lastUsedAt' } },
          { kind: 'Field', name: { kind: 'Name', value: 'revokedAt' } },
        ],
      },
    },
    {
      kind: 'FragmentDefinition',
      name: { kind: 'Name', value: 'PageFields' },
      typeCondition: { kind: 'NamedType', name: { kind: 'Name', value: 'PageInfo' } },
      selectionSet: {
        kind: 'SelectionSet',
        selections: [
          { kind: 'Field', name: { kind: 'Name', value: 'startCursor' } },
          { kind: 'Field', name: { kind: 'Name', value: 'endCursor' } },
          { kind: 'Field', name: { kind: 'Name', value: 'hasNextPage' } },
          { kind: 'Field', name: { kind: 'Name', value: 'hasPreviousPage' } },
        ],
      },
    },
  ],
} as unknown as DocumentNode<ListKeysQuery, ListKeysQueryVariables>;
export const CreateKeyDocument = {
  kind: 'Document',
  definitions: [
    {
      kind: 'OperationDefinition',
      operation: 'mutation',
      name: { kind: 'Name', value: 'CreateKey' },
      variableDefinitions: [
        {
          kind: 'VariableDefinition',
          variable: { kind: 'Variable', name: { kind: 'Name', value: 'input' } },
          type: {
            kind: 'NonNullType',
            type: { kind: 'NamedType', name: { kind: 'Name', value: 'CreateKeyInput' } },
          },
        },
      ],
      selectionSet: {
        kind: 'SelectionSet',
        selections: [
          {
            kind: 'Field',
            name: { kind: 'Name', value: 'createKey' },
            arguments: [
              {
                kind: 'Argument',
                name: { kind: 'Name', value: 'input' },
                value: { kind: 'Variable', name: { kind: 'Name', value: 'input' } },
              },
            ],
            selectionSet: {
              kind: 'SelectionSet',
              selections: [
                { kind: 'Field', name: { kind: 'Name', value: '__typename' } },
                {
                  kind: 'InlineFragment',
                  typeCondition: { kind: 'NamedType', name: { kind: 'Name', value: 'CreatedKey' } },
                  selectionSet: {
                    kind: 'SelectionSet',
                    selections: [
                      { kind: 'Field', name: { kind: 'Name', value: 'secret' } },
                      {
                        kind: 'Field',
                        name: { kind: 'Name', value: 'key' },
                        selectionSet: {
                          kind: 'SelectionSet',
                          selections: [
                            { kind: 'FragmentSpread', name: { kind: 'Name', value: 'KeyFields' } },
                          ],
                        },
                      },
                    ],
                  },
                },
                { kind: 'FragmentSpread', name: { kind: 'Name', value: 'RefusalFields' } },
              ],
            },
          },
        ],
      },
    },
    {
      kind: 'FragmentDefinition',
      name: { kind: 'Name', value: 'KeyFields' },
      typeCondition: { kind: 'NamedType', name: { kind: 'Name', value: 'ApiKey' } },
      selectionSet: {
        kind: 'SelectionSet',
        selections: [
          { kind: 'Field', name: { kind: 'Name', value: 'id' } },
          { kind: 'Field', name: { kind: 'Name', value: 'name' } },
          { kind: 'Field', name: { kind: 'Name', value: 'role' } },
          { kind: 'Field', name: { kind: 'Name', value: 'projects' } },
          { kind: 'Field', name: { kind: 'Name', value: 'prefix' } },
          { kind: 'Field', name: { kind: 'Name', value: 'maxRunning' } },
          { kind: 'Field', name: { kind: 'Name', value: 'createdAt' } },
          { kind: 'Field', name: { kind: 'Name', value: 'lastUsedAt' } },
          { kind: 'Field', name: { kind: 'Name', value: 'revokedAt' } },
        ],
      },
    },
    {
      kind: 'FragmentDefinition',
      name: { kind: 'Name', value: 'RefusalFields' },
      typeCondition: { kind: 'NamedType', name: { kind: 'Name', value: 'Refusal' } },
      selectionSet: {
        kind: 'SelectionSet',
        selections: [
          { kind: 'Field', name: { kind: 'Name', value: 'code' } },
          { kind: 'Field', name: { kind: 'Name', value: 'message' } },
          { kind: 'Field', name: { kind: 'Name', value: 'remedy' } },
          {
            kind: 'InlineFragment',
            typeCondition: { kind: 'NamedType', name: { kind: 'Name', value: 'InvalidInput' } },
            selectionSet: {
              kind: 'SelectionSet',
              selections: [{ kind: 'Field', name: { kind: 'Name', value: 'problems' } }],
            },
          },
          {
            kind: 'InlineFragment',
            typeCondition: { kind: 'NamedType', name: { kind: 'Name', value: 'WrongState' } },
            selectionSet: {
              kind: 'SelectionSet',
              selections: [{ kind: 'Field', name: { kind: 'Name', value: 'state' } }],
            },
          },
        ],
      },
    },
  ],
} as unknown as DocumentNode<CreateKeyMutation, CreateKeyMutationVariables>;
export const RevokeKeyDocument = {
  kind: 'Document',
  definitions: [
    {
      kind: 'OperationDefinition',
      operation: 'mutation',
      name: { kind: 'Name', value: 'RevokeKey' },
      variableDefinitions: [
        {
          kind: 'VariableDefinition',
          variable: { kind: 'Variable', name: { kind: 'Name', value: 'input' } },
          type: {
            kind: 'NonNullType',
            type: { kind: 'NamedType', name: { kind: 'Name', value: 'RevokeKeyInput' } },
          },
        },
      ],
      selectionSet: {
        kind: 'SelectionSet',
        selections: [
          {
            kind: 'Field',
            name: { kind: 'Name', value: 'revokeKey' },
            arguments: [
              {
                kind: 'Argument',
                name: { kind: 'Name', value: 'input' },
                value: { kind: 'Variable', name: { kind: 'Name', value: 'input' } },
              },
            ],
            selectionSet: {
              kind: 'SelectionSet',
              selections: [
                { kind: 'Field', name: { kind: 'Name', value: '__typename' } },
                { kind: 'FragmentSpread', name: { kind: 'Name', value: 'KeyFields' } },
                { kind: 'FragmentSpread', name: { kind: 'Name', value: 'RefusalFields' } },
              ],
            },
          },
        ],
      },
    },
    {
      kind: 'FragmentDefinition',
      name: { kind: 'Name', value: 'KeyFields' },
      typeCondition: { kind: 'NamedType', name: { kind: 'Name', value: 'ApiKey' } },
      selectionSet: {
        kind: 'SelectionSet',
        selections: [
          { kind: 'Field', name: { kind: 'Name', value: 'id' } },
          { kind: 'Field', name: { kind: 'Name', value: 'name' } },
          { kind: 'Field', name: { kind: 'Name', value: 'role' } },
          { kind: 'Field', name: { kind: 'Name', value: 'projects' } },
          { kind: 'Field', name: { kind: 'Name', value: 'prefix' } },
          { kind: 'Field', name: { kind: 'Name', value: 'maxRunning' } },
          { kind: 'Field', name: { kind: 'Name', value: 'createdAt' } },
          { kind: 'Field', name: { kind: 'Name', value: 'lastUsedAt' } },
          { kind: 'Field', name: { kind: 'Name', value: 'revokedAt' } },
        ],
      },
    },
    {
      kind: 'FragmentDefinition',
      name: { kind: 'Name', value: 'RefusalFields' },
      typeCondition: { kind: 'NamedType', name: { kind: 'Name', value: 'Refusal' } },
      selectionSet: {
        kind: 'SelectionSet',
        selections: [
          { kind: 'Field', name: { kind: 'Name', value: 'code' } },
          { kind: 'Field', name: { kind: 'Name', value: 'message' } },
          { kind: 'Field', name: { kind: 'Name', value: 'remedy' } },
          {
            kind: 'InlineFragment',
            typeCondition: { kind: 'NamedType', name: { kind: 'Name', value: 'InvalidInput' } },
            selectionSet: {
              kind: 'SelectionSet',
              selections: [{ kind: 'Field', name: { kind: 'Name', value: 'problems' } }],
            },
          },
          {
            kind: 'InlineFragment',
            typeCondition: { kind: 'NamedType', name: { kind: 'Name', value: 'WrongState' } },
            selectionSet: {
              kind: 'SelectionSet',
              selections: [{ kind: 'Field', name: { kind: 'Name', value: 'state' } }],
            },
          },
        ],
      },
    },
  ],
} as unknown as DocumentNode<RevokeKeyMutation, RevokeKeyMutationVariables>;
export const ListLaunchersDocument = {
  kind: 'Document',
  definitions: [
    {
      kind: 'OperationDefinition',
      operation: 'query',
      name: { kind: 'Name', value: 'ListLaunchers' },
      selectionSet: {
        kind: 'SelectionSet',
        selections: [
          {
            kind: 'Field',
            name: { kind: 'Name', value: 'launchers' },
            selectionSet: {
              kind: 'SelectionSet',
              selections: [{ kind: 'FragmentSpread', name: { kind: 'Name', value: 'LauncherFields' } }],
            },
          },
        ],
      },
    },
    {
      kind: 'FragmentDefinition',
      name: { kind: 'Name', value: 'LauncherFields' },
      typeCondition: { kind: 'NamedType', name: { kind: 'Name', value: 'Launcher' } },
      selectionSet: {
        kind: 'SelectionSet',
        selections: [
          { kind: 'Field', name: { kind: 'Name', value: 'name' } },
          { kind: 'Field', name: { kind: 'Name', value: 'driver' } },
          { kind: 'Field', name: { kind: 'Name', value: 'deviceKind' } },
          { kind: 'Field', name: { kind: 'Name', value: 'deviceCount' } },
          { kind: 'Field', name: { kind: 'Name', value: 'memoryMb' } },
          { kind: 'Field', name: { kind: 'Name', value: 'labels' } },
          { kind: 'Field', name: { kind: 'Name', value: 'minimum' } },
          { kind: 'Field', name: { kind: 'Name', value: 'maximum' } },
          { kind: 'Field', name: { kind: 'Name', value: 'perProject' } },
          { kind: 'Field', name: { kind: 'Name', value: 'idleSeconds' } },
          { kind: 'Field', name: { kind: 'Name', value: 'coming' } },
          { kind: 'Field', name: { kind: 'Name', value: 'online' } },
          { kind: 'Field', name: { kind: 'Name', value: 'leaving' } },
          { kind: 'Field', name: { kind: 'Name', value: 'backoffUntil' } },
          { kind: 'Field', name: { kind: 'Name', value: 'problem' } },
        ],
      },
    },
  ],
} as unknown as DocumentNode<ListLaunchersQuery, ListLaunchersQueryVariables>;
export const ListLaunchedWorkersDocument = {
  kind: 'Document',
  definitions: [
    {
      kind: 'OperationDefinition',
      operation: 'query',
      name: { kind: 'Name', value: 'ListLaunchedWorkers' },
      variableDefinitions: [
        {
          kind: 'VariableDefinition',
          variable: { kind: 'Variable', name: { kind: 'Name', value: 'launcher' } },
          type: { kind: 'NamedType', name: { kind: 'Name', value: 'String' } },
        },
        {
          kind: 'VariableDefinition',
          variable: { kind: 'Variable', name: { kind: 'Name', value: 'ended' } },
          type: { kind: 'NamedType', name: { kind: 'Name', value: 'Boolean' } },
        },
        {
          kind: 'VariableDefinition',
          variable: { kind: 'Variable', name: { kind: 'Name', value: 'first' } },
          type: { kind: 'NamedType', name: { kind: 'Name', value: 'Int' } },
        },
        {
          kind: 'VariableDefinition',
          variable: { kind: 'Variable', name: { kind: 'Name', value: 'after' } },
          type: { kind: 'NamedType', name: { kind: 'Name', value: 'String' } },
        },
        {
          kind: 'VariableDefinition',
          variable: { kind: 'Variable', name: { kind: 'Name', value: 'last' } },
          type: { kind: 'NamedType', name: { kind: 'Name', value: 'Int' } },
        },
        {
          kind: 'VariableDefinition',
          variable: { kind: 'Variable', name: { kind: 'Name', value: 'before' } },
          type: { kind: 'NamedType', name: { kind: 'Name', value: 'String' } },
        },
      ],
      selectionSet: {
        kind: 'SelectionSet',
        selections: [
          {
            kind: 'Field',
            name: { kind: 'Name', value: 'launchedWorkers' },
            arguments: [
              {
                kind: 'Argument',
                name: { kind: 'Name', value: 'launcher' },
                value: { kind: 'Variable', name: { kind: 'Name', value: 'launcher' } },
              },
              {
                kind: 'Argument',
                name: { kind: 'Name', value: 'ended' },
                value: { kind: 'Variable', name: { kind: 'Name', value: 'ended' } },
              },
              {
                kind: 'Argument',
                name: { kind: 'Name', value: 'first' },
                value: { kind: 'Variable', name: { kind: 'Name', value: 'first' } },
              },
              {
                kind: 'Argument',
                name: { kind: 'Name', value: 'after' },
                value: { kind: 'Variable', name: { kind: 'Name', value: 'after' } },
              },
              {
                kind: 'Argument',
                name: { kind: 'Name', value: 'last' },
                value: { kind: 'Variable', name: { kind: 'Name', value: 'last' } },
              },
              {
                kind: 'Argument',
                name: { kind: 'Name', value: 'before' },
                value: { kind: 'Variable', name: { kind: 'Name', value: 'before' } },
              },
            ],
            selectionSet: {
              kind: 'SelectionSet',
              selections: [
                {
                  kind: 'Field',
                  name: { kind: 'Name', value: 'nodes' },
                  selectionSet: {
                    kind: 'SelectionSet',
                    selections: [
                      { kind: 'FragmentSpread', name: { kind: 'Name', value: 'LaunchedWorkerFields' } },
                    ],
                  },
                },
                {
                  kind: 'Field',
                  name: { kind: 'Name', value: 'pageInfo' },
                  selectionSet: {
                    kind: 'SelectionSet',
                    selections: [{ kind: 'FragmentSpread', name: { kind: 'Name', value: 'PageFields' } }],
                  },
                },
              ],
            },
          },
        ],
      },
    },
    {
      kind: 'FragmentDefinition',
      name: { kind: 'Name', value: 'LaunchedWorkerFields' },
      typeCondition: { kind: 'NamedType', name: { kind: 'Name', value: 'LaunchedWorker' } },
      selectionSet: {
        kind: 'SelectionSet',
        selections: [
          { kind: 'Field', name: { kind: 'Name', value: 'name' } },
          { kind: 'Field', name: { kind: 'Name', value: 'launcher' } },
          { kind: 'Field', name: { kind: 'Name', value: 'project' } },
          { kind: 'Field', name: { kind: 'Name', value: 'state' } },
          { kind: 'Field', name: { kind: 'Name', value: 'reason' } },
          { kind: 'Field', name: { kind: 'Name', value: 'handle' } },
          { kind: 'Field', name: { kind: 'Name', value: 'createdAt' } },
          { kind: 'Field', name: { kind: 'Name', value: 'changedAt' } },
          { kind: 'Field', name: { kind: 'Name', value: 'connectedAt' } },
          { kind: 'Field', name: { kind: 'Name', value: 'endedAt' } },
        ],
      },
    },
    {
      kind: 'FragmentDefinition',
      name: { kind: 'Name', value: 'PageFields' },
      typeCondition: { kind: 'NamedType', name: { kind: 'Name', value: 'PageInfo' } },
      selectionSet: {
        kind: 'SelectionSet',
        selections: [
          { kind: 'Field', name: { kind: 'Name', value: 'startCursor' } },
          { kind: 'Field', name: { kind: 'Name', value: 'endCursor' } },
          { kind: 'Field', name: { kind: 'Name', value: 'hasNextPage' } },
          { kind: 'Field', name: { kind: 'Name', value: 'hasPreviousPage' } },
        ],
      },
    },
  ],
} as unknown as DocumentNode<ListLaunchedWorkersQuery, ListLaunchedWorkersQueryVariables>;
export const StopLaunchedWorkerDocument = {
  kind: 'Document',
  definitions: [
    {
      kind: 'OperationDefinition',
      operation: 'mutation',
      name: { kind: 'Name', value: 'StopLaunchedWorker' },
      variableDefinitions: [
        {
          kind: 'VariableDefinition',
          variable: { kind: 'Variable', name: { kind: 'Name', value: 'input' } },
          type: {
            kind: 'NonNullType',
            type: { kind: 'NamedType', name: { kind: 'Name', value: 'StopLaunchedWorkerInput' } },
          },
        },
      ],
      selectionSet: {
        kind: 'SelectionSet',
        selections: [
          {
            kind: 'Field',
            name: { kind: 'Name', value: 'stopLaunchedWorker' },
            arguments: [
              {
                kind: 'Argument',
                name: { kind: 'Name', value: 'input' },
                value: { kind: 'Variable', name: { kind: 'Name', value: 'input' } },
              },
            ],
            selectionSet: {
              kind: 'SelectionSet',
              selections: [
                { kind: 'Field', name: { kind: 'Name', value: '__typename' } },
                { kind: 'FragmentSpread', name: { kind: 'Name', value: 'LaunchedWorkerFields' } },
                {
                  kind: 'InlineFragment',
                  typeCondition: { kind: 'NamedType', name: { kind: 'Name', value: 'Refusal' } },
                  selectionSet: {
                    kind: 'SelectionSet',
                    selections: [
                      { kind: 'Field', name: { kind: 'Name', value: 'code' } },
                      { kind: 'Field', name: { kind: 'Name', value: 'message' } },
                      { kind: 'Field', name: { kind: 'Name', value: 'remedy' } },
                    ],
                  },
                },
              ],
            },
          },
        ],
      },
    },
    {
      kind: 'FragmentDefinition',
      name: { kind: 'Name', value: 'LaunchedWorkerFields' },
      typeCondition: { kind: 'NamedType', name: { kind: 'Name', value: 'LaunchedWorker' } },
      selectionSet: {
        kind: 'SelectionSet',
        selections: [
          { kind: 'Field', name: { kind: 'Name', value: 'name' } },
          { kind: 'Field', name: { kind: 'Name', value: 'launcher' } },
          { kind: 'Field', name: { kind: 'Name', value: 'project' } },
          { kind: 'Field', name: { kind: 'Name', value: 'state' } },
          { kind: 'Field', name: { kind: 'Name', value: 'reason' } },
          { kind: 'Field', name: { kind: 'Name', value: 'handle' } },
          { kind: 'Field', name: { kind: 'Name', value: 'createdAt' } },
          { kind: 'Field', name: { kind: 'Name', value: 'changedAt' } },
          { kind: 'Field', name: { kind: 'Name', value: 'connectedAt' } },
          { kind: 'Field', name: { kind: 'Name', value: 'endedAt' } },
        ],
      },
    },
  ],
} as unknown as DocumentNode<StopLaunchedWorkerMutation, StopLaunchedWorkerMutationVariables>;
export const WatchMetricsDocument = {
  kind: 'Document',
  definitions: [
    {
      kind: 'OperationDefinition',
      operation: 'subscription',
      name: { kind: 'Name', value: 'WatchMetrics' },
      variableDefinitions: [
        {
          kind: 'VariableDefinition',
          variable: { kind: 'Variable', name: { kind: 'Name', value: 'runs' } },
          type: {
            kind: 'NonNullType',
            type: {
              kind: 'ListType',
              type: {
                kind: 'NonNullType',
                type: { kind: 'NamedType', name: { kind: 'Name', value: 'FollowedRun' } },
              },
            },
          },
        },
        {
          kind: 'VariableDefinition',
          variable: { kind: 'Variable', name: { kind: 'Name', value: 'names' } },
          type: {
            kind: 'ListType',
            type: {
              kind: 'NonNullType',
              type: { kind: 'NamedType', name: { kind: 'Name', value: 'String' } },
            },
          },
        },
      ],
      selectionSet: {
        kind: 'SelectionSet',
        selections: [
          {
            kind: 'Field',
            name: { kind: 'Name', value: 'runMetrics' },
            arguments: [
              {
                kind: 'Argument',
                name: { kind: 'Name', value: 'runs' },
                value: { kind: 'Variable', name: { kind: 'Name', value: 'runs' } },
              },
              {
                kind: 'Argument',
                name: { kind: 'Name', value: 'names' },
                value: { kind: 'Variable', name: { kind: 'Name', value: 'names' } },
              },
            ],
            selectionSet: {
              kind: 'SelectionSet',
              selections: [
                { kind: 'Field', name: { kind: 'Name', value: 'runId' } },
                { kind: 'Field', name: { kind: 'Name', value: 'after' } },
                { kind: 'Field', name: { kind: 'Name', value: 'cursor' } },
                { kind: 'Field', name: { kind: 'Name', value: 'steps' } },
                { kind: 'Field', name: { kind: 'Name', value: 'times' } },
                { kind: 'Field', name: { kind: 'Name', value: 'attempts' } },
                {
                  kind: 'Field',
                  name: { kind: 'Name', value: 'series' },
                  selectionSet: {
                    kind: 'SelectionSet',
                    selections: [
                      { kind: 'Field', name: { kind: 'Name', value: 'name' } },
                      { kind: 'Field', name: { kind: 'Name', value: 'values' } },
                      { kind: 'Field', name: { kind: 'Name', value: 'notFinite' } },
                    ],
                  },
                },
              ],
            },
          },
        ],
      },
    },
  ],
} as unknown as DocumentNode<WatchMetricsSubscription, WatchMetricsSubscriptionVariables>;
export const WatchEventsDocument = {
  kind: 'Document',
  definitions: [
    {
      kind: 'OperationDefinition',
      operation: 'subscription',
      name: { kind: 'Name', value: 'WatchEvents' },
      variableDefinitions: [
        {
          kind: 'VariableDefinition',
          variable: { kind: 'Variable', name: { kind: 'Name', value: 'runId' } },
          type: { kind: 'NonNullType', type: { kind: 'NamedType', name: { kind: 'Name', value: 'ID' } } },
        },
        {
          kind: 'VariableDefinition',
          variable: { kind: 'Variable', name: { kind: 'Name', value: 'after' } },
          type: {
            kind: 'NonNullType',
            type: { kind: 'NamedType', name: { kind: 'Name', value: 'SafeInt' } },
          },
        },
        {
          kind: 'VariableDefinition',
          variable: { kind: 'Variable', name: { kind: 'Name', value: 'kinds' } },
          type: {
            kind: 'ListType',
            type: {
              kind: 'NonNullType',
              type: { kind: 'NamedType', name: { kind: 'Name', value: 'RunEventKind' } },
            },
          },
        },
      ],
      selectionSet: {
        kind: 'SelectionSet',
        selections: [
          {
            kind: 'Field',
            name: { kind: 'Name', value: 'runEvents' },
            arguments: [
              {
                kind: 'Argument',
                name: { kind: 'Name', value: 'runId' },
                value: { kind: 'Variable', name: { kind: 'Name', value: 'runId' } },
              },
              {
                kind: 'Argument',
                name: { kind: 'Name', value: 'after' },
                value: { kind: 'Variable', name: { kind: 'Name', value: 'after' } },
              },
              {
                kind: 'Argument',
                name: { kind: 'Name', value: 'kinds' },
                value: { kind: 'Variable', name: { kind: 'Name', value: 'kinds' } },
              },
            ],
            selectionSet: {
              kind: 'SelectionSet',
              selections: [
                { kind: 'Field', name: { kind: 'Name', value: 'runId' } },
                { kind: 'Field', name: { kind: 'Name', value: 'cursor' } },
                {
                  kind: 'Field',
                  name: { kind: 'Name', value: 'records' },
                  selectionSet: {
                    kind: 'SelectionSet',
                    selections: [{ kind: 'FragmentSpread', name: { kind: 'Name', value: 'RecordFields' } }],
                  },
                },
              ],
            },
          },
        ],
      },
    },
    {
      kind: 'FragmentDefinition',
      name: { kind: 'Name', value: 'RecordFields' },
      typeCondition: { kind: 'NamedType', name: { kind: 'Name', value: 'RunEventRecord' } },
      selectionSet: {
        kind: 'SelectionSet',
        selections: [
          { kind: 'Field', name: { kind: 'Name', value: 'cursor' } },
          { kind: 'Field', name: { kind: 'Name', value: 'kind' } },
          { kind: 'Field', name: { kind: 'Name', value: 'time' } },
          { kind: 'Field', name: { kind: 'Name', value: 'step' } },
          { kind: 'Field', name: { kind: 'Name', value: 'attempt' } },
          {
            kind: 'Field',
            name: { kind: 'Name', value: 'body' },
            selectionSet: {
              kind: 'SelectionSet',
              selections: [
                { kind: 'Field', name: { kind: 'Name', value: '__typename' } },
                {
                  kind: 'InlineFragment',
                  typeCondition: { kind: 'NamedType', name: { kind: 'Name', value: 'StateEvent' } },
                  selectionSet: {
                    kind: 'SelectionSet',
                    selections: [
                      {
                        kind: 'Field',
                        alias: { kind: 'Name', value: 'stateBefore' },
                        name: { kind: 'Name', value: 'from' },
                      },
                      {
                        kind: 'Field',
                        alias: { kind: 'Name', value: 'stateNow' },
                        name: { kind: 'Name', value: 'to' },
                      },
                      { kind: 'Field', name: { kind: 'Name', value: 'message' } },
                      { kind: 'Field', name: { kind: 'Name', value: 'job' } },
                    ],
                  },
                },
                {
                  kind: 'InlineFragment',
                  typeCondition: { kind: 'NamedType', name: { kind: 'Name', value: 'CheckpointEvent' } },
                  selectionSet: {
                    kind: 'SelectionSet',
                    selections: [{ kind: 'Field', name: { kind: 'Name', value: 'folder' } }],
                  },
                },
                {
                  kind: 'InlineFragment',
                  typeCondition: { kind: 'NamedType', name: { kind: 'Name', value: 'LogEvent' } },
                  selectionSet: {
                    kind: 'SelectionSet',
                    selections: [
                      {
                        kind: 'Field',
                        alias: { kind: 'Name', value: 'line' },
                        name: { kind: 'Name', value: 'text' },
                      },
                    ],
                  },
                },
                {
                  kind: 'InlineFragment',
                  typeCondition: { kind: 'NamedType', name: { kind: 'Name', value: 'WarningEvent' } },
                  selectionSet: {
                    kind: 'SelectionSet',
                    selections: [
                      {
                        kind: 'Field',
                        alias: { kind: 'Name', value: 'warning' },
                        name: { kind: 'Name', value: 'code' },
                      },
                      { kind: 'Field', name: { kind: 'Name', value: 'message' } },
                    ],
                  },
                },
                {
                  kind: 'InlineFragment',
                  typeCondition: { kind: 'NamedType', name: { kind: 'Name', value: 'MonitorEvent' } },
                  selectionSet: {
                    kind: 'SelectionSet',
                    selections: [
                      {
                        kind: 'Field',
                        alias: { kind: 'Name', value: 'health' },
                        name: { kind: 'Name', value: 'state' },
                      },
                      {
                        kind: 'Field',
                        alias: { kind: 'Name', value: 'healthBefore' },
                        name: { kind: 'Name', value: 'previous' },
                      },
                      { kind: 'Field', name: { kind: 'Name', value: 'action' } },
                      { kind: 'Field', name: { kind: 'Name', value: 'restored' } },
                      { kind: 'Field', name: { kind: 'Name', value: 'message' } },
                      {
                        kind: 'Field',
                        name: { kind: 'Name', value: 'findings' },
                        selectionSet: {
                          kind: 'SelectionSet',
                          selections: [
                            { kind: 'Field', name: { kind: 'Name', value: 'rule' } },
                            { kind: 'Field', name: { kind: 'Name', value: 'level' } },
                            { kind: 'Field', name: { kind: 'Name', value: 'input' } },
                            { kind: 'Field', name: { kind: 'Name', value: 'measure' } },
                            { kind: 'Field', name: { kind: 'Name', value: 'limit' } },
                            { kind: 'Field', name: { kind: 'Name', value: 'value' } },
                            { kind: 'Field', name: { kind: 'Name', value: 'baseline' } },
                            { kind: 'Field', name: { kind: 'Name', value: 'since' } },
                            { kind: 'Field', name: { kind: 'Name', value: 'history' } },
                          ],
                        },
                      },
                    ],
                  },
                },
                {
                  kind: 'InlineFragment',
                  typeCondition: { kind: 'NamedType', name: { kind: 'Name', value: 'LevelEvent' } },
                  selectionSet: {
                    kind: 'SelectionSet',
                    selections: [
                      {
                        kind: 'Field',
                        alias: { kind: 'Name', value: 'levelBefore' },
                        name: { kind: 'Name', value: 'from' },
                      },
                      {
                        kind: 'Field',
                        alias: { kind: 'Name', value: 'levelNow' },
                        name: { kind: 'Name', value: 'to' },
                      },
                      { kind: 'Field', name: { kind: 'Name', value: 'levels' } },
                      { kind: 'Field', name: { kind: 'Name', value: 'successRate' } },
                    ],
                  },
                },
                {
                  kind: 'InlineFragment',
                  typeCondition: { kind: 'NamedType', name: { kind: 'Name', value: 'RunEndedEvent' } },
                  selectionSet: {
                    kind: 'SelectionSet',
                    selections: [
                      { kind: 'Field', name: { kind: 'Name', value: 'outcome' } },
                      { kind: 'Field', name: { kind: 'Name', value: 'message' } },
                    ],
                  },
                },
                {
                  kind: 'InlineFragment',
                  typeCondition: { kind: 'NamedType', name: { kind: 'Name', value: 'RunStartedEvent' } },
                  selectionSet: {
                    kind: 'SelectionSet',
                    selections: [{ kind: 'Field', name: { kind: 'Name', value: 'attempt' } }],
                  },
                },
                {
                  kind: 'InlineFragment',
                  typeCondition: { kind: 'NamedType', name: { kind: 'Name', value: 'ProcessEndedEvent' } },
                  selectionSet: {
                    kind: 'SelectionSet',
                    selections: [
                      {
                        kind: 'Field',
                        alias: { kind: 'Name', value: 'exitCode' },
                        name: { kind: 'Name', value: 'code' },
                      },
                      { kind: 'Field', name: { kind: 'Name', value: 'signal' } },
                      { kind: 'Field', name: { kind: 'Name', value: 'message' } },
                    ],
                  },
                },
              ],
            },
          },
        ],
      },
    },
  ],
} as unknown as DocumentNode<WatchEventsSubscription, WatchEventsSubscriptionVariables>;
export const WatchTrajectoriesDocument = {
  kind: 'Document',
  definitions: [
    {
      kind: 'OperationDefinition',
      operation: 'subscription',
      name: { kind: 'Name', value: 'WatchTrajectories' },
      variableDefinitions: [
        {
          kind: 'VariableDefinition',
          variable: { kind: 'Variable', name: { kind: 'Name', value: 'runId' } },
          type: { kind: 'NonNullType', type: { kind: 'NamedType', name: { kind: 'Name', value: 'ID' } } },
        },
        {
          kind: 'VariableDefinition',
          variable: { kind: 'Variable', name: { kind: 'Name', value: 'after' } },
          type: {
            kind: 'NonNullType',
            type: { kind: 'NamedType', name: { kind: 'Name', value: 'SafeInt' } },
          },
        },
      ],
      selectionSet: {
        kind: 'SelectionSet',
        selections: [
          {
            kind: 'Field',
            name: { kind: 'Name', value: 'trajectoryAdded' },
            arguments: [
              {
                kind: 'Argument',
                name: { kind: 'Name', value: 'runId' },
                value: { kind: 'Variable', name: { kind: 'Name', value: 'runId' } },
              },
              {
                kind: 'Argument',
                name: { kind: 'Name', value: 'after' },
                value: { kind: 'Variable', name: { kind: 'Name', value: 'after' } },
              },
            ],
            selectionSet: {
              kind: 'SelectionSet',
              selections: [
                { kind: 'Field', name: { kind: 'Name', value: 'runId' } },
                { kind: 'Field', name: { kind: 'Name', value: 'cursor' } },
                {
                  kind: 'Field',
                  name: { kind: 'Name', value: 'trajectories' },
                  selectionSet: {
                    kind: 'SelectionSet',
                    selections: [
                      { kind: 'FragmentSpread', name: { kind: 'Name', value: 'TrajectoryRowFields' } },
                    ],
                  },
                },
              ],
            },
          },
        ],
      },
    },
    {
      kind: 'FragmentDefinition',
      name: { kind: 'Name', value: 'TrajectoryRowFields' },
      typeCondition: { kind: 'NamedType', name: { kind: 'Name', value: 'Trajectory' } },
      selectionSet: {
        kind: 'SelectionSet',
        selections: [
          { kind: 'Field', name: { kind: 'Name', value: 'id' } },
          { kind: 'Field', name: { kind: 'Name', value: 'runId' } },
          { kind: 'Field', name: { kind: 'Name', value: 'attempt' } },
          { kind: 'Field', name: { kind: 'Name', value: 'step' } },
          { kind: 'Field', name: { kind: 'Name', value: 'environment' } },
          { kind: 'Field', name: { kind: 'Name', value: 'environmentTag' } },
          { kind: 'Field', name: { kind: 'Name', value: 'split' } },
          { kind: 'Field', name: { kind: 'Name', value: 'group' } },
          { kind: 'Field', name: { kind: 'Name', value: 'index' } },
          { kind: 'Field', name: { kind: 'Name', value: 'stateSeed' } },
          { kind: 'Field', name: { kind: 'Name', value: 'reward' } },
          { kind: 'Field', name: { kind: 'Name', value: 'environmentReward' } },
          { kind: 'Field', name: { kind: 'Name', value: 'success' } },
          { kind: 'Field', name: { kind: 'Name', value: 'stopReason' } },
          { kind: 'Field', name: { kind: 'Name', value: 'labels' } },
          { kind: 'Field', name: { kind: 'Name', value: 'turns' } },
          { kind: 'Field', name: { kind: 'Name', value: 'tokens' } },
          { kind: 'Field', name: { kind: 'Name', value: 'sampledTokens' } },
          { kind: 'Field', name: { kind: 'Name', value: 'kept' } },
          {
            kind: 'Field',
            name: { kind: 'Name', value: 'dropped' },
            selectionSet: {
              kind: 'SelectionSet',
              selections: [
                { kind: 'Field', name: { kind: 'Name', value: 'reason' } },
                { kind: 'Field', name: { kind: 'Name', value: 'numbers' } },
              ],
            },
          },
          { kind: 'Field', name: { kind: 'Name', value: 'outcome' } },
          { kind: 'Field', name: { kind: 'Name', value: 'lossTokens' } },
          { kind: 'Field', name: { kind: 'Name', value: 'clippedTokens' } },
          { kind: 'Field', name: { kind: 'Name', value: 'updateShare' } },
          { kind: 'Field', name: { kind: 'Name', value: 'error' } },
        ],
      },
    },
  ],
} as unknown as DocumentNode<WatchTrajectoriesSubscription, WatchTrajectoriesSubscriptionVariables>;
export const ListInFlightDocument = {
  kind: 'Document',
  definitions: [
    {
      kind: 'OperationDefinition',
      operation: 'query',
      name: { kind: 'Name', value: 'ListInFlight' },
      variableDefinitions: [
        {
          kind: 'VariableDefinition',
          variable: { kind: 'Variable', name: { kind: 'Name', value: 'runId' } },
          type: { kind: 'NonNullType', type: { kind: 'NamedType', name: { kind: 'Name', value: 'ID' } } },
        },
        {
          kind: 'VariableDefinition',
          variable: { kind: 'Variable', name: { kind: 'Name', value: 'ids' } },
          type: {
            kind: 'ListType',
            type: { kind: 'NonNullType', type: { kind: 'NamedType', name: { kind: 'Name', value: 'ID' } } },
          },
        },
      ],
      selectionSet: {
        kind: 'SelectionSet',
        selections: [
          {
            kind: 'Field',
            name: { kind: 'Name', value: 'trajectoriesInFlight' },
            arguments: [
              {
                kind: 'Argument',
                name: { kind: 'Name', value: 'runId' },
                value: { kind: 'Variable', name: { kind: 'Name', value: 'runId' } },
              },
              {
                kind: 'Argument',
                name: { kind: 'Name', value: 'ids' },
                value: { kind: 'Variable', name: { kind: 'Name', value: 'ids' } },
              },
            ],
            selectionSet: {
              kind: 'SelectionSet',
              selections: [{ kind: 'FragmentSpread', name: { kind: 'Name', value: 'InFlightFields' } }],
            },
          },
        ],
      },
    },
    {
      kind: 'FragmentDefinition',
      name: { kind: 'Name', value: 'InFlightFields' },
      typeCondition: { kind: 'NamedType', name: { kind: 'Name', value: 'TrajectoryInFlight' } },
      selectionSet: {
        kind: 'SelectionSet',
        selections: [
          { kind: 'Field', name: { kind: 'Name', value: 'runId' } },
          { kind: 'Field', name: { kind: 'Name', value: 'id' } },
          { kind: 'Field', name: { kind: 'Name', value: 'step' } },
          { kind: 'Field', name: { kind: 'Name', value: 'environment' } },
          { kind: 'Field', name: { kind: 'Name', value: 'startedAt' } },
          { kind: 'Field', name: { kind: 'Name', value: 'updatedAt' } },
          { kind: 'Field', name: { kind: 'Name', value: 'turn' } },
          { kind: 'Field', name: { kind: 'Name', value: 'phase' } },
          { kind: 'Field', name: { kind: 'Name', value: 'preview' } },
          { kind: 'Field', name: { kind: 'Name', value: 'reward' } },
          { kind: 'Field', name: { kind: 'Name', value: 'ended' } },
          {
            kind: 'Field',
            name: { kind: 'Name', value: 'turns' },
            selectionSet: {
              kind: 'SelectionSet',
              selections: [
                { kind: 'Field', name: { kind: 'Name', value: 'turn' } },
                { kind: 'Field', name: { kind: 'Name', value: 'phase' } },
                { kind: 'Field', name: { kind: 'Name', value: 'observation' } },
                { kind: 'Field', name: { kind: 'Name', value: 'render' } },
                { kind: 'Field', name: { kind: 'Name', value: 'image' } },
                { kind: 'Field', name: { kind: 'Name', value: 'response' } },
                { kind: 'Field', name: { kind: 'Name', value: 'actions' } },
                { kind: 'Field', name: { kind: 'Name', value: 'reward' } },
              ],
            },
          },
        ],
      },
    },
  ],
} as unknown as DocumentNode<ListInFlightQuery, ListInFlightQueryVariables>;
export const WatchInFlightDocument = {
  kind: 'Document',
  definitions: [
    {
      kind: 'OperationDefinition',
      operation: 'subscription',
      name: { kind: 'Name', value: 'WatchInFlight' },
      variableDefinitions: [
        {
          kind: 'VariableDefinition',
          variable: { kind: 'Variable', name: { kind: 'Name', value: 'runId' } },
          type: { kind: 'NonNullType', type: { kind: 'NamedType', name: { kind: 'Name', value: 'ID' } } },
        },
        {
          kind: 'VariableDefinition',
          variable: { kind: 'Variable', name: { kind: 'Name', value: 'ids' } },
          type: {
            kind: 'ListType',
            type: { kind: 'NonNullType', type: { kind: 'NamedType', name: { kind: 'Name', value: 'ID' } } },
          },
        },
      ],
      selectionSet: {
        kind: 'SelectionSet',
        selections: [
          {
            kind: 'Field',
            name: { kind: 'Name', value: 'trajectoriesInFlight' },
            arguments: [
              {
                kind: 'Argument',
                name: { kind: 'Name', value: 'runId' },
                value: { kind: 'Variable', name: { kind: 'Name', value: 'runId' } },
              },
              {
                kind: 'Argument',
                name: { kind: 'Name', value: 'ids' },
                value: { kind: 'Variable', name: { kind: 'Name', value: 'ids' } },
              },
            ],
            selectionSet: {
              kind: 'SelectionSet',
              selections: [{ kind: 'FragmentSpread', name: { kind: 'Name', value: 'InFlightFields' } }],
            },
          },
        ],
      },
    },
    {
      kind: 'FragmentDefinition',
      name: { kind: 'Name', value: 'InFlightFields' },
      typeCondition: { kind: 'NamedType', name: { kind: 'Name', value: 'TrajectoryInFlight' } },
      selectionSet: {
        kind: 'SelectionSet',
        selections: [
          { kind: 'Field', name: { kind: 'Name', value: 'runId' } },
          { kind: 'Field', name: { kind: 'Name', value: 'id' } },
          { kind: 'Field', name: { kind: 'Name', value: 'step' } },
          { kind: 'Field', name: { kind: 'Name', value: 'environment' } },
          { kind: 'Field', name: { kind: 'Name', value: 'startedAt' } },
          { kind: 'Field', name: { kind: 'Name', value: 'updatedAt' } },
          { kind: 'Field', name: { kind: 'Name', value: 'turn' } },
          { kind: 'Field', name: { kind: 'Name', value: 'phase' } },
          { kind: 'Field', name: { kind: 'Name', value: 'preview' } },
          { kind: 'Field', name: { kind: 'Name', value: 'reward' } },
          { kind: 'Field', name: { kind: 'Name', value: 'ended' } },
          {
            kind: 'Field',
            name: { kind: 'Name', value: 'turns' },
            selectionSet: {
              kind: 'SelectionSet',
              selections: [
                { kind: 'Field', name: { kind: 'Name', value: 'turn' } },
                { kind: 'Field', name: { kind: 'Name', value: 'phase' } },
                { kind: 'Field', name: { kind: 'Name', value: 'observation' } },
                { kind: 'Field', name: { kind: 'Name', value: 'render' } },
                { kind: 'Field', name: { kind: 'Name', value: 'image' } },
                { kind: 'Field', name: { kind: 'Name', value: 'response' } },
                { kind: 'Field', name: { kind: 'Name', value: 'actions' } },
                { kind: 'Field', name: { kind: 'Name', value: 'reward' } },
              ],
            },
          },
        ],
      },
    },
  ],
} as unknown as DocumentNode<WatchInFlightSubscription, WatchInFlightSubscriptionVariables>;
export const WatchInFlightSummariesDocument = {
  kind: 'Document',
  definitions: [
    {
      kind: 'OperationDefinition',
      operation: 'subscription',
      name: { kind: 'Name', value: 'WatchInFlightSummaries' },
      variableDefinitions: [
        {
          kind: 'VariableDefinition',
          variable: { kind: 'Variable', name: { kind: 'Name', value: 'runId' } },
          type: { kind: 'NonNullType', type: { kind: 'NamedType', name: { kind: 'Name', value: 'ID' } } },
        },
      ],
      selectionSet: {
        kind: 'SelectionSet',
        selections: [
          {
            kind: 'Field',
            name: { kind: 'Name', value: 'trajectoriesInFlight' },
            arguments: [
              {
                kind: 'Argument',
                name: { kind: 'Name', value: 'runId' },
                value: { kind: 'Variable', name: { kind: 'Name', value: 'runId' } },
              },
            ],
            selectionSet: {
              kind: 'SelectionSet',
              selections: [{ kind: 'FragmentSpread', name: { kind: 'Name', value: 'InFlightSummary' } }],
            },
          },
        ],
      },
    },
    {
      kind: 'FragmentDefinition',
      name: { kind: 'Name', value: 'InFlightSummary' },
      typeCondition: { kind: 'NamedType', name: { kind: 'Name', value: 'TrajectoryInFlight' } },
      selectionSet: {
        kind: 'SelectionSet',
        selections: [
          { kind: 'Field', name: { kind: 'Name', value: 'id' } },
          { kind: 'Field', name: { kind: 'Name', value: 'step' } },
          { kind: 'Field', name: { kind: 'Name', value: 'turn' } },
          { kind: 'Field', name: { kind: 'Name', value: 'phase' } },
          { kind: 'Field', name: { kind: 'Name', value: 'preview' } },
          { kind: 'Field', name: { kind: 'Name', value: 'reward' } },
          { kind: 'Field', name: { kind: 'Name', value: 'ended' } },
        ],
      },
    },
  ],
} as unknown as DocumentNode<WatchInFlightSummariesSubscription, WatchInFlightSummariesSubscriptionVariables>;
export const WatchAlertsDocument = {
  kind: 'Document',
  definitions: [
    {
      kind: 'OperationDefinition',
      operation: 'subscription',
      name: { kind: 'Name', value: 'WatchAlerts' },
      variableDefinitions: [
        {
          kind: 'VariableDefinition',
          variable: { kind: 'Variable', name: { kind: 'Name', value: 'runId' } },
          type: { kind: 'NamedType', name: { kind: 'Name', value: 'ID' } },
        },
      ],
      selectionSet: {
        kind: 'SelectionSet',
        selections: [
          {
            kind: 'Field',
            name: { kind: 'Name', value: 'alertChanged' },
            arguments: [
              {
                kind: 'Argument',
                name: { kind: 'Name', value: 'runId' },
                value: { kind: 'Variable', name: { kind: 'Name', value: 'runId' } },
              },
            ],
            selectionSet: {
              kind: 'SelectionSet',
              selections: [{ kind: 'FragmentSpread', name: { kind: 'Name', value: 'AlertFields' } }],
            },
          },
        ],
      },
    },
    {
      kind: 'FragmentDefinition',
      name: { kind: 'Name', value: 'AlertFields' },
      typeCondition: { kind: 'NamedType', name: { kind: 'Name', value: 'Alert' } },
      selectionSet: {
        kind: 'SelectionSet',
        selections: [
          { kind: 'Field', name: { kind: 'Name', value: 'id' } },
          { kind: 'Field', name: { kind: 'Name', value: 'runId' } },
          { kind: 'Field', name: { kind: 'Name', value: 'severity' } },
          { kind: 'Field', name: { kind: 'Name', value: 'code' } },
          { kind: 'Field', name: { kind: 'Name', value: 'message' } },
          { kind: 'Field', name: { kind: 'Name', value: 'step' } },
          { kind: 'Field', name: { kind: 'Name', value: 'time' } },
          { kind: 'Field', name: { kind: 'Name', value: 'acknowledgedAt' } },
          { kind: 'Field', name: { kind: 'Name', value: 'acknowledgedBy' } },
          { kind: 'Field', name: { kind: 'Name', value: 'project' } },
          { kind: 'Field', name: { kind: 'Name', value: 'rules' } },
          { kind: 'Field', name: { kind: 'Name', value: 'assigneeId' } },
          { kind: 'Field', name: { kind: 'Name', value: 'assignee' } },
        ],
      },
    },
  ],
} as unknown as DocumentNode<WatchAlertsSubscription, WatchAlertsSubscriptionVariables>;
export const WatchProgressDocument = {
  kind: 'Document',
  definitions: [
    {
      kind: 'OperationDefinition',
      operation: 'subscription',
      name: { kind: 'Name', value: 'WatchProgress' },
      variableDefinitions: [
        {
          kind: 'VariableDefinition',
          variable: { kind: 'Variable', name: { kind: 'Name', value: 'runId' } },
          type: { kind: 'NonNullType', type: { kind: 'NamedType', name: { kind: 'Name', value: 'ID' } } },
        },
      ],
      selectionSet: {
        kind: 'SelectionSet',
        selections: [
          {
            kind: 'Field',
            name: { kind: 'Name', value: 'progress' },
            arguments: [
              {
                kind: 'Argument',
                name: { kind: 'Name', value: 'runId' },
                value: { kind: 'Variable', name: { kind: 'Name', value: 'runId' } },
              },
            ],
            selectionSet: {
              kind: 'SelectionSet',
              selections: [
                { kind: 'Field', name: { kind: 'Name', value: 'step' } },
                { kind: 'Field', name: { kind: 'Name', value: 'steps' } },
                { kind: 'Field', name: { kind: 'Name', value: 'phase' } },
                { kind: 'Field', name: { kind: 'Name', value: 'done' } },
                { kind: 'Field', name: { kind: 'Name', value: 'total' } },
              ],
            },
          },
        ],
      },
    },
  ],
} as unknown as DocumentNode<WatchProgressSubscription, WatchProgressSubscriptionVariables>;
export const WatchWorkersDocument = {
  kind: 'Document',
  definitions: [
    {
      kind: 'OperationDefinition',
      operation: 'subscription',
      name: { kind: 'Name', value: 'WatchWorkers' },
      selectionSet: {
        kind: 'SelectionSet',
        selections: [
          {
            kind: 'Field',
            name: { kind: 'Name', value: 'workerChanged' },
            selectionSet: {
              kind: 'SelectionSet',
              selections: [{ kind: 'Field', name: { kind: 'Name', value: 'id' } }],
            },
          },
        ],
      },
    },
  ],
} as unknown as DocumentNode<WatchWorkersSubscription, WatchWorkersSubscriptionVariables>;
export const WatchJobsDocument = {
  kind: 'Document',
  definitions: [
    {
      kind: 'OperationDefinition',
      operation: 'subscription',
      name: { kind: 'Name', value: 'WatchJobs' },
      selectionSet: {
        kind: 'SelectionSet',
        selections: [
          {
            kind: 'Field',
            name: { kind: 'Name', value: 'jobChanged' },
            selectionSet: {
              kind: 'SelectionSet',
              selections: [{ kind: 'Field', name: { kind: 'Name', value: 'id' } }],
            },
          },
        ],
      },
    },
  ],
} as unknown as DocumentNode<WatchJobsSubscription, WatchJobsSubscriptionVariables>;
export const ShowMeDocument = {
  kind: 'Document',
  definitions: [
    {
      kind: 'OperationDefinition',
      operation: 'query',
      name: { kind: 'Name', value: 'ShowMe' },
      selectionSet: {
        kind: 'SelectionSet',
        selections: [
          {
            kind: 'Field',
            name: { kind: 'Name', value: 'me' },
            selectionSet: {
              kind: 'SelectionSet',
              selections: [
                { kind: 'Field', name: { kind: 'Name', value: 'keyId' } },
                { kind: 'Field', name: { kind: 'Name', value: 'name' } },
                { kind: 'Field', name: { kind: 'Name', value: 'role' } },
                { kind: 'Field', name: { kind: 'Name', value: 'projects' } },
                {
                  kind: 'Field',
                  name: { kind: 'Name', value: 'limits' },
                  selectionSet: {
                    kind: 'SelectionSet',
                    selections: [
                      {
                        kind: 'Field',
                        name: { kind: 'Name', value: 'requestsPerMinute' },
                        selectionSet: {
                          kind: 'SelectionSet',
                          selections: [
                            { kind: 'FragmentSpread', name: { kind: 'Name', value: 'AllowanceFields' } },
                          ],
                        },
                      },
                      {
                        kind: 'Field',
                        name: { kind: 'Name', value: 'sentKbPerMinute' },
                        selectionSet: {
                          kind: 'SelectionSet',
                          selections: [
                            { kind: 'FragmentSpread', name: { kind: 'Name', value: 'AllowanceFields' } },
                          ],
                        },
                      },
                      {
                        kind: 'Field',
                        name: { kind: 'Name', value: 'runningJobs' },
                        selectionSet: {
                          kind: 'SelectionSet',
                          selections: [
                            { kind: 'FragmentSpread', name: { kind: 'Name', value: 'AllowanceFields' } },
                          ],
                        },
                      },
                      {
                        kind: 'Field',
                        name: { kind: 'Name', value: 'queuedJobs' },
                        selectionSet: {
                          kind: 'SelectionSet',
                          selections: [
                            { kind: 'FragmentSpread', name: { kind: 'Name', value: 'AllowanceFields' } },
                          ],
                        },
                      },
                      {
                        kind: 'Field',
                        name: { kind: 'Name', value: 'storedBytes' },
                        selectionSet: {
                          kind: 'SelectionSet',
                          selections: [
                            { kind: 'FragmentSpread', name: { kind: 'Name', value: 'AllowanceFields' } },
                          ],
                        },
                      },
                    ],
                  },
                },
              ],
            },
          },
        ],
      },
    },
    {
      kind: 'FragmentDefinition',
      name: { kind: 'Name', value: 'AllowanceFields' },
      typeCondition: { kind: 'NamedType', name: { kind: 'Name', value: 'Allowance' } },
      selectionSet: {
        kind: 'SelectionSet',
        selections: [
          { kind: 'Field', name: { kind: 'Name', value: 'limit' } },
          { kind: 'Field', name: { kind: 'Name', value: 'used' } },
          { kind: 'Field', name: { kind: 'Name', value: 'left' } },
        ],
      },
    },
  ],
} as unknown as DocumentNode<ShowMeQuery, ShowMeQueryVariables>;
export const ListProjectsDocument = {
  kind: 'Document',
  definitions: [
    {
      kind: 'OperationDefinition',
      operation: 'query',
      name: { kind: 'Name', value: 'ListProjects' },
      variableDefinitions: [
        {
          kind: 'VariableDefinition',
          variable: { kind: 'Variable', name: { kind: 'Name', value: 'first' } },
          type: { kind: 'NamedType', name: { kind: 'Name', value: 'Int' } },
        },
        {
          kind: 'VariableDefinition',
          variable: { kind: 'Variable', name: { kind: 'Name', value: 'after' } },
          type: { kind: 'NamedType', name: { kind: 'Name', value: 'String' } },
        },
        {
          kind: 'VariableDefinition',
          variable: { kind: 'Variable', name: { kind: 'Name', value: 'last' } },
          type: { kind: 'NamedType', name: { kind: 'Name', value: 'Int' } },
        },
        {
          kind: 'VariableDefinition',
          variable: { kind: 'Variable', name: { kind: 'Name', value: 'before' } },
          type: { kind: 'NamedType', name: { kind: 'Name', value: 'String' } },
        },
      ],
      selectionSet: {
        kind: 'SelectionSet',
        selections: [
          {
            kind: 'Field',
            name: { kind: 'Name', value: 'projects' },
            arguments: [
              {
                kind: 'Argument',
                name: { kind: 'Name', value: 'first' },
                value: { kind: 'Variable', name: { kind: 'Name', value: 'first' } },
              },
              {
                kind: 'Argument',
                name: { kind: 'Name', value: 'after' },
                value: { kind: 'Variable', name: { kind: 'Name', value: 'after' } },
              },
              {
                kind: 'Argument',
                name: { kind: 'Name', value: 'last' },
                value: { kind: 'Variable', name: { kind: 'Name', value: 'last' } },
              },
              {
                kind: 'Argument',
                name: { kind: 'Name', value: 'before' },
                value: { kind: 'Variable', name: { kind: 'Name', value: 'before' } },
              },
            ],
            selectionSet: {
              kind: 'SelectionSet',
              selections: [
                {
                  kind: 'Field',
                  name: { kind: 'Name', value: 'nodes' },
                  selectionSet: {
                    kind: 'SelectionSet',
                    selections: [
                      { kind: 'Field', name: { kind: 'Name', value: 'name' } },
                      { kind: 'Field', name: { kind: 'Name', value: 'runs' } },
                      {
                        kind: 'Field',
                        name: { kind: 'Name', value: 'states' },
                        selectionSet: {
                          kind: 'SelectionSet',
                          selections: [
                            { kind: 'Field', name: { kind: 'Name', value: 'state' } },
                            { kind: 'Field', name: { kind: 'Name', value: 'runs' } },
                          ],
                        },
                      },
                      { kind: 'Field', name: { kind: 'Name', value: 'newestRunAt' } },
                    ],
                  },
                },
                {
                  kind: 'Field',
                  name: { kind: 'Name', value: 'pageInfo' },
                  selectionSet: {
                    kind: 'SelectionSet',
                    selections: [{ kind: 'FragmentSpread', name: { kind: 'Name', value: 'PageFields' } }],
                  },
                },
              ],
            },
          },
        ],
      },
    },
    {
      kind: 'FragmentDefinition',
      name: { kind: 'Name', value: 'PageFields' },
      typeCondition: { kind: 'NamedType', name: { kind: 'Name', value: 'PageInfo' } },
      selectionSet: {
        kind: 'SelectionSet',
        selections: [
          { kind: 'Field', name: { kind: 'Name', value: 'startCursor' } },
          { kind: 'Field', name: { kind: 'Name', value: 'endCursor' } },
          { kind: 'Field', name: { kind: 'Name', value: 'hasNextPage' } },
          { kind: 'Field', name: { kind: 'Name', value: 'hasPreviousPage' } },
        ],
      },
    },
  ],
} as unknown as DocumentNode<ListProjectsQuery, ListProjectsQueryVariables>;
export const ShowViewDocument = {
  kind: 'Document',
  definitions: [
    {
      kind: 'OperationDefinition',
      operation: 'mutation',
      name: { kind: 'Name', value: 'ShowView' },
      variableDefinitions: [
        {
          kind: 'VariableDefinition',
          variable: { kind: 'Variable', name: { kind: 'Name', value: 'input' } },
          type: {
            kind: 'NonNullType',
            type: { kind: 'NamedType', name: { kind: 'Name', value: 'ShowViewInput' } },
          },
        },
      ],
      selectionSet: {
        kind: 'SelectionSet',
        selections: [
          {
            kind: 'Field',
            name: { kind: 'Name', value: 'showView' },
            arguments: [
              {
                kind: 'Argument',
                name: { kind: 'Name', value: 'input' },
                value: { kind: 'Variable', name: { kind: 'Name', value: 'input' } },
              },
            ],
            selectionSet: {
              kind: 'SelectionSet',
              selections: [
                { kind: 'Field', name: { kind: 'Name', value: '__typename' } },
                {
                  kind: 'InlineFragment',
                  typeCondition: { kind: 'NamedType', name: { kind: 'Name', value: 'ShownView' } },
                  selectionSet: {
                    kind: 'SelectionSet',
                    selections: [
                      { kind: 'Field', name: { kind: 'Name', value: 'path' } },
                      { kind: 'Field', name: { kind: 'Name', value: 'note' } },
                      { kind: 'Field', name: { kind: 'Name', value: 'pages' } },
                    ],
                  },
                },
                { kind: 'FragmentSpread', name: { kind: 'Name', value: 'RefusalFields' } },
              ],
            },
          },
        ],
      },
    },
    {
      kind: 'FragmentDefinition',
      name: { kind: 'Name', value: 'RefusalFields' },
      typeCondition: { kind: 'NamedType', name: { kind: 'Name', value: 'Refusal' } },
      selectionSet: {
        kind: 'SelectionSet',
        selections: [
          { kind: 'Field', name: { kind: 'Name', value: 'code' } },
          { kind: 'Field', name: { kind: 'Name', value: 'message' } },
          { kind: 'Field', name: { kind: 'Name', value: 'remedy' } },
          {
            kind: 'InlineFragment',
            typeCondition: { kind: 'NamedType', name: { kind: 'Name', value: 'InvalidInput' } },
            selectionSet: {
              kind: 'SelectionSet',
              selections: [{ kind: 'Field', name: { kind: 'Name', value: 'problems' } }],
            },
          },
          {
            kind: 'InlineFragment',
            typeCondition: { kind: 'NamedType', name: { kind: 'Name', value: 'WrongState' } },
            selectionSet: {
              kind: 'SelectionSet',
              selections: [{ kind: 'Field', name: { kind: 'Name', value: 'state' } }],
            },
          },
        ],
      },
    },
  ],
} as unknown as DocumentNode<ShowViewMutation, ShowViewMutationVariables>;
export const WatchShownViewsDocument = {
  kind: 'Document',
  definitions: [
    {
      kind: 'OperationDefinition',
      operation: 'subscription',
      name: { kind: 'Name', value: 'WatchShownViews' },
      selectionSet: {
        kind: 'SelectionSet',
        selections: [
          {
            kind: 'Field',
            name: { kind: 'Name', value: 'viewShown' },
            selectionSet: {
              kind: 'SelectionSet',
              selections: [
                { kind: 'Field', name: { kind: 'Name', value: 'path' } },
                { kind: 'Field', name: { kind: 'Name', value: 'note' } },
              ],
            },
          },
        ],
      },
    },
  ],
} as unknown as DocumentNode<WatchShownViewsSubscription, WatchShownViewsSubscriptionVariables>;
export const MetricHistoryDocument = {
  kind: 'Document',
  definitions: [
    {
      kind: 'OperationDefinition',
      operation: 'query',
      name: { kind: 'Name', value: 'MetricHistory' },
      variableDefinitions: [
        {
          kind: 'VariableDefinition',
          variable: { kind: 'Variable', name: { kind: 'Name', value: 'runIds' } },
          type: {
            kind: 'NonNullType',
            type: {
              kind: 'ListType',
              type: { kind: 'NonNullType', type: { kind: 'NamedType', name: { kind: 'Name', value: 'ID' } } },
            },
          },
        },
        {
          kind: 'VariableDefinition',
          variable: { kind: 'Variable', name: { kind: 'Name', value: 'names' } },
          type: {
            kind: 'NonNullType',
            type: {
              kind: 'ListType',
              type: {
                kind: 'NonNullType',
                type: { kind: 'NamedType', name: { kind: 'Name', value: 'String' } },
              },
            },
          },
        },
        {
          kind: 'VariableDefinition',
          variable: { kind: 'Variable', name: { kind: 'Name', value: 'fromStep' } },
          type: { kind: 'NamedType', name: { kind: 'Name', value: 'Int' } },
        },
        {
          kind: 'VariableDefinition',
          variable: { kind: 'Variable', name: { kind: 'Name', value: 'toStep' } },
          type: { kind: 'NamedType', name: { kind: 'Name', value: 'Int' } },
        },
        {
          kind: 'VariableDefinition',
          variable: { kind: 'Variable', name: { kind: 'Name', value: 'points' } },
          type: { kind: 'NonNullType', type: { kind: 'NamedType', name: { kind: 'Name', value: 'Int' } } },
        },
        {
          kind: 'VariableDefinition',
          variable: { kind: 'Variable', name: { kind: 'Name', value: 'digits' } },
          type: { kind: 'NamedType', name: { kind: 'Name', value: 'Int' } },
        },
        {
          kind: 'VariableDefinition',
          variable: { kind: 'Variable', name: { kind: 'Name', value: 'times' } },
          type: {
            kind: 'NonNullType',
            type: { kind: 'NamedType', name: { kind: 'Name', value: 'Boolean' } },
          },
        },
        {
          kind: 'VariableDefinition',
          variable: { kind: 'Variable', name: { kind: 'Name', value: 'buckets' } },
          type: {
            kind: 'NonNullType',
            type: { kind: 'NamedType', name: { kind: 'Name', value: 'Boolean' } },
          },
        },
      ],
      selectionSet: {
        kind: 'SelectionSet',
        selections: [
          {
            kind: 'Field',
            name: { kind: 'Name', value: 'metricHistory' },
            arguments: [
              {
                kind: 'Argument',
                name: { kind: 'Name', value: 'runIds' },
                value: { kind: 'Variable', name: { kind: 'Name', value: 'runIds' } },
              },
              {
                kind: 'Argument',
                name: { kind: 'Name', value: 'names' },
                value: { kind: 'Variable', name: { kind: 'Name', value: 'names' } },
              },
              {
                kind: 'Argument',
                name: { kind: 'Name', value: 'fromStep' },
                value: { kind: 'Variable', name: { kind: 'Name', value: 'fromStep' } },
              },
              {
                kind: 'Argument',
                name: { kind: 'Name', value: 'toStep' },
                value: { kind: 'Variable', name: { kind: 'Name', value: 'toStep' } },
              },
              {
                kind: 'Argument',
                name: { kind: 'Name', value: 'points' },
                value: { kind: 'Variable', name: { kind: 'Name', value: 'points' } },
              },
              {
                kind: 'Argument',
                name: { kind: 'Name', value: 'digits' },
                value: { kind: 'Variable', name: { kind: 'Name', value: 'digits' } },
              },
            ],
            selectionSet: {
              kind: 'SelectionSet',
              selections: [
                { kind: 'Field', name: { kind: 'Name', value: 'runId' } },
                { kind: 'Field', name: { kind: 'Name', value: 'name' } },
                { kind: 'Field', name: { kind: 'Name', value: 'count' } },
                { kind: 'Field', name: { kind: 'Name', value: 'decimated' } },
                { kind: 'Field', name: { kind: 'Name', value: 'steps' } },
                {
                  kind: 'Field',
                  name: { kind: 'Name', value: 'times' },
                  directives: [
                    {
                      kind: 'Directive',
                      name: { kind: 'Name', value: 'include' },
                      arguments: [
                        {
                          kind: 'Argument',
                          name: { kind: 'Name', value: 'if' },
                          value: { kind: 'Variable', name: { kind: 'Name', value: 'times' } },
                        },
                      ],
                    },
                  ],
                },
                { kind: 'Field', name: { kind: 'Name', value: 'values' } },
                {
                  kind: 'Field',
                  name: { kind: 'Name', value: 'buckets' },
                  directives: [
                    {
                      kind: 'Directive',
                      name: { kind: 'Name', value: 'include' },
                      arguments: [
                        {
                          kind: 'Argument',
                          name: { kind: 'Name', value: 'if' },
                          value: { kind: 'Variable', name: { kind: 'Name', value: 'buckets' } },
                        },
                      ],
                    },
                  ],
                  selectionSet: {
                    kind: 'SelectionSet',
                    selections: [
                      { kind: 'Field', name: { kind: 'Name', value: 'firstSteps' } },
                      { kind: 'Field', name: { kind: 'Name', value: 'lastSteps' } },
                      { kind: 'Field', name: { kind: 'Name', value: 'firstTimes' } },
                      { kind: 'Field', name: { kind: 'Name', value: 'lastTimes' } },
                      { kind: 'Field', name: { kind: 'Name', value: 'counts' } },
                      { kind: 'Field', name: { kind: 'Name', value: 'min' } },
                      { kind: 'Field', name: { kind: 'Name', value: 'max' } },
                      { kind: 'Field', name: { kind: 'Name', value: 'mean' } },
                    ],
                  },
                },
              ],
            },
          },
        ],
      },
    },
  ],
} as unknown as DocumentNode<MetricHistoryQuery, MetricHistoryQueryVariables>;
export const MetricNamesDocument = {
  kind: 'Document',
  definitions: [
    {
      kind: 'OperationDefinition',
      operation: 'query',
      name: { kind: 'Name', value: 'MetricNames' },
      variableDefinitions: [
        {
          kind: 'VariableDefinition',
          variable: { kind: 'Variable', name: { kind: 'Name', value: 'runId' } },
          type: { kind: 'NonNullType', type: { kind: 'NamedType', name: { kind: 'Name', value: 'ID' } } },
        },
      ],
      selectionSet: {
        kind: 'SelectionSet',
        selections: [
          {
            kind: 'Field',
            name: { kind: 'Name', value: 'metricNames' },
            arguments: [
              {
                kind: 'Argument',
                name: { kind: 'Name', value: 'runId' },
                value: { kind: 'Variable', name: { kind: 'Name', value: 'runId' } },
              },
            ],
            selectionSet: {
              kind: 'SelectionSet',
              selections: [
                { kind: 'Field', name: { kind: 'Name', value: 'name' } },
                { kind: 'Field', name: { kind: 'Name', value: 'count' } },
                { kind: 'Field', name: { kind: 'Name', value: 'latest' } },
                { kind: 'Field', name: { kind: 'Name', value: 'unit' } },
                { kind: 'Field', name: { kind: 'Name', value: 'formula' } },
              ],
            },
          },
        ],
      },
    },
  ],
} as unknown as DocumentNode<MetricNamesQuery, MetricNamesQueryVariables>;
export const ListRunRowsDocument = {
  kind: 'Document',
  definitions: [
    {
      kind: 'OperationDefinition',
      operation: 'query',
      name: { kind: 'Name', value: 'ListRunRows' },
      variableDefinitions: [
        {
          kind: 'VariableDefinition',
          variable: { kind: 'Variable', name: { kind: 'Name', value: 'first' } },
          type: { kind: 'NamedType', name: { kind: 'Name', value: 'Int' } },
        },
        {
          kind: 'VariableDefinition',
          variable: { kind: 'Variable', name: { kind: 'Name', value: 'after' } },
          type: { kind: 'NamedType', name: { kind: 'Name', value: 'String' } },
        },
        {
          kind: 'VariableDefinition',
          variable: { kind: 'Variable', name: { kind: 'Name', value: 'filter' } },
          type: { kind: 'NamedType', name: { kind: 'Name', value: 'RunFilter' } },
        },
        {
          kind: 'VariableDefinition',
          variable: { kind: 'Variable', name: { kind: 'Name', value: 'orderBy' } },
          type: { kind: 'NamedType', name: { kind: 'Name', value: 'RunOrder' } },
        },
      ],
      selectionSet: {
        kind: 'SelectionSet',
        selections: [
          {
            kind: 'Field',
            name: { kind: 'Name', value: 'runs' },
            arguments: [
              {
                kind: 'Argument',
                name: { kind: 'Name', value: 'first' },
                value: { kind: 'Variable', name: { kind: 'Name', value: 'first' } },
              },
              {
                kind: 'Argument',
                name: { kind: 'Name', value: 'after' },
                value: { kind: 'Variable', name: { kind: 'Name', value: 'after' } },
              },
              {
                kind: 'Argument',
                name: { kind: 'Name', value: 'filter' },
                value: { kind: 'Variable', name: { kind: 'Name', value: 'filter' } },
              },
              {
                kind: 'Argument',
                name: { kind: 'Name', value: 'orderBy' },
                value: { kind: 'Variable', name: { kind: 'Name', value: 'orderBy' } },
              },
            ],
            selectionSet: {
              kind: 'SelectionSet',
              selections: [
                {
                  kind: 'Field',
                  name: { kind: 'Name', value: 'nodes' },
                  selectionSet: {
                    kind: 'SelectionSet',
                    selections: [
                      { kind: 'FragmentSpread', name: { kind: 'Name', value: 'RunFields' } },
                      {
                        kind: 'Field',
                        name: { kind: 'Name', value: 'eta' },
                        selectionSet: {
                          kind: 'SelectionSet',
                          selections: [
                            { kind: 'Field', name: { kind: 'Name', value: 'seconds' } },
                            { kind: 'Field', name: { kind: 'Name', value: 'at' } },
                          ],
                        },
                      },
                      {
                        kind: 'Field',
                        name: { kind: 'Name', value: 'attempts' },
                        arguments: [
                          {
                            kind: 'Argument',
                            name: { kind: 'Name', value: 'last' },
                            value: { kind: 'IntValue', value: '1' },
                          },
                        ],
                        selectionSet: {
                          kind: 'SelectionSet',
                          selections: [
                            {
                              kind: 'Field',
                              name: { kind: 'Name', value: 'nodes' },
                              selectionSet: {
                                kind: 'SelectionSet',
                                selections: [
                                  { kind: 'Field', name: { kind: 'Name', value: 'workerName' } },
                                  { kind: 'Field', name: { kind: 'Name', value: 'devices' } },
                                  {
                                    kind: 'Field',
                                    name: { kind: 'Name', value: 'hardware' },
                                    selectionSet: {
                                      kind: 'SelectionSet',
                                      selections: [
                                        { kind: 'Field', name: { kind: 'Name', value: 'kind' } },
                                        { kind: 'Field', name: { kind: 'Name', value: 'name' } },
                                      ],
                                    },
                                  },
                                ],
                              },
                            },
                          ],
                        },
                      },
                    ],
                  },
                },
                {
                  kind: 'Field',
                  name: { kind: 'Name', value: 'pageInfo' },
                  selectionSet: {
                    kind: 'SelectionSet',
                    selections: [{ kind: 'FragmentSpread', name: { kind: 'Name', value: 'PageFields' } }],
                  },
                },
              ],
            },
          },
        ],
      },
    },
    {
      kind: 'FragmentDefinition',
      name: { kind: 'Name', value: 'RunFields' },
      typeCondition: { kind: 'NamedType', name: { kind: 'Name', value: 'Run' } },
      selectionSet: {
        kind: 'SelectionSet',
        selections: [
          { kind: 'Field', name: { kind: 'Name', value: 'id' } },
          { kind: 'Field', name: { kind: 'Name', value: 'project' } },
          { kind: 'Field', name: { kind: 'Name', value: 'name' } },
          { kind: 'Field', name: { kind: 'Name', value: 'title' } },
          { kind: 'Field', name: { kind: 'Name', value: 'state' } },
          { kind: 'Field', name: { kind: 'Name', value: 'message' } },
          { kind: 'Field', name: { kind: 'Name', value: 'priority' } },
          { kind: 'Field', name: { kind: 'Name', value: 'tags' } },
          { kind: 'Field', name: { kind: 'Name', value: 'group' } },
          { kind: 'Field', name: { kind: 'Name', value: 'note' } },
          { kind: 'Field', name: { kind: 'Name', value: 'step' } },
          { kind: 'Field', name: { kind: 'Name', value: 'steps' } },
          { kind: 'Field', name: { kind: 'Name', value: 'latest' } },
          { kind: 'Field', name: { kind: 'Name', value: 'health' } },
          { kind: 'Field', name: { kind: 'Name', value: 'warnings' } },
          { kind: 'Field', name: { kind: 'Name', value: 'head' } },
          { kind: 'Field', name: { kind: 'Name', value: 'createdAt' } },
          { kind: 'Field', name: { kind: 'Name', value: 'createdBy' } },
          { kind: 'Field', name: { kind: 'Name', value: 'startedAt' } },
          { kind: 'Field', name: { kind: 'Name', value: 'endedAt' } },
          { kind: 'Field', name: { kind: 'Name', value: 'parentRunId' } },
          { kind: 'Field', name: { kind: 'Name', value: 'parentStep' } },
          { kind: 'Field', name: { kind: 'Name', value: 'continues' } },
          { kind: 'Field', name: { kind: 'Name', value: 'host' } },
          { kind: 'Field', name: { kind: 'Name', value: 'imported' } },
          { kind: 'Field', name: { kind: 'Name', value: 'specHash' } },
        ],
      },
    },
    {
      kind: 'FragmentDefinition',
      name: { kind: 'Name', value: 'PageFields' },
      typeCondition: { kind: 'NamedType', name: { kind: 'Name', value: 'PageInfo' } },
      selectionSet: {
        kind: 'SelectionSet',
        selections: [
          { kind: 'Field', name: { kind: 'Name', value: 'startCursor' } },
          { kind: 'Field', name: { kind: 'Name', value: 'endCursor' } },
          { kind: 'Field', name: { kind: 'Name', value: 'hasNextPage' } },
          { kind: 'Field', name: { kind: 'Name', value: 'hasPreviousPage' } },
        ],
      },
    },
  ],
} as unknown as DocumentNode<ListRunRowsQuery, ListRunRowsQueryVariables>;
export const ListWorkerRowsDocument = {
  kind: 'Document',
  definitions: [
    {
      kind: 'OperationDefinition',
      operation: 'query',
      name: { kind: 'Name', value: 'ListWorkerRows' },
      variableDefinitions: [
        {
          kind: 'VariableDefinition',
          variable: { kind: 'Variable', name: { kind: 'Name', value: 'first' } },
          type: { kind: 'NamedType', name: { kind: 'Name', value: 'Int' } },
        },
        {
          kind: 'VariableDefinition',
          variable: { kind: 'Variable', name: { kind: 'Name', value: 'after' } },
          type: { kind: 'NamedType', name: { kind: 'Name', value: 'String' } },
        },
      ],
      selectionSet: {
        kind: 'SelectionSet',
        selections: [
          {
            kind: 'Field',
            name: { kind: 'Name', value: 'workers' },
            arguments: [
              {
                kind: 'Argument',
                name: { kind: 'Name', value: 'first' },
                value: { kind: 'Variable', name: { kind: 'Name', value: 'first' } },
              },
              {
                kind: 'Argument',
                name: { kind: 'Name', value: 'after' },
                value: { kind: 'Variable', name: { kind: 'Name', value: 'after' } },
              },
            ],
            selectionSet: {
              kind: 'SelectionSet',
              selections: [
                {
                  kind: 'Field',
                  name: { kind: 'Name', value: 'nodes' },
                  selectionSet: {
                    kind: 'SelectionSet',
                    selections: [
                      { kind: 'FragmentSpread', name: { kind: 'Name', value: 'WorkerFields' } },
                      {
                        kind: 'Field',
                        name: { kind: 'Name', value: 'devices' },
                        selectionSet: {
                          kind: 'SelectionSet',
                          selections: [
                            { kind: 'Field', name: { kind: 'Name', value: 'id' } },
                            { kind: 'Field', name: { kind: 'Name', value: 'kind' } },
                            { kind: 'Field', name: { kind: 'Name', value: 'name' } },
                            { kind: 'Field', name: { kind: 'Name', value: 'index' } },
                            { kind: 'Field', name: { kind: 'Name', value: 'threads' } },
                            { kind: 'Field', name: { kind: 'Name', value: 'memoryMb' } },
                            { kind: 'Field', name: { kind: 'Name', value: 'freeMemoryMb' } },
                            { kind: 'Field', name: { kind: 'Name', value: 'utilisation' } },
                            { kind: 'Field', name: { kind: 'Name', value: 'temperatureCelsius' } },
                            { kind: 'Field', name: { kind: 'Name', value: 'powerWatts' } },
                            { kind: 'Field', name: { kind: 'Name', value: 'faults' } },
                          ],
                        },
                      },
                      {
                        kind: 'Field',
                        name: { kind: 'Name', value: 'jobs' },
                        arguments: [
                          {
                            kind: 'Argument',
                            name: { kind: 'Name', value: 'first' },
                            value: { kind: 'IntValue', value: '20' },
                          },
                        ],
                        selectionSet: {
                          kind: 'SelectionSet',
                          selections: [
                            {
                              kind: 'Field',
                              name: { kind: 'Name', value: 'nodes' },
                              selectionSet: {
                                kind: 'SelectionSet',
                                selections: [
                                  { kind: 'Field', name: { kind: 'Name', value: 'id' } },
                                  { kind: 'Field', name: { kind: 'Name', value: 'runId' } },
                                  { kind: 'Field', name: { kind: 'Name', value: 'kind' } },
                                  { kind: 'Field', name: { kind: 'Name', value: 'state' } },
                                ],
                              },
                            },
                            {
                              kind: 'Field',
                              name: { kind: 'Name', value: 'pageInfo' },
                              selectionSet: {
                                kind: 'SelectionSet',
                                selections: [{ kind: 'Field', name: { kind: 'Name', value: 'hasNextPage' } }],
                              },
                            },
                          ],
                        },
                      },
                    ],
                  },
                },
                {
                  kind: 'Field',
                  name: { kind: 'Name', value: 'pageInfo' },
                  selectionSet: {
                    kind: 'SelectionSet',
                    selections: [{ kind: 'FragmentSpread', name: { kind: 'Name', value: 'PageFields' } }],
                  },
                },
              ],
            },
          },
        ],
      },
    },
    {
      kind: 'FragmentDefinition',
      name: { kind: 'Name', value: 'PluginFields' },
      typeCondition: { kind: 'NamedType', name: { kind: 'Name', value: 'PluginVersion' } },
      selectionSet: {
        kind: 'SelectionSet',
        selections: [
          { kind: 'Field', name: { kind: 'Name', value: 'kind' } },
          { kind: 'Field', name: { kind: 'Name', value: 'id' } },
          { kind: 'Field', name: { kind: 'Name', value: 'version' } },
          { kind: 'Field', name: { kind: 'Name', value: 'sha256' } },
          { kind: 'Field', name: { kind: 'Name', value: 'isExternal' } },
        ],
      },
    },
    {
      kind: 'FragmentDefinition',
      name: { kind: 'Name', value: 'WorkerFields' },
      typeCondition: { kind: 'NamedType', name: { kind: 'Name', value: 'Worker' } },
      selectionSet: {
        kind: 'SelectionSet',
        selections: [
          { kind: 'Field', name: { kind: 'Name', value: 'id' } },
          { kind: 'Field', name: { kind: 'Name', value: 'name' } },
          { kind: 'Field', name: { kind: 'Name', value: 'host' } },
          { kind: 'Field', name: { kind: 'Name', value: 'version' } },
          { kind: 'Field', name: { kind: 'Name', value: 'labels' } },
          {
            kind: 'Field',
            name: { kind: 'Name', value: 'plugins' },
            selectionSet: {
              kind: 'SelectionSet',
              selections: [{ kind: 'FragmentSpread', name: { kind: 'Name', value: 'PluginFields' } }],
            },
          },
          { kind: 'Field', name: { kind: 'Name', value: 'online' } },
          { kind: 'Field', name: { kind: 'Name', value: 'draining' } },
          { kind: 'Field', name: { kind: 'Name', value: 'connectedAt' } },
          { kind: 'Field', name: { kind: 'Name', value: 'lastSeenAt' } },
        ],
      },
    },
    {
      kind: 'FragmentDefinition',
      name: { kind: 'Name', value: 'PageFields' },
      typeCondition: { kind: 'NamedType', name: { kind: 'Name', value: 'PageInfo' } },
      selectionSet: {
        kind: 'SelectionSet',
        selections: [
          { kind: 'Field', name: { kind: 'Name', value: 'startCursor' } },
          { kind: 'Field', name: { kind: 'Name', value: 'endCursor' } },
          { kind: 'Field', name: { kind: 'Name', value: 'hasNextPage' } },
          { kind: 'Field', name: { kind: 'Name', value: 'hasPreviousPage' } },
        ],
      },
    },
  ],
} as unknown as DocumentNode<ListWorkerRowsQuery, ListWorkerRowsQueryVariables>;
export const ListJobRowsDocument = {
  kind: 'Document',
  definitions: [
    {
      kind: 'OperationDefinition',
      operation: 'query',
      name: { kind: 'Name', value: 'ListJobRows' },
      variableDefinitions: [
        {
          kind: 'VariableDefinition',
          variable: { kind: 'Variable', name: { kind: 'Name', value: 'states' } },
          type: {
            kind: 'ListType',
            type: {
              kind: 'NonNullType',
              type: { kind: 'NamedType', name: { kind: 'Name', value: 'JobState' } },
            },
          },
        },
        {
          kind: 'VariableDefinition',
          variable: { kind: 'Variable', name: { kind: 'Name', value: 'first' } },
          type: { kind: 'NamedType', name: { kind: 'Name', value: 'Int' } },
        },
        {
          kind: 'VariableDefinition',
          variable: { kind: 'Variable', name: { kind: 'Name', value: 'after' } },
          type: { kind: 'NamedType', name: { kind: 'Name', value: 'String' } },
        },
      ],
      selectionSet: {
        kind: 'SelectionSet',
        selections: [
          {
            kind: 'Field',
            name: { kind: 'Name', value: 'jobs' },
            arguments: [
              {
                kind: 'Argument',
                name: { kind: 'Name', value: 'filter' },
                value: {
                  kind: 'ObjectValue',
                  fields: [
                    {
                      kind: 'ObjectField',
                      name: { kind: 'Name', value: 'states' },
                      value: { kind: 'Variable', name: { kind: 'Name', value: 'states' } },
                    },
                  ],
                },
              },
              {
                kind: 'Argument',
                name: { kind: 'Name', value: 'first' },
                value: { kind: 'Variable', name: { kind: 'Name', value: 'first' } },
              },
              {
                kind: 'Argument',
                name: { kind: 'Name', value: 'after' },
                value: { kind: 'Variable', name: { kind: 'Name', value: 'after' } },
              },
              {
                kind: 'Argument',
                name: { kind: 'Name', value: 'orderBy' },
                value: {
                  kind: 'ObjectValue',
                  fields: [
                    {
                      kind: 'ObjectField',
                      name: { kind: 'Name', value: 'field' },
                      value: { kind: 'EnumValue', value: 'QUEUED_AT' },
                    },
                    {
                      kind: 'ObjectField',
                      name: { kind: 'Name', value: 'direction' },
                      value: { kind: 'EnumValue', value: 'ASC' },
                    },
                  ],
                },
              },
            ],
            selectionSet: {
              kind: 'SelectionSet',
              selections: [
                {
                  kind: 'Field',
                  name: { kind: 'Name', value: 'nodes' },
                  selectionSet: {
                    kind: 'SelectionSet',
                    selections: [
                      { kind: 'Field', name: { kind: 'Name', value: 'id' } },
                      { kind: 'Field', name: { kind: 'Name', value: 'runId' } },
                      { kind: 'Field', name: { kind: 'Name', value: 'kind' } },
                      { kind: 'Field', name: { kind: 'Name', value: 'state' } },
                      { kind: 'Field', name: { kind: 'Name', value: 'message' } },
                      { kind: 'Field', name: { kind: 'Name', value: 'priority' } },
                      { kind: 'Field', name: { kind: 'Name', value: 'queuedAt' } },
                      { kind: 'Field', name: { kind: 'Name', value: 'startedAt' } },
                      { kind: 'Field', name: { kind: 'Name', value: 'whyWaiting' } },
                      {
                        kind: 'Field',
                        name: { kind: 'Name', value: 'needs' },
                        selectionSet: {
                          kind: 'SelectionSet',
                          selections: [
                            { kind: 'FragmentSpread', name: { kind: 'Name', value: 'NeedsFields' } },
                          ],
                        },
                      },
                    ],
                  },
                },
                {
                  kind: 'Field',
                  name: { kind: 'Name', value: 'pageInfo' },
                  selectionSet: {
                    kind: 'SelectionSet',
                    selections: [{ kind: 'FragmentSpread', name: { kind: 'Name', value: 'PageFields' } }],
                  },
                },
              ],
            },
          },
        ],
      },
    },
    {
      kind: 'FragmentDefinition',
      name: { kind: 'Name', value: 'NeedsFields' },
      typeCondition: { kind: 'NamedType', name: { kind: 'Name', value: 'JobNeeds' } },
      selectionSet: {
        kind: 'SelectionSet',
        selections: [
          { kind: 'Field', name: { kind: 'Name', value: 'kind' } },
          { kind: 'Field', name: { kind: 'Name', value: 'count' } },
          { kind: 'Field', name: { kind: 'Name', value: 'memoryMb' } },
          { kind: 'Field', name: { kind: 'Name', value: 'labels' } },
        ],
      },
    },
    {
      kind: 'FragmentDefinition',
      name: { kind: 'Name', value: 'PageFields' },
      typeCondition: { kind: 'NamedType', name: { kind: 'Name', value: 'PageInfo' } },
      selectionSet: {
        kind: 'SelectionSet',
        selections: [
          { kind: 'Field', name: { kind: 'Name', value: 'startCursor' } },
          { kind: 'Field', name: { kind: 'Name', value: 'endCursor' } },
          { kind: 'Field', name: { kind: 'Name', value: 'hasNextPage' } },
          { kind: 'Field', name: { kind: 'Name', value: 'hasPreviousPage' } },
        ],
      },
    },
  ],
} as unknown as DocumentNode<ListJobRowsQuery, ListJobRowsQueryVariables>;
export const ListPluginsDocument = {
  kind: 'Document',
  definitions: [
    {
      kind: 'OperationDefinition',
      operation: 'query',
      name: { kind: 'Name', value: 'ListPlugins' },
      selectionSet: {
        kind: 'SelectionSet',
        selections: [
          {
            kind: 'Field',
            name: { kind: 'Name', value: 'plugins' },
            selectionSet: {
              kind: 'SelectionSet',
              selections: [
                { kind: 'Field', name: { kind: 'Name', value: 'id' } },
                { kind: 'Field', name: { kind: 'Name', value: 'kind' } },
                { kind: 'Field', name: { kind: 'Name', value: 'version' } },
                { kind: 'Field', name: { kind: 'Name', value: 'summary' } },
                { kind: 'Field', name: { kind: 'Name', value: 'source' } },
                { kind: 'Field', name: { kind: 'Name', value: 'package' } },
                { kind: 'Field', name: { kind: 'Name', value: 'health' } },
                { kind: 'Field', name: { kind: 'Name', value: 'message' } },
                { kind: 'Field', name: { kind: 'Name', value: 'isolation' } },
              ],
            },
          },
        ],
      },
    },
  ],
} as unknown as DocumentNode<ListPluginsQuery, ListPluginsQueryVariables>;
export const ListRecipesDocument = {
  kind: 'Document',
  definitions: [
    {
      kind: 'OperationDefinition',
      operation: 'query',
      name: { kind: 'Name', value: 'ListRecipes' },
      selectionSet: {
        kind: 'SelectionSet',
        selections: [
          {
            kind: 'Field',
            name: { kind: 'Name', value: 'recipes' },
            selectionSet: {
              kind: 'SelectionSet',
              selections: [
                { kind: 'Field', name: { kind: 'Name', value: 'name' } },
                { kind: 'Field', name: { kind: 'Name', value: 'title' } },
                { kind: 'Field', name: { kind: 'Name', value: 'description' } },
                { kind: 'Field', name: { kind: 'Name', value: 'source' } },
              ],
            },
          },
        ],
      },
    },
  ],
} as unknown as DocumentNode<ListRecipesQuery, ListRecipesQueryVariables>;
export const ShowServerDocument = {
  kind: 'Document',
  definitions: [
    {
      kind: 'OperationDefinition',
      operation: 'query',
      name: { kind: 'Name', value: 'ShowServer' },
      selectionSet: {
        kind: 'SelectionSet',
        selections: [{ kind: 'Field', name: { kind: 'Name', value: 'version' } }],
      },
    },
  ],
} as unknown as DocumentNode<ShowServerQuery, ShowServerQueryVariables>;
export const ListRatingSetsDocument = {
  kind: 'Document',
  definitions: [
    {
      kind: 'OperationDefinition',
      operation: 'query',
      name: { kind: 'Name', value: 'ListRatingSets' },
      variableDefinitions: [
        {
          kind: 'VariableDefinition',
          variable: { kind: 'Variable', name: { kind: 'Name', value: 'filter' } },
          type: { kind: 'NamedType', name: { kind: 'Name', value: 'RatingSetFilter' } },
        },
        {
          kind: 'VariableDefinition',
          variable: { kind: 'Variable', name: { kind: 'Name', value: 'first' } },
          type: { kind: 'NamedType', name: { kind: 'Name', value: 'Int' } },
        },
        {
          kind: 'VariableDefinition',
          variable: { kind: 'Variable', name: { kind: 'Name', value: 'after' } },
          type: { kind: 'NamedType', name: { kind: 'Name', value: 'String' } },
        },
      ],
      selectionSet: {
        kind: 'SelectionSet',
        selections: [
          {
            kind: 'Field',
            name: { kind: 'Name', value: 'ratingSets' },
            arguments: [
              {
                kind: 'Argument',
                name: { kind: 'Name', value: 'filter' },
                value: { kind: 'Variable', name: { kind: 'Name', value: 'filter' } },
              },
              {
                kind: 'Argument',
                name: { kind: 'Name', value: 'first' },
                value: { kind: 'Variable', name: { kind: 'Name', value: 'first' } },
              },
              {
                kind: 'Argument',
                name: { kind: 'Name', value: 'after' },
                value: { kind: 'Variable', name: { kind: 'Name', value: 'after' } },
              },
            ],
            selectionSet: {
              kind: 'SelectionSet',
              selections: [
                {
                  kind: 'Field',
                  name: { kind: 'Name', value: 'nodes' },
                  selectionSet: {
                    kind: 'SelectionSet',
                    selections: [
                      { kind: 'FragmentSpread', name: { kind: 'Name', value: 'RatingSetFields' } },
                    ],
                  },
                },
                {
                  kind: 'Field',
                  name: { kind: 'Name', value: 'pageInfo' },
                  selectionSet: {
                    kind: 'SelectionSet',
                    selections: [{ kind: 'FragmentSpread', name: { kind: 'Name', value: 'PageFields' } }],
                  },
                },
              ],
            },
          },
        ],
      },
    },
    {
      kind: 'FragmentDefinition',
      name: { kind: 'Name', value: 'RatingSetFields' },
      typeCondition: { kind: 'NamedType', name: { kind: 'Name', value: 'RatingSet' } },
      selectionSet: {
        kind: 'SelectionSet',
        selections: [
          { kind: 'Field', name: { kind: 'Name', value: 'id' } },
          { kind: 'Field', name: { kind: 'Name', value: 'project' } },
          { kind: 'Field', name: { kind: 'Name', value: 'name' } },
          { kind: 'Field', name: { kind: 'Name', value: 'kind' } },
          { kind: 'Field', name: { kind: 'Name', value: 'instructions' } },
          {
            kind: 'Field',
            name: { kind: 'Name', value: 'criteria' },
            selectionSet: {
              kind: 'SelectionSet',
              selections: [
                { kind: 'Field', name: { kind: 'Name', value: 'name' } },
                { kind: 'Field', name: { kind: 'Name', value: 'question' } },
                { kind: 'Field', name: { kind: 'Name', value: 'scale' } },
                { kind: 'Field', name: { kind: 'Name', value: 'low' } },
                { kind: 'Field', name: { kind: 'Name', value: 'high' } },
              ],
            },
          },
          { kind: 'Field', name: { kind: 'Name', value: 'size' } },
          { kind: 'Field', name: { kind: 'Name', value: 'createdBy' } },
          { kind: 'Field', name: { kind: 'Name', value: 'keyId' } },
          { kind: 'Field', name: { kind: 'Name', value: 'createdAt' } },
          { kind: 'Field', name: { kind: 'Name', value: 'closedAt' } },
          { kind: 'Field', name: { kind: 'Name', value: 'closedBy' } },
          { kind: 'Field', name: { kind: 'Name', value: 'seed' } },
          {
            kind: 'Field',
            name: { kind: 'Name', value: 'sources' },
            selectionSet: {
              kind: 'SelectionSet',
              selections: [
                { kind: 'Field', name: { kind: 'Name', value: 'runId' } },
                { kind: 'Field', name: { kind: 'Name', value: 'runName' } },
                { kind: 'Field', name: { kind: 'Name', value: 'fromStep' } },
                { kind: 'Field', name: { kind: 'Name', value: 'toStep' } },
                { kind: 'Field', name: { kind: 'Name', value: 'split' } },
                { kind: 'Field', name: { kind: 'Name', value: 'available' } },
                { kind: 'Field', name: { kind: 'Name', value: 'taken' } },
              ],
            },
          },
          {
            kind: 'Field',
            name: { kind: 'Name', value: 'progress' },
            selectionSet: {
              kind: 'SelectionSet',
              selections: [
                { kind: 'Field', name: { kind: 'Name', value: 'name' } },
                { kind: 'Field', name: { kind: 'Name', value: 'rated' } },
                { kind: 'Field', name: { kind: 'Name', value: 'startedAt' } },
                { kind: 'Field', name: { kind: 'Name', value: 'finishedAt' } },
              ],
            },
          },
        ],
      },
    },
    {
      kind: 'FragmentDefinition',
      name: { kind: 'Name', value: 'PageFields' },
      typeCondition: { kind: 'NamedType', name: { kind: 'Name', value: 'PageInfo' } },
      selectionSet: {
        kind: 'SelectionSet',
        selections: [
          { kind: 'Field', name: { kind: 'Name', value: 'startCursor' } },
          { kind: 'Field', name: { kind: 'Name', value: 'endCursor' } },
          { kind: 'Field', name: { kind: 'Name', value: 'hasNextPage' } },
          { kind: 'Field', name: { kind: 'Name', value: 'hasPreviousPage' } },
        ],
      },
    },
  ],
} as unknown as DocumentNode<ListRatingSetsQuery, ListRatingSetsQueryVariables>;
export const ReadRatingSetDocument = {
  kind: 'Document',
  definitions: [
    {
      kind: 'OperationDefinition',
      operation: 'query',
      name: { kind: 'Name', value: 'ReadRatingSet' },
      variableDefinitions: [
        {
          kind: 'VariableDefinition',
          variable: { kind: 'Variable', name: { kind: 'Name', value: 'id' } },
          type: { kind: 'NonNullType', type: { kind: 'NamedType', name: { kind: 'Name', value: 'ID' } } },
        },
      ],
      selectionSet: {
        kind: 'SelectionSet',
        selections: [
          {
            kind: 'Field',
            name: { kind: 'Name', value: 'ratingSet' },
            arguments: [
              {
                kind: 'Argument',
                name: { kind: 'Name', value: 'id' },
                value: { kind: 'Variable', name: { kind: 'Name', value: 'id' } },
              },
            ],
            selectionSet: {
              kind: 'SelectionSet',
              selections: [
                { kind: 'FragmentSpread', name: { kind: 'Name', value: 'RatingSetFields' } },
                {
                  kind: 'Field',
                  name: { kind: 'Name', value: 'task' },
                  selectionSet: {
                    kind: 'SelectionSet',
                    selections: [
                      { kind: 'Field', name: { kind: 'Name', value: 'finishedAt' } },
                      {
                        kind: 'Field',
                        name: { kind: 'Name', value: 'items' },
                        selectionSet: {
                          kind: 'SelectionSet',
                          selections: [
                            { kind: 'FragmentSpread', name: { kind: 'Name', value: 'TaskItemFields' } },
                          ],
                        },
                      },
                    ],
                  },
                },
                {
                  kind: 'Field',
                  name: { kind: 'Name', value: 'results' },
                  selectionSet: {
                    kind: 'SelectionSet',
                    selections: [
                      { kind: 'Field', name: { kind: 'Name', value: 'raters' } },
                      {
                        kind: 'Field',
                        name: { kind: 'Name', value: 'preference' },
                        selectionSet: {
                          kind: 'SelectionSet',
                          selections: [
                            { kind: 'Field', name: { kind: 'Name', value: 'wins' } },
                            { kind: 'Field', name: { kind: 'Name', value: 'ties' } },
                            { kind: 'Field', name: { kind: 'Name', value: 'losses' } },
                            { kind: 'Field', name: { kind: 'Name', value: 'winRate' } },
                            { kind: 'Field', name: { kind: 'Name', value: 'low' } },
                            { kind: 'Field', name: { kind: 'Name', value: 'high' } },
                          ],
                        },
                      },
                      {
                        kind: 'Field',
                        name: { kind: 'Name', value: 'criteria' },
                        selectionSet: {
                          kind: 'SelectionSet',
                          selections: [
                            { kind: 'Field', name: { kind: 'Name', value: 'criterion' } },
                            { kind: 'Field', name: { kind: 'Name', value: 'source' } },
                            { kind: 'Field', name: { kind: 'Name', value: 'mean' } },
                            { kind: 'Field', name: { kind: 'Name', value: 'low' } },
                            { kind: 'Field', name: { kind: 'Name', value: 'high' } },
                            { kind: 'Field', name: { kind: 'Name', value: 'items' } },
                          ],
                        },
                      },
                      {
                        kind: 'Field',
                        name: { kind: 'Name', value: 'agreements' },
                        selectionSet: {
                          kind: 'SelectionSet',
                          selections: [
                            { kind: 'Field', name: { kind: 'Name', value: 'criterion' } },
                            { kind: 'Field', name: { kind: 'Name', value: 'level' } },
                            { kind: 'Field', name: { kind: 'Name', value: 'alpha' } },
                            { kind: 'Field', name: { kind: 'Name', value: 'low' } },
                            { kind: 'Field', name: { kind: 'Name', value: 'high' } },
                            { kind: 'Field', name: { kind: 'Name', value: 'units' } },
                            { kind: 'Field', name: { kind: 'Name', value: 'ratings' } },
                          ],
                        },
                      },
                      {
                        kind: 'Field',
                        name: { kind: 'Name', value: 'items' },
                        selectionSet: {
                          kind: 'SelectionSet',
                          selections: [
                            { kind: 'Field', name: { kind: 'Name', value: 'position' } },
                            { kind: 'Field', name: { kind: 'Name', value: 'source' } },
                            { kind: 'Field', name: { kind: 'Name', value: 'disagreement' } },
                            {
                              kind: 'Field',
                              name: { kind: 'Name', value: 'places' },
                              selectionSet: {
                                kind: 'SelectionSet',
                                selections: [
                                  { kind: 'Field', name: { kind: 'Name', value: 'runId' } },
                                  { kind: 'Field', name: { kind: 'Name', value: 'trajectoryId' } },
                                  { kind: 'Field', name: { kind: 'Name', value: 'step' } },
                                  { kind: 'Field', name: { kind: 'Name', value: 'reward' } },
                                  { kind: 'Field', name: { kind: 'Name', value: 'success' } },
                                ],
                              },
                            },
                            {
                              kind: 'Field',
                              name: { kind: 'Name', value: 'ratings' },
                              selectionSet: {
                                kind: 'SelectionSet',
                                selections: [
                                  { kind: 'Field', name: { kind: 'Name', value: 'rater' } },
                                  { kind: 'Field', name: { kind: 'Name', value: 'choice' } },
                                  {
                                    kind: 'Field',
                                    name: { kind: 'Name', value: 'scores' },
                                    selectionSet: {
                                      kind: 'SelectionSet',
                                      selections: [
                                        { kind: 'Field', name: { kind: 'Name', value: 'criterion' } },
                                        { kind: 'Field', name: { kind: 'Name', value: 'value' } },
                                      ],
                                    },
                                  },
                                  { kind: 'Field', name: { kind: 'Name', value: 'reason' } },
                                  { kind: 'Field', name: { kind: 'Name', value: 'time' } },
                                ],
                              },
                            },
                          ],
                        },
                      },
                    ],
                  },
                },
              ],
            },
          },
        ],
      },
    },
    {
      kind: 'FragmentDefinition',
      name: { kind: 'Name', value: 'RatingSetFields' },
      typeCondition: { kind: 'NamedType', name: { kind: 'Name', value: 'RatingSet' } },
      selectionSet: {
        kind: 'SelectionSet',
        selections: [
          { kind: 'Field', name: { kind: 'Name', value: 'id' } },
          { kind: 'Field', name: { kind: 'Name', value: 'project' } },
          { kind: 'Field', name: { kind: 'Name', value: 'name' } },
          { kind: 'Field', name: { kind: 'Name', value: 'kind' } },
          { kind: 'Field', name: { kind: 'Name', value: 'instructions' } },
          {
            kind: 'Field',
            name: { kind: 'Name', value: 'criteria' },
            selectionSet: {
              kind: 'SelectionSet',
              selections: [
                { kind: 'Field', name: { kind: 'Name', value: 'name' } },
                { kind: 'Field', name: { kind: 'Name', value: 'question' } },
                { kind: 'Field', name: { kind: 'Name', value: 'scale' } },
                { kind: 'Field', name: { kind: 'Name', value: 'low' } },
                { kind: 'Field', name: { kind: 'Name', value: 'high' } },
              ],
            },
          },
          { kind: 'Field', name: { kind: 'Name', value: 'size' } },
          { kind: 'Field', name: { kind: 'Name', value: 'createdBy' } },
          { kind: 'Field', name: { kind: 'Name', value: 'keyId' } },
          { kind: 'Field', name: { kind: 'Name', value: 'createdAt' } },
          { kind: 'Field', name: { kind: 'Name', value: 'closedAt' } },
          { kind: 'Field', name: { kind: 'Name', value: 'closedBy' } },
          { kind: 'Field', name: { kind: 'Name', value: 'seed' } },
          {
            kind: 'Field',
            name: { kind: 'Name', value: 'sources' },
            selectionSet: {
              kind: 'SelectionSet',
              selections: [
                { kind: 'Field', name: { kind: 'Name', value: 'runId' } },
                { kind: 'Field', name: { kind: 'Name', value: 'runName' } },
                { kind: 'Field', name: { kind: 'Name', value: 'fromStep' } },
                { kind: 'Field', name: { kind: 'Name', value: 'toStep' } },
                { kind: 'Field', name: { kind: 'Name', value: 'split' } },
                { kind: 'Field', name: { kind: 'Name', value: 'available' } },
                { kind: 'Field', name: { kind: 'Name', value: 'taken' } },
              ],
            },
          },
          {
            kind: 'Field',
            name: { kind: 'Name', value: 'progress' },
            selectionSet: {
              kind: 'SelectionSet',
              selections: [
                { kind: 'Field', name: { kind: 'Name', value: 'name' } },
                { kind: 'Field', name: { kind: 'Name', value: 'rated' } },
                { kind: 'Field', name: { kind: 'Name', value: 'startedAt' } },
                { kind: 'Field', name: { kind: 'Name', value: 'finishedAt' } },
              ],
            },
          },
        ],
      },
    },
    {
      kind: 'FragmentDefinition',
      name: { kind: 'Name', value: 'TaskItemFields' },
      typeCondition: { kind: 'NamedType', name: { kind: 'Name', value: 'RatingTaskItem' } },
      selectionSet: {
        kind: 'SelectionSet',
        selections: [
          { kind: 'Field', name: { kind: 'Name', value: 'position' } },
          { kind: 'Field', name: { kind: 'Name', value: 'isRated' } },
          { kind: 'Field', name: { kind: 'Name', value: 'choice' } },
          {
            kind: 'Field',
            name: { kind: 'Name', value: 'scores' },
            selectionSet: {
              kind: 'SelectionSet',
              selections: [
                { kind: 'Field', name: { kind: 'Name', value: 'criterion' } },
                { kind: 'Field', name: { kind: 'Name', value: 'value' } },
              ],
            },
          },
          { kind: 'Field', name: { kind: 'Name', value: 'reason' } },
        ],
      },
    },
  ],
} as unknown as DocumentNode<ReadRatingSetQuery, ReadRatingSetQueryVariables>;
export const ReadRatingItemDocument = {
  kind: 'Document',
  definitions: [
    {
      kind: 'OperationDefinition',
      operation: 'query',
      name: { kind: 'Name', value: 'ReadRatingItem' },
      variableDefinitions: [
        {
          kind: 'VariableDefinition',
          variable: { kind: 'Variable', name: { kind: 'Name', value: 'setId' } },
          type: { kind: 'NonNullType', type: { kind: 'NamedType', name: { kind: 'Name', value: 'ID' } } },
        },
        {
          kind: 'VariableDefinition',
          variable: { kind: 'Variable', name: { kind: 'Name', value: 'position' } },
          type: { kind: 'NonNullType', type: { kind: 'NamedType', name: { kind: 'Name', value: 'Int' } } },
        },
      ],
      selectionSet: {
        kind: 'SelectionSet',
        selections: [
          {
            kind: 'Field',
            name: { kind: 'Name', value: 'ratingItem' },
            arguments: [
              {
                kind: 'Argument',
                name: { kind: 'Name', value: 'setId' },
                value: { kind: 'Variable', name: { kind: 'Name', value: 'setId' } },
              },
              {
                kind: 'Argument',
                name: { kind: 'Name', value: 'position' },
                value: { kind: 'Variable', name: { kind: 'Name', value: 'position' } },
              },
            ],
            selectionSet: {
              kind: 'SelectionSet',
              selections: [
                { kind: 'Field', name: { kind: 'Name', value: 'position' } },
                {
                  kind: 'Field',
                  name: { kind: 'Name', value: 'sides' },
                  selectionSet: {
                    kind: 'SelectionSet',
                    selections: [
                      { kind: 'Field', name: { kind: 'Name', value: 'missing' } },
                      {
                        kind: 'Field',
                        name: { kind: 'Name', value: 'turns' },
                        selectionSet: {
                          kind: 'SelectionSet',
                          selections: [
                            { kind: 'Field', name: { kind: 'Name', value: 'observation' } },
                            { kind: 'Field', name: { kind: 'Name', value: 'response' } },
                          ],
                        },
                      },
                    ],
                  },
                },
              ],
            },
          },
        ],
      },
    },
  ],
} as unknown as DocumentNode<ReadRatingItemQuery, ReadRatingItemQueryVariables>;
export const ListRubricsDocument = {
  kind: 'Document',
  definitions: [
    {
      kind: 'OperationDefinition',
      operation: 'query',
      name: { kind: 'Name', value: 'ListRubrics' },
      selectionSet: {
        kind: 'SelectionSet',
        selections: [
          {
            kind: 'Field',
            name: { kind: 'Name', value: 'rubrics' },
            selectionSet: {
              kind: 'SelectionSet',
              selections: [
                { kind: 'Field', name: { kind: 'Name', value: 'id' } },
                { kind: 'Field', name: { kind: 'Name', value: 'title' } },
                {
                  kind: 'Field',
                  name: { kind: 'Name', value: 'criteria' },
                  selectionSet: {
                    kind: 'SelectionSet',
                    selections: [
                      { kind: 'Field', name: { kind: 'Name', value: 'name' } },
                      { kind: 'Field', name: { kind: 'Name', value: 'question' } },
                      { kind: 'Field', name: { kind: 'Name', value: 'scale' } },
                      { kind: 'Field', name: { kind: 'Name', value: 'low' } },
                      { kind: 'Field', name: { kind: 'Name', value: 'high' } },
                    ],
                  },
                },
              ],
            },
          },
        ],
      },
    },
  ],
} as unknown as DocumentNode<ListRubricsQuery, ListRubricsQueryVariables>;
export const CreateRatingSetDocument = {
  kind: 'Document',
  definitions: [
    {
      kind: 'OperationDefinition',
      operation: 'mutation',
      name: { kind: 'Name', value: 'CreateRatingSet' },
      variableDefinitions: [
        {
          kind: 'VariableDefinition',
          variable: { kind: 'Variable', name: { kind: 'Name', value: 'input' } },
          type: {
            kind: 'NonNullType',
            type: { kind: 'NamedType', name: { kind: 'Name', value: 'CreateRatingSetInput' } },
          },
        },
      ],
      selectionSet: {
        kind: 'SelectionSet',
        selections: [
          {
            kind: 'Field',
            name: { kind: 'Name', value: 'createRatingSet' },
            arguments: [
              {
                kind: 'Argument',
                name: { kind: 'Name', value: 'input' },
                value: { kind: 'Variable', name: { kind: 'Name', value: 'input' } },
              },
            ],
            selectionSet: {
              kind: 'SelectionSet',
              selections: [
                { kind: 'Field', name: { kind: 'Name', value: '__typename' } },
                {
                  kind: 'InlineFragment',
                  typeCondition: { kind: 'NamedType', name: { kind: 'Name', value: 'RatingSet' } },
                  selectionSet: {
                    kind: 'SelectionSet',
                    selections: [
                      { kind: 'FragmentSpread', name: { kind: 'Name', value: 'RatingSetFields' } },
                    ],
                  },
                },
                { kind: 'FragmentSpread', name: { kind: 'Name', value: 'RefusalFields' } },
              ],
            },
          },
        ],
      },
    },
    {
      kind: 'FragmentDefinition',
      name: { kind: 'Name', value: 'RatingSetFields' },
      typeCondition: { kind: 'NamedType', name: { kind: 'Name', value: 'RatingSet' } },
      selectionSet: {
        kind: 'SelectionSet',
        selections: [
          { kind: 'Field', name: { kind: 'Name', value: 'id' } },
          { kind: 'Field', name: { kind: 'Name', value: 'project' } },
          { kind: 'Field', name: { kind: 'Name', value: 'name' } },
          { kind: 'Field', name: { kind: 'Name', value: 'kind' } },
          { kind: 'Field', name: { kind: 'Name', value: 'instructions' } },
          {
            kind: 'Field',
            name: { kind: 'Name', value: 'criteria' },
            selectionSet: {
              kind: 'SelectionSet',
              selections: [
                { kind: 'Field', name: { kind: 'Name', value: 'name' } },
                { kind: 'Field', name: { kind: 'Name', value: 'question' } },
                { kind: 'Field', name: { kind: 'Name', value: 'scale' } },
                { kind: 'Field', name: { kind: 'Name', value: 'low' } },
                { kind: 'Field', name: { kind: 'Name', value: 'high' } },
              ],
            },
          },
          { kind: 'Field', name: { kind: 'Name', value: 'size' } },
          { kind: 'Field', name: { kind: 'Name', value: 'createdBy' } },
          { kind: 'Field', name: { kind: 'Name', value: 'keyId' } },
          { kind: 'Field', name: { kind: 'Name', value: 'createdAt' } },
          { kind: 'Field', name: { kind: 'Name', value: 'closedAt' } },
          { kind: 'Field', name: { kind: 'Name', value: 'closedBy' } },
          { kind: 'Field', name: { kind: 'Name', value: 'seed' } },
          {
            kind: 'Field',
            name: { kind: 'Name', value: 'sources' },
            selectionSet: {
              kind: 'SelectionSet',
              selections: [
                { kind: 'Field', name: { kind: 'Name', value: 'runId' } },
                { kind: 'Field', name: { kind: 'Name', value: 'runName' } },
                { kind: 'Field', name: { kind: 'Name', value: 'fromStep' } },
                { kind: 'Field', name: { kind: 'Name', value: 'toStep' } },
                { kind: 'Field', name: { kind: 'Name', value: 'split' } },
                { kind: 'Field', name: { kind: 'Name', value: 'available' } },
                { kind: 'Field', name: { kind: 'Name', value: 'taken' } },
              ],
            },
          },
          {
            kind: 'Field',
            name: { kind: 'Name', value: 'progress' },
            selectionSet: {
              kind: 'SelectionSet',
              selections: [
                { kind: 'Field', name: { kind: 'Name', value: 'name' } },
                { kind: 'Field', name: { kind: 'Name', value: 'rated' } },
                { kind: 'Field', name: { kind: 'Name', value: 'startedAt' } },
                { kind: 'Field', name: { kind: 'Name', value: 'finishedAt' } },
              ],
            },
          },
        ],
      },
    },
    {
      kind: 'FragmentDefinition',
      name: { kind: 'Name', value: 'RefusalFields' },
      typeCondition: { kind: 'NamedType', name: { kind: 'Name', value: 'Refusal' } },
      selectionSet: {
        kind: 'SelectionSet',
        selections: [
          { kind: 'Field', name: { kind: 'Name', value: 'code' } },
          { kind: 'Field', name: { kind: 'Name', value: 'message' } },
          { kind: 'Field', name: { kind: 'Name', value: 'remedy' } },
          {
            kind: 'InlineFragment',
            typeCondition: { kind: 'NamedType', name: { kind: 'Name', value: 'InvalidInput' } },
            selectionSet: {
              kind: 'SelectionSet',
              selections: [{ kind: 'Field', name: { kind: 'Name', value: 'problems' } }],
            },
          },
          {
            kind: 'InlineFragment',
            typeCondition: { kind: 'NamedType', name: { kind: 'Name', value: 'WrongState' } },
            selectionSet: {
              kind: 'SelectionSet',
              selections: [{ kind: 'Field', name: { kind: 'Name', value: 'state' } }],
            },
          },
        ],
      },
    },
  ],
} as unknown as DocumentNode<CreateRatingSetMutation, CreateRatingSetMutationVariables>;
export const RateItemDocument = {
  kind: 'Document',
  definitions: [
    {
      kind: 'OperationDefinition',
      operation: 'mutation',
      name: { kind: 'Name', value: 'RateItem' },
      variableDefinitions: [
        {
          kind: 'VariableDefinition',
          variable: { kind: 'Variable', name: { kind: 'Name', value: 'input' } },
          type: {
            kind: 'NonNullType',
            type: { kind: 'NamedType', name: { kind: 'Name', value: 'RateItemInput' } },
          },
        },
      ],
      selectionSet: {
        kind: 'SelectionSet',
        selections: [
          {
            kind: 'Field',
            name: { kind: 'Name', value: 'rateItem' },
            arguments: [
              {
                kind: 'Argument',
                name: { kind: 'Name', value: 'input' },
                value: { kind: 'Variable', name: { kind: 'Name', value: 'input' } },
              },
            ],
            selectionSet: {
              kind: 'SelectionSet',
              selections: [
                { kind: 'Field', name: { kind: 'Name', value: '__typename' } },
                {
                  kind: 'InlineFragment',
                  typeCondition: { kind: 'NamedType', name: { kind: 'Name', value: 'RatingTaskItem' } },
                  selectionSet: {
                    kind: 'SelectionSet',
                    selections: [{ kind: 'FragmentSpread', name: { kind: 'Name', value: 'TaskItemFields' } }],
                  },
                },
                { kind: 'FragmentSpread', name: { kind: 'Name', value: 'RefusalFields' } },
              ],
            },
          },
        ],
      },
    },
    {
      kind: 'FragmentDefinition',
      name: { kind: 'Name', value: 'TaskItemFields' },
      typeCondition: { kind: 'NamedType', name: { kind: 'Name', value: 'RatingTaskItem' } },
      selectionSet: {
        kind: 'SelectionSet',
        selections: [
          { kind: 'Field', name: { kind: 'Name', value: 'position' } },
          { kind: 'Field', name: { kind: 'Name', value: 'isRated' } },
          { kind: 'Field', name: { kind: 'Name', value: 'choice' } },
          {
            kind: 'Field',
            name: { kind: 'Name', value: 'scores' },
            selectionSet: {
              kind: 'SelectionSet',
              selections: [
                { kind: 'Field', name: { kind: 'Name', value: 'criterion' } },
                { kind: 'Field', name: { kind: 'Name', value: 'value' } },
              ],
            },
          },
          { kind: 'Field', name: { kind: 'Name', value: 'reason' } },
        ],
      },
    },
    {
      kind: 'FragmentDefinition',
      name: { kind: 'Name', value: 'RefusalFields' },
      typeCondition: { kind: 'NamedType', name: { kind: 'Name', value: 'Refusal' } },
      selectionSet: {
        kind: 'SelectionSet',
        selections: [
          { kind: 'Field', name: { kind: 'Name', value: 'code' } },
          { kind: 'Field', name: { kind: 'Name', value: 'message' } },
          { kind: 'Field', name: { kind: 'Name', value: 'remedy' } },
          {
            kind: 'InlineFragment',
            typeCondition: { kind: 'NamedType', name: { kind: 'Name', value: 'InvalidInput' } },
            selectionSet: {
              kind: 'SelectionSet',
              selections: [{ kind: 'Field', name: { kind: 'Name', value: 'problems' } }],
            },
          },
          {
            kind: 'InlineFragment',
            typeCondition: { kind: 'NamedType', name: { kind: 'Name', value: 'WrongState' } },
            selectionSet: {
              kind: 'SelectionSet',
              selections: [{ kind: 'Field', name: { kind: 'Name', value: 'state' } }],
            },
          },
        ],
      },
    },
  ],
} as unknown as DocumentNode<RateItemMutation, RateItemMutationVariables>;
export const UndoRatingDocument = {
  kind: 'Document',
  definitions: [
    {
      kind: 'OperationDefinition',
      operation: 'mutation',
      name: { kind: 'Name', value: 'UndoRating' },
      variableDefinitions: [
        {
          kind: 'VariableDefinition',
          variable: { kind: 'Variable', name: { kind: 'Name', value: 'input' } },
          type: {
            kind: 'NonNullType',
            type: { kind: 'NamedType', name: { kind: 'Name', value: 'UndoRatingInput' } },
          },
        },
      ],
      selectionSet: {
        kind: 'SelectionSet',
        selections: [
          {
            kind: 'Field',
            name: { kind: 'Name', value: 'undoRating' },
            arguments: [
              {
                kind: 'Argument',
                name: { kind: 'Name', value: 'input' },
                value: { kind: 'Variable', name: { kind: 'Name', value: 'input' } },
              },
            ],
            selectionSet: {
              kind: 'SelectionSet',
              selections: [
                { kind: 'Field', name: { kind: 'Name', value: '__typename' } },
                {
                  kind: 'InlineFragment',
                  typeCondition: { kind: 'NamedType', name: { kind: 'Name', value: 'RatingTaskItem' } },
                  selectionSet: {
                    kind: 'SelectionSet',
                    selections: [{ kind: 'FragmentSpread', name: { kind: 'Name', value: 'TaskItemFields' } }],
                  },
                },
                { kind: 'FragmentSpread', name: { kind: 'Name', value: 'RefusalFields' } },
              ],
            },
          },
        ],
      },
    },
    {
      kind: 'FragmentDefinition',
      name: { kind: 'Name', value: 'TaskItemFields' },
      typeCondition: { kind: 'NamedType', name: { kind: 'Name', value: 'RatingTaskItem' } },
      selectionSet: {
        kind: 'SelectionSet',
        selections: [
          { kind: 'Field', name: { kind: 'Name', value: 'position' } },
          { kind: 'Field', name: { kind: 'Name', value: 'isRated' } },
          { kind: 'Field', name: { kind: 'Name', value: 'choice' } },
          {
            kind: 'Field',
            name: { kind: 'Name', value: 'scores' },
            selectionSet: {
              kind: 'SelectionSet',
              selections: [
                { kind: 'Field', name: { kind: 'Name', value: 'criterion' } },
                { kind: 'Field', name: { kind: 'Name', value: 'value' } },
              ],
            },
          },
          { kind: 'Field', name: { kind: 'Name', value: 'reason' } },
        ],
      },
    },
    {
      kind: 'FragmentDefinition',
      name: { kind: 'Name', value: 'RefusalFields' },
      typeCondition: { kind: 'NamedType', name: { kind: 'Name', value: 'Refusal' } },
      selectionSet: {
        kind: 'SelectionSet',
        selections: [
          { kind: 'Field', name: { kind: 'Name', value: 'code' } },
          { kind: 'Field', name: { kind: 'Name', value: 'message' } },
          { kind: 'Field', name: { kind: 'Name', value: 'remedy' } },
          {
            kind: 'InlineFragment',
            typeCondition: { kind: 'NamedType', name: { kind: 'Name', value: 'InvalidInput' } },
            selectionSet: {
              kind: 'SelectionSet',
              selections: [{ kind: 'Field', name: { kind: 'Name', value: 'problems' } }],
            },
          },
          {
            kind: 'InlineFragment',
            typeCondition: { kind: 'NamedType', name: { kind: 'Name', value: 'WrongState' } },
            selectionSet: {
              kind: 'SelectionSet',
              selections: [{ kind: 'Field', name: { kind: 'Name', value: 'state' } }],
            },
          },
        ],
      },
    },
  ],
} as unknown as DocumentNode<UndoRatingMutation, UndoRatingMutationVariables>;
export const FinishRatingDocument = {
  kind: 'Document',
  definitions: [
    {
      kind: 'OperationDefinition',
      operation: 'mutation',
      name: { kind: 'Name', value: 'FinishRating' },
      variableDefinitions: [
        {
          kind: 'VariableDefinition',
          variable: { kind: 'Variable', name: { kind: 'Name', value: 'input' } },
          type: {
            kind: 'NonNullType',
            type: { kind: 'NamedType', name: { kind: 'Name', value: 'FinishRatingInput' } },
          },
        },
      ],
      selectionSet: {
        kind: 'SelectionSet',
        selections: [
          {
            kind: 'Field',
            name: { kind: 'Name', value: 'finishRating' },
            arguments: [
              {
                kind: 'Argument',
                name: { kind: 'Name', value: 'input' },
                value: { kind: 'Variable', name: { kind: 'Name', value: 'input' } },
              },
            ],
            selectionSet: {
              kind: 'SelectionSet',
              selections: [
                { kind: 'Field', name: { kind: 'Name', value: '__typename' } },
                {
                  kind: 'InlineFragment',
                  typeCondition: { kind: 'NamedType', name: { kind: 'Name', value: 'RatingSet' } },
                  selectionSet: {
                    kind: 'SelectionSet',
                    selections: [
                      { kind: 'FragmentSpread', name: { kind: 'Name', value: 'RatingSetFields' } },
                    ],
                  },
                },
                { kind: 'FragmentSpread', name: { kind: 'Name', value: 'RefusalFields' } },
              ],
            },
          },
        ],
      },
    },
    {
      kind: 'FragmentDefinition',
      name: { kind: 'Name', value: 'RatingSetFields' },
      typeCondition: { kind: 'NamedType', name: { kind: 'Name', value: 'RatingSet' } },
      selectionSet: {
        kind: 'SelectionSet',
        selections: [
          { kind: 'Field', name: { kind: 'Name', value: 'id' } },
          { kind: 'Field', name: { kind: 'Name', value: 'project' } },
          { kind: 'Field', name: { kind: 'Name', value: 'name' } },
          { kind: 'Field', name: { kind: 'Name', value: 'kind' } },
          { kind: 'Field', name: { kind: 'Name', value: 'instructions' } },
          {
            kind: 'Field',
            name: { kind: 'Name', value: 'criteria' },
            selectionSet: {
              kind: 'SelectionSet',
              selections: [
                { kind: 'Field', name: { kind: 'Name', value: 'name' } },
                { kind: 'Field', name: { kind: 'Name', value: 'question' } },
                { kind: 'Field', name: { kind: 'Name', value: 'scale' } },
                { kind: 'Field', name: { kind: 'Name', value: 'low' } },
                { kind: 'Field', name: { kind: 'Name', value: 'high' } },
              ],
            },
          },
          { kind: 'Field', name: { kind: 'Name', value: 'size' } },
          { kind: 'Field', name: { kind: 'Name', value: 'createdBy' } },
          { kind: 'Field', name: { kind: 'Name', value: 'keyId' } },
          { kind: 'Field', name: { kind: 'Name', value: 'createdAt' } },
          { kind: 'Field', name: { kind: 'Name', value: 'closedAt' } },
          { kind: 'Field', name: { kind: 'Name', value: 'closedBy' } },
          { kind: 'Field', name: { kind: 'Name', value: 'seed' } },
          {
            kind: 'Field',
            name: { kind: 'Name', value: 'sources' },
            selectionSet: {
              kind: 'SelectionSet',
              selections: [
                { kind: 'Field', name: { kind: 'Name', value: 'runId' } },
                { kind: 'Field', name: { kind: 'Name', value: 'runName' } },
                { kind: 'Field', name: { kind: 'Name', value: 'fromStep' } },
                { kind: 'Field', name: { kind: 'Name', value: 'toStep' } },
                { kind: 'Field', name: { kind: 'Name', value: 'split' } },
                { kind: 'Field', name: { kind: 'Name', value: 'available' } },
                { kind: 'Field', name: { kind: 'Name', value: 'taken' } },
              ],
            },
          },
          {
            kind: 'Field',
            name: { kind: 'Name', value: 'progress' },
            selectionSet: {
              kind: 'SelectionSet',
              selections: [
                { kind: 'Field', name: { kind: 'Name', value: 'name' } },
                { kind: 'Field', name: { kind: 'Name', value: 'rated' } },
                { kind: 'Field', name: { kind: 'Name', value: 'startedAt' } },
                { kind: 'Field', name: { kind: 'Name', value: 'finishedAt' } },
              ],
            },
          },
        ],
      },
    },
    {
      kind: 'FragmentDefinition',
      name: { kind: 'Name', value: 'RefusalFields' },
      typeCondition: { kind: 'NamedType', name: { kind: 'Name', value: 'Refusal' } },
      selectionSet: {
        kind: 'SelectionSet',
        selections: [
          { kind: 'Field', name: { kind: 'Name', value: 'code' } },
          { kind: 'Field', name: { kind: 'Name', value: 'message' } },
          { kind: 'Field', name: { kind: 'Name', value: 'remedy' } },
          {
            kind: 'InlineFragment',
            typeCondition: { kind: 'NamedType', name: { kind: 'Name', value: 'InvalidInput' } },
            selectionSet: {
              kind: 'SelectionSet',
              selections: [{ kind: 'Field', name: { kind: 'Name', value: 'problems' } }],
            },
          },
          {
            kind: 'InlineFragment',
            typeCondition: { kind: 'NamedType', name: { kind: 'Name', value: 'WrongState' } },
            selectionSet: {
              kind: 'SelectionSet',
              selections: [{ kind: 'Field', name: { kind: 'Name', value: 'state' } }],
            },
          },
        ],
      },
    },
  ],
} as unknown as DocumentNode<FinishRatingMutation, FinishRatingMutationVariables>;
export const CloseRatingSetDocument = {
  kind: 'Document',
  definitions: [
    {
      kind: 'OperationDefinition',
      operation: 'mutation',
      name: { kind: 'Name', value: 'CloseRatingSet' },
      variableDefinitions: [
        {
          kind: 'VariableDefinition',
          variable: { kind: 'Variable', name: { kind: 'Name', value: 'input' } },
          type: {
            kind: 'NonNullType',
            type: { kind: 'NamedType', name: { kind: 'Name', value: 'CloseRatingSetInput' } },
          },
        },
      ],
      selectionSet: {
        kind: 'SelectionSet',
        selections: [
          {
            kind: 'Field',
            name: { kind: 'Name', value: 'closeRatingSet' },
            arguments: [
              {
                kind: 'Argument',
                name: { kind: 'Name', value: 'input' },
                value: { kind: 'Variable', name: { kind: 'Name', value: 'input' } },
              },
            ],
            selectionSet: {
              kind: 'SelectionSet',
              selections: [
                { kind: 'Field', name: { kind: 'Name', value: '__typename' } },
                {
                  kind: 'InlineFragment',
                  typeCondition: { kind: 'NamedType', name: { kind: 'Name', value: 'RatingSet' } },
                  selectionSet: {
                    kind: 'SelectionSet',
                    selections: [
                      { kind: 'FragmentSpread', name: { kind: 'Name', value: 'RatingSetFields' } },
                    ],
                  },
                },
                { kind: 'FragmentSpread', name: { kind: 'Name', value: 'RefusalFields' } },
              ],
            },
          },
        ],
      },
    },
    {
      kind: 'FragmentDefinition',
      name: { kind: 'Name', value: 'RatingSetFields' },
      typeCondition: { kind: 'NamedType', name: { kind: 'Name', value: 'RatingSet' } },
      selectionSet: {
        kind: 'SelectionSet',
        selections: [
          { kind: 'Field', name: { kind: 'Name', value: 'id' } },
          { kind: 'Field', name: { kind: 'Name', value: 'project' } },
          { kind: 'Field', name: { kind: 'Name', value: 'name' } },
          { kind: 'Field', name: { kind: 'Name', value: 'kind' } },
          { kind: 'Field', name: { kind: 'Name', value: 'instructions' } },
          {
            kind: 'Field',
            name: { kind: 'Name', value: 'criteria' },
            selectionSet: {
              kind: 'SelectionSet',
              selections: [
                { kind: 'Field', name: { kind: 'Name', value: 'name' } },
                { kind: 'Field', name: { kind: 'Name', value: 'question' } },
                { kind: 'Field', name: { kind: 'Name', value: 'scale' } },
                { kind: 'Field', name: { kind: 'Name', value: 'low' } },
                { kind: 'Field', name: { kind: 'Name', value: 'high' } },
              ],
            },
          },
          { kind: 'Field', name: { kind: 'Name', value: 'size' } },
          { kind: 'Field', name: { kind: 'Name', value: 'createdBy' } },
          { kind: 'Field', name: { kind: 'Name', value: 'keyId' } },
          { kind: 'Field', name: { kind: 'Name', value: 'createdAt' } },
          { kind: 'Field', name: { kind: 'Name', value: 'closedAt' } },
          { kind: 'Field', name: { kind: 'Name', value: 'closedBy' } },
          { kind: 'Field', name: { kind: 'Name', value: 'seed' } },
          {
            kind: 'Field',
            name: { kind: 'Name', value: 'sources' },
            selectionSet: {
              kind: 'SelectionSet',
              selections: [
                { kind: 'Field', name: { kind: 'Name', value: 'runId' } },
                { kind: 'Field', name: { kind: 'Name', value: 'runName' } },
                { kind: 'Field', name: { kind: 'Name', value: 'fromStep' } },
                { kind: 'Field', name: { kind: 'Name', value: 'toStep' } },
                { kind: 'Field', name: { kind: 'Name', value: 'split' } },
                { kind: 'Field', name: { kind: 'Name', value: 'available' } },
                { kind: 'Field', name: { kind: 'Name', value: 'taken' } },
              ],
            },
          },
          {
            kind: 'Field',
            name: { kind: 'Name', value: 'progress' },
            selectionSet: {
              kind: 'SelectionSet',
              selections: [
                { kind: 'Field', name: { kind: 'Name', value: 'name' } },
                { kind: 'Field', name: { kind: 'Name', value: 'rated' } },
                { kind: 'Field', name: { kind: 'Name', value: 'startedAt' } },
                { kind: 'Field', name: { kind: 'Name', value: 'finishedAt' } },
              ],
            },
          },
        ],
      },
    },
    {
      kind: 'FragmentDefinition',
      name: { kind: 'Name', value: 'RefusalFields' },
      typeCondition: { kind: 'NamedType', name: { kind: 'Name', value: 'Refusal' } },
      selectionSet: {
        kind: 'SelectionSet',
        selections: [
          { kind: 'Field', name: { kind: 'Name', value: 'code' } },
          { kind: 'Field', name: { kind: 'Name', value: 'message' } },
          { kind: 'Field', name: { kind: 'Name', value: 'remedy' } },
          {
            kind: 'InlineFragment',
            typeCondition: { kind: 'NamedType', name: { kind: 'Name', value: 'InvalidInput' } },
            selectionSet: {
              kind: 'SelectionSet',
              selections: [{ kind: 'Field', name: { kind: 'Name', value: 'problems' } }],
            },
          },
          {
            kind: 'InlineFragment',
            typeCondition: { kind: 'NamedType', name: { kind: 'Name', value: 'WrongState' } },
            selectionSet: {
              kind: 'SelectionSet',
              selections: [{ kind: 'Field', name: { kind: 'Name', value: 'state' } }],
            },
          },
        ],
      },
    },
  ],
} as unknown as DocumentNode<CloseRatingSetMutation, CloseRatingSetMutationVariables>;
export const DeleteRatingSetDocument = {
  kind: 'Document',
  definitions: [
    {
      kind: 'OperationDefinition',
      operation: 'mutation',
      name: { kind: 'Name', value: 'DeleteRatingSet' },
      variableDefinitions: [
        {
          kind: 'VariableDefinition',
          variable: { kind: 'Variable', name: { kind: 'Name', value: 'input' } },
          type: {
            kind: 'NonNullType',
            type: { kind: 'NamedType', name: { kind: 'Name', value: 'DeleteRatingSetInput' } },
          },
        },
      ],
      selectionSet: {
        kind: 'SelectionSet',
        selections: [
          {
            kind: 'Field',
            name: { kind: 'Name', value: 'deleteRatingSet' },
            arguments: [
              {
                kind: 'Argument',
                name: { kind: 'Name', value: 'input' },
                value: { kind: 'Variable', name: { kind: 'Name', value: 'input' } },
              },
            ],
            selectionSet: {
              kind: 'SelectionSet',
              selections: [
                { kind: 'Field', name: { kind: 'Name', value: '__typename' } },
                {
                  kind: 'InlineFragment',
                  typeCondition: { kind: 'NamedType', name: { kind: 'Name', value: 'RatingSet' } },
                  selectionSet: {
                    kind: 'SelectionSet',
                    selections: [
                      { kind: 'FragmentSpread', name: { kind: 'Name', value: 'RatingSetFields' } },
                    ],
                  },
                },
                { kind: 'FragmentSpread', name: { kind: 'Name', value: 'RefusalFields' } },
              ],
            },
          },
        ],
      },
    },
    {
      kind: 'FragmentDefinition',
      name: { kind: 'Name', value: 'RatingSetFields' },
      typeCondition: { kind: 'NamedType', name: { kind: 'Name', value: 'RatingSet' } },
      selectionSet: {
        kind: 'SelectionSet',
        selections: [
          { kind: 'Field', name: { kind: 'Name', value: 'id' } },
          { kind: 'Field', name: { kind: 'Name', value: 'project' } },
          { kind: 'Field', name: { kind: 'Name', value: 'name' } },
          { kind: 'Field', name: { kind: 'Name', value: 'kind' } },
          { kind: 'Field', name: { kind: 'Name', value: 'instructions' } },
          {
            kind: 'Field',
            name: { kind: 'Name', value: 'criteria' },
            selectionSet: {
              kind: 'SelectionSet',
              selections: [
                { kind: 'Field', name: { kind: 'Name', value: 'name' } },
                { kind: 'Field', name: { kind: 'Name', value: 'question' } },
                { kind: 'Field', name: { kind: 'Name', value: 'scale' } },
                { kind: 'Field', name: { kind: 'Name', value: 'low' } },
                { kind: 'Field', name: { kind: 'Name', value: 'high' } },
              ],
            },
          },
          { kind: 'Field', name: { kind: 'Name', value: 'size' } },
          { kind: 'Field', name: { kind: 'Name', value: 'createdBy' } },
          { kind: 'Field', name: { kind: 'Name', value: 'keyId' } },
          { kind: 'Field', name: { kind: 'Name', value: 'createdAt' } },
          { kind: 'Field', name: { kind: 'Name', value: 'closedAt' } },
          { kind: 'Field', name: { kind: 'Name', value: 'closedBy' } },
          { kind: 'Field', name: { kind: 'Name', value: 'seed' } },
          {
            kind: 'Field',
            name: { kind: 'Name', value: 'sources' },
            selectionSet: {
              kind: 'SelectionSet',
              selections: [
                { kind: 'Field', name: { kind: 'Name', value: 'runId' } },
                { kind: 'Field', name: { kind: 'Name', value: 'runName' } },
                { kind: 'Field', name: { kind: 'Name', value: 'fromStep' } },
                { kind: 'Field', name: { kind: 'Name', value: 'toStep' } },
                { kind: 'Field', name: { kind: 'Name', value: 'split' } },
                { kind: 'Field', name: { kind: 'Name', value: 'available' } },
                { kind: 'Field', name: { kind: 'Name', value: 'taken' } },
              ],
            },
          },
          {
            kind: 'Field',
            name: { kind: 'Name', value: 'progress' },
            selectionSet: {
              kind: 'SelectionSet',
              selections: [
                { kind: 'Field', name: { kind: 'Name', value: 'name' } },
                { kind: 'Field', name: { kind: 'Name', value: 'rated' } },
                { kind: 'Field', name: { kind: 'Name', value: 'startedAt' } },
                { kind: 'Field', name: { kind: 'Name', value: 'finishedAt' } },
              ],
            },
          },
        ],
      },
    },
    {
      kind: 'FragmentDefinition',
      name: { kind: 'Name', value: 'RefusalFields' },
      typeCondition: { kind: 'NamedType', name: { kind: 'Name', value: 'Refusal' } },
      selectionSet: {
        kind: 'SelectionSet',
        selections: [
          { kind: 'Field', name: { kind: 'Name', value: 'code' } },
          { kind: 'Field', name: { kind: 'Name', value: 'message' } },
          { kind: 'Field', name: { kind: 'Name', value: 'remedy' } },
          {
            kind: 'InlineFragment',
            typeCondition: { kind: 'NamedType', name: { kind: 'Name', value: 'InvalidInput' } },
            selectionSet: {
              kind: 'SelectionSet',
              selections: [{ kind: 'Field', name: { kind: 'Name', value: 'problems' } }],
            },
          },
          {
            kind: 'InlineFragment',
            typeCondition: { kind: 'NamedType', name: { kind: 'Name', value: 'WrongState' } },
            selectionSet: {
              kind: 'SelectionSet',
              selections: [{ kind: 'Field', name: { kind: 'Name', value: 'state' } }],
            },
          },
        ],
      },
    },
  ],
} as unknown as DocumentNode<DeleteRatingSetMutation, DeleteRatingSetMutationVariables>;
export const WatchRatingSetsDocument = {
  kind: 'Document',
  definitions: [
    {
      kind: 'OperationDefinition',
      operation: 'subscription',
      name: { kind: 'Name', value: 'WatchRatingSets' },
      variableDefinitions: [
        {
          kind: 'VariableDefinition',
          variable: { kind: 'Variable', name: { kind: 'Name', value: 'id' } },
          type: { kind: 'NamedType', name: { kind: 'Name', value: 'ID' } },
        },
      ],
      selectionSet: {
        kind: 'SelectionSet',
        selections: [
          {
            kind: 'Field',
            name: { kind: 'Name', value: 'ratingSetChanged' },
            arguments: [
              {
                kind: 'Argument',
                name: { kind: 'Name', value: 'id' },
                value: { kind: 'Variable', name: { kind: 'Name', value: 'id' } },
              },
            ],
            selectionSet: {
              kind: 'SelectionSet',
              selections: [{ kind: 'Field', name: { kind: 'Name', value: 'id' } }],
            },
          },
        ],
      },
    },
  ],
} as unknown as DocumentNode<WatchRatingSetsSubscription, WatchRatingSetsSubscriptionVariables>;
export const ListRunsDocument = {
  kind: 'Document',
  definitions: [
    {
      kind: 'OperationDefinition',
      operation: 'query',
      name: { kind: 'Name', value: 'ListRuns' },
      variableDefinitions: [
        {
          kind: 'VariableDefinition',
          variable: { kind: 'Variable', name: { kind: 'Name', value: 'first' } },
          type: { kind: 'NamedType', name: { kind: 'Name', value: 'Int' } },
        },
        {
          kind: 'VariableDefinition',
          variable: { kind: 'Variable', name: { kind: 'Name', value: 'after' } },
          type: { kind: 'NamedType', name: { kind: 'Name', value: 'String' } },
        },
        {
          kind: 'VariableDefinition',
          variable: { kind: 'Variable', name: { kind: 'Name', value: 'last' } },
          type: { kind: 'NamedType', name: { kind: 'Name', value: 'Int' } },
        },
        {
          kind: 'VariableDefinition',
          variable: { kind: 'Variable', name: { kind: 'Name', value: 'before' } },
          type: { kind: 'NamedType', name: { kind: 'Name', value: 'String' } },
        },
        {
          kind: 'VariableDefinition',
          variable: { kind: 'Variable', name: { kind: 'Name', value: 'filter' } },
          type: { kind: 'NamedType', name: { kind: 'Name', value: 'RunFilter' } },
        },
        {
          kind: 'VariableDefinition',
          variable: { kind: 'Variable', name: { kind: 'Name', value: 'orderBy' } },
          type: { kind: 'NamedType', name: { kind: 'Name', value: 'RunOrder' } },
        },
      ],
      selectionSet: {
        kind: 'SelectionSet',
        selections: [
          {
            kind: 'Field',
            name: { kind: 'Name', value: 'runs' },
            arguments: [
              {
                kind: 'Argument',
                name: { kind: 'Name', value: 'first' },
                value: { kind: 'Variable', name: { kind: 'Name', value: 'first' } },
              },
              {
                kind: 'Argument',
                name: { kind: 'Name', value: 'after' },
                value: { kind: 'Variable', name: { kind: 'Name', value: 'after' } },
              },
              {
                kind: 'Argument',
                name: { kind: 'Name', value: 'last' },
                value: { kind: 'Variable', name: { kind: 'Name', value: 'last' } },
              },
              {
                kind: 'Argument',
                name: { kind: 'Name', value: 'before' },
                value: { kind: 'Variable', name: { kind: 'Name', value: 'before' } },
              },
              {
                kind: 'Argument',
                name: { kind: 'Name', value: 'filter' },
                value: { kind: 'Variable', name: { kind: 'Name', value: 'filter' } },
              },
              {
                kind: 'Argument',
                name: { kind: 'Name', value: 'orderBy' },
                value: { kind: 'Variable', name: { kind: 'Name', value: 'orderBy' } },
              },
            ],
            selectionSet: {
              kind: 'SelectionSet',
              selections: [
                {
                  kind: 'Field',
                  name: { kind: 'Name', value: 'nodes' },
                  selectionSet: {
                    kind: 'SelectionSet',
                    selections: [{ kind: 'FragmentSpread', name: { kind: 'Name', value: 'RunFields' } }],
                  },
                },
                {
                  kind: 'Field',
                  name: { kind: 'Name', value: 'pageInfo' },
                  selectionSet: {
                    kind: 'SelectionSet',
                    selections: [{ kind: 'FragmentSpread', name: { kind: 'Name', value: 'PageFields' } }],
                  },
                },
              ],
            },
          },
        ],
      },
    },
    {
      kind: 'FragmentDefinition',
      name: { kind: 'Name', value: 'RunFields' },
      typeCondition: { kind: 'NamedType', name: { kind: 'Name', value: 'Run' } },
      selectionSet: {
        kind: 'SelectionSet',
        selections: [
          { kind: 'Field', name: { kind: 'Name', value: 'id' } },
          { kind: 'Field', name: { kind: 'Name', value: 'project' } },
          { kind: 'Field', name: { kind: 'Name', value: 'name' } },
          { kind: 'Field', name: { kind: 'Name', value: 'title' } },
          { kind: 'Field', name: { kind: 'Name', value: 'state' } },
          { kind: 'Field', name: { kind: 'Name', value: 'message' } },
          { kind: 'Field', name: { kind: 'Name', value: 'priority' } },
          { kind: 'Field', name: { kind: 'Name', value: 'tags' } },
          { kind: 'Field', name: { kind: 'Name', value: 'group' } },
          { kind: 'Field', name: { kind: 'Name', value: 'note' } },
          { kind: 'Field', name: { kind: 'Name', value: 'step' } },
          { kind: 'Field', name: { kind: 'Name', value: 'steps' } },
          { kind: 'Field', name: { kind: 'Name', value: 'latest' } },
          { kind: 'Field', name: { kind: 'Name', value: 'health' } },
          { kind: 'Field', name: { kind: 'Name', value: 'warnings' } },
          { kind: 'Field', name: { kind: 'Name', value: 'head' } },
          { kind: 'Field', name: { kind: 'Name', value: 'createdAt' } },
          { kind: 'Field', name: { kind: 'Name', value: 'createdBy' } },
          { kind: 'Field', name: { kind: 'Name', value: 'startedAt' } },
          { kind: 'Field', name: { kind: 'Name', value: 'endedAt' } },
          { kind: 'Field', name: { kind: 'Name', value: 'parentRunId' } },
          { kind: 'Field', name: { kind: 'Name', value: 'parentStep' } },
          { kind: 'Field', name: { kind: 'Name', value: 'continues' } },
          { kind: 'Field', name: { kind: 'Name', value: 'host' } },
          { kind: 'Field', name: { kind: 'Name', value: 'imported' } },
          { kind: 'Field', name: { kind: 'Name', value: 'specHash' } },
        ],
      },
    },
    {
      kind: 'FragmentDefinition',
      name: { kind: 'Name', value: 'PageFields' },
      typeCondition: { kind: 'NamedType', name: { kind: 'Name', value: 'PageInfo' } },
      selectionSet: {
        kind: 'SelectionSet',
        selections: [
          { kind: 'Field', name: { kind: 'Name', value: 'startCursor' } },
          { kind: 'Field', name: { kind: 'Name', value: 'endCursor' } },
          { kind: 'Field', name: { kind: 'Name', value: 'hasNextPage' } },
          { kind: 'Field', name: { kind: 'Name', value: 'hasPreviousPage' } },
        ],
      },
    },
  ],
} as unknown as DocumentNode<ListRunsQuery, ListRunsQueryVariables>;
export const ReadTwinDocument = {
  kind: 'Document',
  definitions: [
    {
      kind: 'OperationDefinition',
      operation: 'query',
      name: { kind: 'Name', value: 'ReadTwin' },
      variableDefinitions: [
        {
          kind: 'VariableDefinition',
          variable: { kind: 'Variable', name: { kind: 'Name', value: 'id' } },
          type: { kind: 'NonNullType', type: { kind: 'NamedType', name: { kind: 'Name', value: 'ID' } } },
        },
      ],
      selectionSet: {
        kind: 'SelectionSet',
        selections: [
          {
            kind: 'Field',
            name: { kind: 'Name', value: 'run' },
            arguments: [
              {
                kind: 'Argument',
                name: { kind: 'Name', value: 'id' },
                value: { kind: 'Variable', name: { kind: 'Name', value: 'id' } },
              },
            ],
            selectionSet: {
              kind: 'SelectionSet',
              selections: [
                {
                  kind: 'Field',
                  name: { kind: 'Name', value: 'twin' },
                  selectionSet: {
                    kind: 'SelectionSet',
                    selections: [
                      { kind: 'Field', name: { kind: 'Name', value: 'state' } },
                      { kind: 'Field', name: { kind: 'Name', value: 'fromStep' } },
                      { kind: 'Field', name: { kind: 'Name', value: 'upToStep' } },
                      { kind: 'Field', name: { kind: 'Name', value: 'values' } },
                      { kind: 'Field', name: { kind: 'Name', value: 'files' } },
                      { kind: 'Field', name: { kind: 'Name', value: 'differsAtStep' } },
                      { kind: 'Field', name: { kind: 'Name', value: 'differsIn' } },
                      { kind: 'Field', name: { kind: 'Name', value: 'parentValue' } },
                      { kind: 'Field', name: { kind: 'Name', value: 'twinValue' } },
                      { kind: 'Field', name: { kind: 'Name', value: 'message' } },
                    ],
                  },
                },
              ],
            },
          },
        ],
      },
    },
  ],
} as unknown as DocumentNode<ReadTwinQuery, ReadTwinQueryVariables>;
export const ShowRunDocument = {
  kind: 'Document',
  definitions: [
    {
      kind: 'OperationDefinition',
      operation: 'query',
      name: { kind: 'Name', value: 'ShowRun' },
      variableDefinitions: [
        {
          kind: 'VariableDefinition',
          variable: { kind: 'Variable', name: { kind: 'Name', value: 'id' } },
          type: { kind: 'NonNullType', type: { kind: 'NamedType', name: { kind: 'Name', value: 'ID' } } },
        },
      ],
      selectionSet: {
        kind: 'SelectionSet',
        selections: [
          {
            kind: 'Field',
            name: { kind: 'Name', value: 'run' },
            arguments: [
              {
                kind: 'Argument',
                name: { kind: 'Name', value: 'id' },
                value: { kind: 'Variable', name: { kind: 'Name', value: 'id' } },
              },
            ],
            selectionSet: {
              kind: 'SelectionSet',
              selections: [{ kind: 'FragmentSpread', name: { kind: 'Name', value: 'RunDetails' } }],
            },
          },
        ],
      },
    },
    {
      kind: 'FragmentDefinition',
      name: { kind: 'Name', value: 'RunFields' },
      typeCondition: { kind: 'NamedType', name: { kind: 'Name', value: 'Run' } },
      selectionSet: {
        kind: 'SelectionSet',
        selections: [
          { kind: 'Field', name: { kind: 'Name', value: 'id' } },
          { kind: 'Field', name: { kind: 'Name', value: 'project' } },
          { kind: 'Field', name: { kind: 'Name', value: 'name' } },
          { kind: 'Field', name: { kind: 'Name', value: 'title' } },
          { kind: 'Field', name: { kind: 'Name', value: 'state' } },
          { kind: 'Field', name: { kind: 'Name', value: 'message' } },
          { kind: 'Field', name: { kind: 'Name', value: 'priority' } },
          { kind: 'Field', name: { kind: 'Name', value: 'tags' } },
          { kind: 'Field', name: { kind: 'Name', value: 'group' } },
          { kind: 'Field', name: { kind: 'Name', value: 'note' } },
          { kind: 'Field', name: { kind: 'Name', value: 'step' } },
          { kind: 'Field', name: { kind: 'Name', value: 'steps' } },
          { kind: 'Field', name: { kind: 'Name', value: 'latest' } },
          { kind: 'Field', name: { kind: 'Name', value: 'health' } },
          { kind: 'Field', name: { kind: 'Name', value: 'warnings' } },
          { kind: 'Field', name: { kind: 'Name', value: 'head' } },
          { kind: 'Field', name: { kind: 'Name', value: 'createdAt' } },
          { kind: 'Field', name: { kind: 'Name', value: 'createdBy' } },
          { kind: 'Field', name: { kind: 'Name', value: 'startedAt' } },
          { kind: 'Field', name: { kind: 'Name', value: 'endedAt' } },
          { kind: 'Field', name: { kind: 'Name', value: 'parentRunId' } },
          { kind: 'Field', name: { kind: 'Name', value: 'parentStep' } },
          { kind: 'Field', name: { kind: 'Name', value: 'continues' } },
          { kind: 'Field', name: { kind: 'Name', value: 'host' } },
          { kind: 'Field', name: { kind: 'Name', value: 'imported' } },
          { kind: 'Field', name: { kind: 'Name', value: 'specHash' } },
        ],
      },
    },
    {
      kind: 'FragmentDefinition',
      name: { kind: 'Name', value: 'PluginFields' },
      typeCondition: { kind: 'NamedType', name: { kind: 'Name', value: 'PluginVersion' } },
      selectionSet: {
        kind: 'SelectionSet',
        selections: [
          { kind: 'Field', name: { kind: 'Name', value: 'kind' } },
          { kind: 'Field', name: { kind: 'Name', value: 'id' } },
          { kind: 'Field', name: { kind: 'Name', value: 'version' } },
          { kind: 'Field', name: { kind: 'Name', value: 'sha256' } },
          { kind: 'Field', name: { kind: 'Name', value: 'isExternal' } },
        ],
      },
    },
    {
      kind: 'FragmentDefinition',
      name: { kind: 'Name', value: 'NeedsFields' },
      typeCondition: { kind: 'NamedType', name: { kind: 'Name', value: 'JobNeeds' } },
      selectionSet: {
        kind: 'SelectionSet',
        selections: [
          { kind: 'Field', name: { kind: 'Name', value: 'kind' } },
          { kind: 'Field', name: { kind: 'Name', value: 'count' } },
          { kind: 'Field', name: { kind: 'Name', value: 'memoryMb' } },
          { kind: 'Field', name: { kind: 'Name', value: 'labels' } },
        ],
      },
    },
    {
      kind: 'FragmentDefinition',
      name: { kind: 'Name', value: 'ResultFields' },
      typeCondition: { kind: 'NamedType', name: { kind: 'Name', value: 'EvaluationResult' } },
      selectionSet: {
        kind: 'SelectionSet',
        selections: [
          { kind: 'Field', name: { kind: 'Name', value: 'model' } },
          { kind: 'Field', name: { kind: 'Name', value: 'environment' } },
          { kind: 'Field', name: { kind: 'Name', value: 'episodes' } },
          { kind: 'Field', name: { kind: 'Name', value: 'failed' } },
          { kind: 'Field', name: { kind: 'Name', value: 'successRate' } },
          { kind: 'Field', name: { kind: 'Name', value: 'successLow' } },
          { kind: 'Field', name: { kind: 'Name', value: 'successHigh' } },
          { kind: 'Field', name: { kind: 'Name', value: 'metrics' } },
          {
            kind: 'Field',
            name: { kind: 'Name', value: 'tags' },
            selectionSet: {
              kind: 'SelectionSet',
              selections: [
                { kind: 'Field', name: { kind: 'Name', value: 'tag' } },
                { kind: 'Field', name: { kind: 'Name', value: 'environment' } },
                { kind: 'Field', name: { kind: 'Name', value: 'trained' } },
                { kind: 'Field', name: { kind: 'Name', value: 'episodes' } },
                { kind: 'Field', name: { kind: 'Name', value: 'failed' } },
                { kind: 'Field', name: { kind: 'Name', value: 'successRate' } },
                { kind: 'Field', name: { kind: 'Name', value: 'successLow' } },
                { kind: 'Field', name: { kind: 'Name', value: 'successHigh' } },
                { kind: 'Field', name: { kind: 'Name', value: 'error' } },
              ],
            },
          },
          {
            kind: 'Field',
            name: { kind: 'Name', value: 'outcomes' },
            selectionSet: {
              kind: 'SelectionSet',
              selections: [
                { kind: 'Field', name: { kind: 'Name', value: 'stateSeed' } },
                { kind: 'Field', name: { kind: 'Name', value: 'success' } },
                { kind: 'Field', name: { kind: 'Name', value: 'total' } },
                { kind: 'Field', name: { kind: 'Name', value: 'stopReason' } },
                { kind: 'Field', name: { kind: 'Name', value: 'turns' } },
                { kind: 'Field', name: { kind: 'Name', value: 'actions' } },
                { kind: 'Field', name: { kind: 'Name', value: 'formatShare' } },
              ],
            },
          },
        ],
      },
    },
    {
      kind: 'FragmentDefinition',
      name: { kind: 'Name', value: 'JobFields' },
      typeCondition: { kind: 'NamedType', name: { kind: 'Name', value: 'Job' } },
      selectionSet: {
        kind: 'SelectionSet',
        selections: [
          { kind: 'Field', name: { kind: 'Name', value: 'id' } },
          { kind: 'Field', name: { kind: 'Name', value: 'runId' } },
          { kind: 'Field', name: { kind: 'Name', value: 'kind' } },
          { kind: 'Field', name: { kind: 'Name', value: 'state' } },
          { kind: 'Field', name: { kind: 'Name', value: 'message' } },
          { kind: 'Field', name: { kind: 'Name', value: 'priority' } },
          {
            kind: 'Field',
            name: { kind: 'Name', value: 'needs' },
            selectionSet: {
              kind: 'SelectionSet',
              selections: [{ kind: 'FragmentSpread', name: { kind: 'Name', value: 'NeedsFields' } }],
            },
          },
          { kind: 'Field', name: { kind: 'Name', value: 'createdAt' } },
          { kind: 'Field', name: { kind: 'Name', value: 'queuedAt' } },
          { kind: 'Field', name: { kind: 'Name', value: 'startedAt' } },
          { kind: 'Field', name: { kind: 'Name', value: 'endedAt' } },
          { kind: 'Field', name: { kind: 'Name', value: 'failures' } },
          {
            kind: 'Field',
            name: { kind: 'Name', value: 'result' },
            selectionSet: {
              kind: 'SelectionSet',
              selections: [{ kind: 'FragmentSpread', name: { kind: 'Name', value: 'ResultFields' } }],
            },
          },
        ],
      },
    },
    {
      kind: 'FragmentDefinition',
      name: { kind: 'Name', value: 'PageFields' },
      typeCondition: { kind: 'NamedType', name: { kind: 'Name', value: 'PageInfo' } },
      selectionSet: {
        kind: 'SelectionSet',
        selections: [
          { kind: 'Field', name: { kind: 'Name', value: 'startCursor' } },
          { kind: 'Field', name: { kind: 'Name', value: 'endCursor' } },
          { kind: 'Field', name: { kind: 'Name', value: 'hasNextPage' } },
          { kind: 'Field', name: { kind: 'Name', value: 'hasPreviousPage' } },
        ],
      },
    },
    {
      kind: 'FragmentDefinition',
      name: { kind: 'Name', value: 'JobsPage' },
      typeCondition: { kind: 'NamedType', name: { kind: 'Name', value: 'JobConnection' } },
      selectionSet: {
        kind: 'SelectionSet',
        selections: [
          {
            kind: 'Field',
            name: { kind: 'Name', value: 'nodes' },
            selectionSet: {
              kind: 'SelectionSet',
              selections: [
                { kind: 'FragmentSpread', name: { kind: 'Name', value: 'JobFields' } },
                { kind: 'Field', name: { kind: 'Name', value: 'whyWaiting' } },
              ],
            },
          },
          {
            kind: 'Field',
            name: { kind: 'Name', value: 'pageInfo' },
            selectionSet: {
              kind: 'SelectionSet',
              selections: [{ kind: 'FragmentSpread', name: { kind: 'Name', value: 'PageFields' } }],
            },
          },
        ],
      },
    },
    {
      kind: 'FragmentDefinition',
      name: { kind: 'Name', value: 'AttemptFields' },
      typeCondition: { kind: 'NamedType', name: { kind: 'Name', value: 'Attempt' } },
      selectionSet: {
        kind: 'SelectionSet',
        selections: [
          { kind: 'Field', name: { kind: 'Name', value: 'id' } },
          { kind: 'Field', name: { kind: 'Name', value: 'jobId' } },
          { kind: 'Field', name: { kind: 'Name', value: 'number' } },
          { kind: 'Field', name: { kind: 'Name', value: 'state' } },
          { kind: 'Field', name: { kind: 'Name', value: 'workerName' } },
          { kind: 'Field', name: { kind: 'Name', value: 'host' } },
          { kind: 'Field', name: { kind: 'Name', value: 'devices' } },
          {
            kind: 'Field',
            name: { kind: 'Name', value: 'hardware' },
            selectionSet: {
              kind: 'SelectionSet',
              selections: [
                { kind: 'Field', name: { kind: 'Name', value: 'id' } },
                { kind: 'Field', name: { kind: 'Name', value: 'kind' } },
                { kind: 'Field', name: { kind: 'Name', value: 'name' } },
                { kind: 'Field', name: { kind: 'Name', value: 'threads' } },
                { kind: 'Field', name: { kind: 'Name', value: 'memoryMb' } },
              ],
            },
          },
          { kind: 'Field', name: { kind: 'Name', value: 'pid' } },
          { kind: 'Field', name: { kind: 'Name', value: 'startStep' } },
          { kind: 'Field', name: { kind: 'Name', value: 'step' } },
          { kind: 'Field', name: { kind: 'Name', value: 'assignedAt' } },
          { kind: 'Field', name: { kind: 'Name', value: 'startedAt' } },
          { kind: 'Field', name: { kind: 'Name', value: 'endedAt' } },
          { kind: 'Field', name: { kind: 'Name', value: 'exitCode' } },
          { kind: 'Field', name: { kind: 'Name', value: 'signal' } },
          { kind: 'Field', name: { kind: 'Name', value: 'verdict' } },
          { kind: 'Field', name: { kind: 'Name', value: 'message' } },
        ],
      },
    },
    {
      kind: 'FragmentDefinition',
      name: { kind: 'Name', value: 'AttemptsPage' },
      typeCondition: { kind: 'NamedType', name: { kind: 'Name', value: 'AttemptConnection' } },
      selectionSet: {
        kind: 'SelectionSet',
        selections: [
          {
            kind: 'Field',
            name: { kind: 'Name', value: 'nodes' },
            selectionSet: {
              kind: 'SelectionSet',
              selections: [{ kind: 'FragmentSpread', name: { kind: 'Name', value: 'AttemptFields' } }],
            },
          },
          {
            kind: 'Field',
            name: { kind: 'Name', value: 'pageInfo' },
            selectionSet: {
              kind: 'SelectionSet',
              selections: [{ kind: 'FragmentSpread', name: { kind: 'Name', value: 'PageFields' } }],
            },
          },
        ],
      },
    },
    {
      kind: 'FragmentDefinition',
      name: { kind: 'Name', value: 'RunDetails' },
      typeCondition: { kind: 'NamedType', name: { kind: 'Name', value: 'Run' } },
      selectionSet: {
        kind: 'SelectionSet',
        selections: [
          { kind: 'FragmentSpread', name: { kind: 'Name', value: 'RunFields' } },
          { kind: 'Field', name: { kind: 'Name', value: 'spec' } },
          { kind: 'Field', name: { kind: 'Name', value: 'source' } },
          { kind: 'Field', name: { kind: 'Name', value: 'overrides' } },
          {
            kind: 'Field',
            name: { kind: 'Name', value: 'versions' },
            selectionSet: {
              kind: 'SelectionSet',
              selections: [
                { kind: 'Field', name: { kind: 'Name', value: 'name' } },
                { kind: 'Field', name: { kind: 'Name', value: 'version' } },
              ],
            },
          },
          {
            kind: 'Field',
            name: { kind: 'Name', value: 'plugins' },
            selectionSet: {
              kind: 'SelectionSet',
              selections: [{ kind: 'FragmentSpread', name: { kind: 'Name', value: 'PluginFields' } }],
            },
          },
          { kind: 'Field', name: { kind: 'Name', value: 'gitRevision' } },
          {
            kind: 'Field',
            name: { kind: 'Name', value: 'jobs' },
            arguments: [
              {
                kind: 'Argument',
                name: { kind: 'Name', value: 'first' },
                value: { kind: 'IntValue', value: '100' },
              },
            ],
            selectionSet: {
              kind: 'SelectionSet',
              selections: [{ kind: 'FragmentSpread', name: { kind: 'Name', value: 'JobsPage' } }],
            },
          },
          {
            kind: 'Field',
            name: { kind: 'Name', value: 'attempts' },
            arguments: [
              {
                kind: 'Argument',
                name: { kind: 'Name', value: 'first' },
                value: { kind: 'IntValue', value: '100' },
              },
            ],
            selectionSet: {
              kind: 'SelectionSet',
              selections: [{ kind: 'FragmentSpread', name: { kind: 'Name', value: 'AttemptsPage' } }],
            },
          },
        ],
      },
    },
  ],
} as unknown as DocumentNode<ShowRunQuery, ShowRunQueryVariables>;
export const ListJobsOfRunDocument = {
  kind: 'Document',
  definitions: [
    {
      kind: 'OperationDefinition',
      operation: 'query',
      name: { kind: 'Name', value: 'ListJobsOfRun' },
      variableDefinitions: [
        {
          kind: 'VariableDefinition',
          variable: { kind: 'Variable', name: { kind: 'Name', value: 'id' } },
          type: { kind: 'NonNullType', type: { kind: 'NamedType', name: { kind: 'Name', value: 'ID' } } },
        },
        {
          kind: 'VariableDefinition',
          variable: { kind: 'Variable', name: { kind: 'Name', value: 'after' } },
          type: { kind: 'NamedType', name: { kind: 'Name', value: 'String' } },
        },
      ],
      selectionSet: {
        kind: 'SelectionSet',
        selections: [
          {
            kind: 'Field',
            name: { kind: 'Name', value: 'run' },
            arguments: [
              {
                kind: 'Argument',
                name: { kind: 'Name', value: 'id' },
                value: { kind: 'Variable', name: { kind: 'Name', value: 'id' } },
              },
            ],
            selectionSet: {
              kind: 'SelectionSet',
              selections: [
                {
                  kind: 'Field',
                  name: { kind: 'Name', value: 'jobs' },
                  arguments: [
                    {
                      kind: 'Argument',
                      name: { kind: 'Name', value: 'first' },
                      value: { kind: 'IntValue', value: '100' },
                    },
                    {
                      kind: 'Argument',
                      name: { kind: 'Name', value: 'after' },
                      value: { kind: 'Variable', name: { kind: 'Name', value: 'after' } },
                    },
                  ],
                  selectionSet: {
                    kind: 'SelectionSet',
                    selections: [{ kind: 'FragmentSpread', name: { kind: 'Name', value: 'JobsPage' } }],
                  },
                },
              ],
            },
          },
        ],
      },
    },
    {
      kind: 'FragmentDefinition',
      name: { kind: 'Name', value: 'NeedsFields' },
      typeCondition: { kind: 'NamedType', name: { kind: 'Name', value: 'JobNeeds' } },
      selectionSet: {
        kind: 'SelectionSet',
        selections: [
          { kind: 'Field', name: { kind: 'Name', value: 'kind' } },
          { kind: 'Field', name: { kind: 'Name', value: 'count' } },
          { kind: 'Field', name: { kind: 'Name', value: 'memoryMb' } },
          { kind: 'Field', name: { kind: 'Name', value: 'labels' } },
        ],
      },
    },
    {
      kind: 'FragmentDefinition',
      name: { kind: 'Name', value: 'ResultFields' },
      typeCondition: { kind: 'NamedType', name: { kind: 'Name', value: 'EvaluationResult' } },
      selectionSet: {
        kind: 'SelectionSet',
        selections: [
          { kind: 'Field', name: { kind: 'Name', value: 'model' } },
          { kind: 'Field', name: { kind: 'Name', value: 'environment' } },
          { kind: 'Field', name: { kind: 'Name', value: 'episodes' } },
          { kind: 'Field', name: { kind: 'Name', value: 'failed' } },
          { kind: 'Field', name: { kind: 'Name', value: 'successRate' } },
          { kind: 'Field', name: { kind: 'Name', value: 'successLow' } },
          { kind: 'Field', name: { kind: 'Name', value: 'successHigh' } },
          { kind: 'Field', name: { kind: 'Name', value: 'metrics' } },
          {
            kind: 'Field',
            name: { kind: 'Name', value: 'tags' },
            selectionSet: {
              kind: 'SelectionSet',
              selections: [
                { kind: 'Field', name: { kind: 'Name', value: 'tag' } },
                { kind: 'Field', name: { kind: 'Name', value: 'environment' } },
                { kind: 'Field', name: { kind: 'Name', value: 'trained' } },
                { kind: 'Field', name: { kind: 'Name', value: 'episodes' } },
                { kind: 'Field', name: { kind: 'Name', value: 'failed' } },
                { kind: 'Field', name: { kind: 'Name', value: 'successRate' } },
                { kind: 'Field', name: { kind: 'Name', value: 'successLow' } },
                { kind: 'Field', name: { kind: 'Name', value: 'successHigh' } },
                { kind: 'Field', name: { kind: 'Name', value: 'error' } },
              ],
            },
          },
          {
            kind: 'Field',
            name: { kind: 'Name', value: 'outcomes' },
            selectionSet: {
              kind: 'SelectionSet',
              selections: [
                { kind: 'Field', name: { kind: 'Name', value: 'stateSeed' } },
                { kind: 'Field', name: { kind: 'Name', value: 'success' } },
                { kind: 'Field', name: { kind: 'Name', value: 'total' } },
                { kind: 'Field', name: { kind: 'Name', value: 'stopReason' } },
                { kind: 'Field', name: { kind: 'Name', value: 'turns' } },
                { kind: 'Field', name: { kind: 'Name', value: 'actions' } },
                { kind: 'Field', name: { kind: 'Name', value: 'formatShare' } },
              ],
            },
          },
        ],
      },
    },
    {
      kind: 'FragmentDefinition',
      name: { kind: 'Name', value: 'JobFields' },
      typeCondition: { kind: 'NamedType', name: { kind: 'Name', value: 'Job' } },
      selectionSet: {
        kind: 'SelectionSet',
        selections: [
          { kind: 'Field', name: { kind: 'Name', value: 'id' } },
          { kind: 'Field', name: { kind: 'Name', value: 'runId' } },
          { kind: 'Field', name: { kind: 'Name', value: 'kind' } },
          { kind: 'Field', name: { kind: 'Name', value: 'state' } },
          { kind: 'Field', name: { kind: 'Name', value: 'message' } },
          { kind: 'Field', name: { kind: 'Name', value: 'priority' } },
          {
            kind: 'Field',
            name: { kind: 'Name', value: 'needs' },
            selectionSet: {
              kind: 'SelectionSet',
              selections: [{ kind: 'FragmentSpread', name: { kind: 'Name', value: 'NeedsFields' } }],
            },
          },
          { kind: 'Field', name: { kind: 'Name', value: 'createdAt' } },
          { kind: 'Field', name: { kind: 'Name', value: 'queuedAt' } },
          { kind: 'Field', name: { kind: 'Name', value: 'startedAt' } },
          { kind: 'Field', name: { kind: 'Name', value: 'endedAt' } },
          { kind: 'Field', name: { kind: 'Name', value: 'failures' } },
          {
            kind: 'Field',
            name: { kind: 'Name', value: 'result' },
            selectionSet: {
              kind: 'SelectionSet',
              selections: [{ kind: 'FragmentSpread', name: { kind: 'Name', value: 'ResultFields' } }],
            },
          },
        ],
      },
    },
    {
      kind: 'FragmentDefinition',
      name: { kind: 'Name', value: 'PageFields' },
      typeCondition: { kind: 'NamedType', name: { kind: 'Name', value: 'PageInfo' } },
      selectionSet: {
        kind: 'SelectionSet',
        selections: [
          { kind: 'Field', name: { kind: 'Name', value: 'startCursor' } },
          { kind: 'Field', name: { kind: 'Name', value: 'endCursor' } },
          { kind: 'Field', name: { kind: 'Name', value: 'hasNextPage' } },
          { kind: 'Field', name: { kind: 'Name', value: 'hasPreviousPage' } },
        ],
      },
    },
    {
      kind: 'FragmentDefinition',
      name: { kind: 'Name', value: 'JobsPage' },
      typeCondition: { kind: 'NamedType', name: { kind: 'Name', value: 'JobConnection' } },
      selectionSet: {
        kind: 'SelectionSet',
        selections: [
          {
            kind: 'Field',
            name: { kind: 'Name', value: 'nodes' },
            selectionSet: {
              kind: 'SelectionSet',
              selections: [
                { kind: 'FragmentSpread', name: { kind: 'Name', value: 'JobFields' } },
                { kind: 'Field', name: { kind: 'Name', value: 'whyWaiting' } },
              ],
            },
          },
          {
            kind: 'Field',
            name: { kind: 'Name', value: 'pageInfo' },
            selectionSet: {
              kind: 'SelectionSet',
              selections: [{ kind: 'FragmentSpread', name: { kind: 'Name', value: 'PageFields' } }],
            },
          },
        ],
      },
    },
  ],
} as unknown as DocumentNode<ListJobsOfRunQuery, ListJobsOfRunQueryVariables>;
export const ListAttemptsOfRunDocument = {
  kind: 'Document',
  definitions: [
    {
      kind: 'OperationDefinition',
      operation: 'query',
      name: { kind: 'Name', value: 'ListAttemptsOfRun' },
      variableDefinitions: [
        {
          kind: 'VariableDefinition',
          variable: { kind: 'Variable', name: { kind: 'Name', value: 'id' } },
          type: { kind: 'NonNullType', type: { kind: 'NamedType', name: { kind: 'Name', value: 'ID' } } },
        },
        {
          kind: 'VariableDefinition',
          variable: { kind: 'Variable', name: { kind: 'Name', value: 'after' } },
          type: { kind: 'NamedType', name: { kind: 'Name', value: 'String' } },
        },
      ],
      selectionSet: {
        kind: 'SelectionSet',
        selections: [
          {
            kind: 'Field',
            name: { kind: 'Name', value: 'run' },
            arguments: [
              {
                kind: 'Argument',
                name: { kind: 'Name', value: 'id' },
                value: { kind: 'Variable', name: { kind: 'Name', value: 'id' } },
              },
            ],
            selectionSet: {
              kind: 'SelectionSet',
              selections: [
                {
                  kind: 'Field',
                  name: { kind: 'Name', value: 'attempts' },
                  arguments: [
                    {
                      kind: 'Argument',
                      name: { kind: 'Name', value: 'first' },
                      value: { kind: 'IntValue', value: '100' },
                    },
                    {
                      kind: 'Argument',
                      name: { kind: 'Name', value: 'after' },
                      value: { kind: 'Variable', name: { kind: 'Name', value: 'after' } },
                    },
                  ],
                  selectionSet: {
                    kind: 'SelectionSet',
                    selections: [{ kind: 'FragmentSpread', name: { kind: 'Name', value: 'AttemptsPage' } }],
                  },
                },
              ],
            },
          },
        ],
      },
    },
    {
      kind: 'FragmentDefinition',
      name: { kind: 'Name', value: 'AttemptFields' },
      typeCondition: { kind: 'NamedType', name: { kind: 'Name', value: 'Attempt' } },
      selectionSet: {
        kind: 'SelectionSet',
        selections: [
          { kind: 'Field', name: { kind: 'Name', value: 'id' } },
          { kind: 'Field', name: { kind: 'Name', value: 'jobId' } },
          { kind: 'Field', name: { kind: 'Name', value: 'number' } },
          { kind: 'Field', name: { kind: 'Name', value: 'state' } },
          { kind: 'Field', name: { kind: 'Name', value: 'workerName' } },
          { kind: 'Field', name: { kind: 'Name', value: 'host' } },
          { kind: 'Field', name: { kind: 'Name', value: 'devices' } },
          {
            kind: 'Field',
            name: { kind: 'Name', value: 'hardware' },
            selectionSet: {
              kind: 'SelectionSet',
              selections: [
                { kind: 'Field', name: { kind: 'Name', value: 'id' } },
                { kind: 'Field', name: { kind: 'Name', value: 'kind' } },
                { kind: 'Field', name: { kind: 'Name', value: 'name' } },
                { kind: 'Field', name: { kind: 'Name', value: 'threads' } },
                { kind: 'Field', name: { kind: 'Name', value: 'memoryMb' } },
              ],
            },
          },
          { kind: 'Field', name: { kind: 'Name', value: 'pid' } },
          { kind: 'Field', name: { kind: 'Name', value: 'startStep' } },
          { kind: 'Field', name: { kind: 'Name', value: 'step' } },
          { kind: 'Field', name: { kind: 'Name', value: 'assignedAt' } },
          { kind: 'Field', name: { kind: 'Name', value: 'startedAt' } },
          { kind: 'Field', name: { kind: 'Name', value: 'endedAt' } },
          { kind: 'Field', name: { kind: 'Name', value: 'exitCode' } },
          { kind: 'Field', name: { kind: 'Name', value: 'signal' } },
          { kind: 'Field', name: { kind: 'Name', value: 'verdict' } },
          { kind: 'Field', name: { kind: 'Name', value: 'message' } },
        ],
      },
    },
    {
      kind: 'FragmentDefinition',
      name: { kind: 'Name', value: 'PageFields' },
      typeCondition: { kind: 'NamedType', name: { kind: 'Name', value: 'PageInfo' } },
      selectionSet: {
        kind: 'SelectionSet',
        selections: [
          { kind: 'Field', name: { kind: 'Name', value: 'startCursor' } },
          { kind: 'Field', name: { kind: 'Name', value: 'endCursor' } },
          { kind: 'Field', name: { kind: 'Name', value: 'hasNextPage' } },
          { kind: 'Field', name: { kind: 'Name', value: 'hasPreviousPage' } },
        ],
      },
    },
    {
      kind: 'FragmentDefinition',
      name: { kind: 'Name', value: 'AttemptsPage' },
      typeCondition: { kind: 'NamedType', name: { kind: 'Name', value: 'AttemptConnection' } },
      selectionSet: {
        kind: 'SelectionSet',
        selections: [
          {
            kind: 'Field',
            name: { kind: 'Name', value: 'nodes' },
            selectionSet: {
              kind: 'SelectionSet',
              selections: [{ kind: 'FragmentSpread', name: { kind: 'Name', value: 'AttemptFields' } }],
            },
          },
          {
            kind: 'Field',
            name: { kind: 'Name', value: 'pageInfo' },
            selectionSet: {
              kind: 'SelectionSet',
              selections: [{ kind: 'FragmentSpread', name: { kind: 'Name', value: 'PageFields' } }],
            },
          },
        ],
      },
    },
  ],
} as unknown as DocumentNode<ListAttemptsOfRunQuery, ListAttemptsOfRunQueryVariables>;
export const CreateRunDocument = {
  kind: 'Document',
  definitions: [
    {
      kind: 'OperationDefinition',
      operation: 'mutation',
      name: { kind: 'Name', value: 'CreateRun' },
      variableDefinitions: [
        {
          kind: 'VariableDefinition',
          variable: { kind: 'Variable', name: { kind: 'Name', value: 'input' } },
          type: {
            kind: 'NonNullType',
            type: { kind: 'NamedType', name: { kind: 'Name', value: 'CreateRunInput' } },
          },
        },
      ],
      selectionSet: {
        kind: 'SelectionSet',
        selections: [
          {
            kind: 'Field',
            name: { kind: 'Name', value: 'createRun' },
            arguments: [
              {
                kind: 'Argument',
                name: { kind: 'Name', value: 'input' },
                value: { kind: 'Variable', name: { kind: 'Name', value: 'input' } },
              },
            ],
            selectionSet: {
              kind: 'SelectionSet',
              selections: [
                { kind: 'Field', name: { kind: 'Name', value: '__typename' } },
                { kind: 'FragmentSpread', name: { kind: 'Name', value: 'RunFields' } },
                { kind: 'FragmentSpread', name: { kind: 'Name', value: 'RefusalFields' } },
              ],
            },
          },
        ],
      },
    },
    {
      kind: 'FragmentDefinition',
      name: { kind: 'Name', value: 'RunFields' },
      typeCondition: { kind: 'NamedType', name: { kind: 'Name', value: 'Run' } },
      selectionSet: {
        kind: 'SelectionSet',
        selections: [
          { kind: 'Field', name: { kind: 'Name', value: 'id' } },
          { kind: 'Field', name: { kind: 'Name', value: 'project' } },
          { kind: 'Field', name: { kind: 'Name', value: 'name' } },
          { kind: 'Field', name: { kind: 'Name', value: 'title' } },
          { kind: 'Field', name: { kind: 'Name', value: 'state' } },
          { kind: 'Field', name: { kind: 'Name', value: 'message' } },
          { kind: 'Field', name: { kind: 'Name', value: 'priority' } },
          { kind: 'Field', name: { kind: 'Name', value: 'tags' } },
          { kind: 'Field', name: { kind: 'Name', value: 'group' } },
          { kind: 'Field', name: { kind: 'Name', value: 'note' } },
          { kind: 'Field', name: { kind: 'Name', value: 'step' } },
          { kind: 'Field', name: { kind: 'Name', value: 'steps' } },
          { kind: 'Field', name: { kind: 'Name', value: 'latest' } },
          { kind: 'Field', name: { kind: 'Name', value: 'health' } },
          { kind: 'Field', name: { kind: 'Name', value: 'warnings' } },
          { kind: 'Field', name: { kind: 'Name', value: 'head' } },
          { kind: 'Field', name: { kind: 'Name', value: 'createdAt' } },
          { kind: 'Field', name: { kind: 'Name', value: 'createdBy' } },
          { kind: 'Field', name: { kind: 'Name', value: 'startedAt' } },
          { kind: 'Field', name: { kind: 'Name', value: 'endedAt' } },
          { kind: 'Field', name: { kind: 'Name', value: 'parentRunId' } },
          { kind: 'Field', name: { kind: 'Name', value: 'parentStep' } },
          { kind: 'Field', name: { kind: 'Name', value: 'continues' } },
          { kind: 'Field', name: { kind: 'Name', value: 'host' } },
          { kind: 'Field', name: { kind: 'Name', value: 'imported' } },
          { kind: 'Field', name: { kind: 'Name', value: 'specHash' } },
        ],
      },
    },
    {
      kind: 'FragmentDefinition',
      name: { kind: 'Name', value: 'RefusalFields' },
      typeCondition: { kind: 'NamedType', name: { kind: 'Name', value: 'Refusal' } },
      selectionSet: {
        kind: 'SelectionSet',
        selections: [
          { kind: 'Field', name: { kind: 'Name', value: 'code' } },
          { kind: 'Field', name: { kind: 'Name', value: 'message' } },
          { kind: 'Field', name: { kind: 'Name', value: 'remedy' } },
          {
            kind: 'InlineFragment',
            typeCondition: { kind: 'NamedType', name: { kind: 'Name', value: 'InvalidInput' } },
            selectionSet: {
              kind: 'SelectionSet',
              selections: [{ kind: 'Field', name: { kind: 'Name', value: 'problems' } }],
            },
          },
          {
            kind: 'InlineFragment',
            typeCondition: { kind: 'NamedType', name: { kind: 'Name', value: 'WrongState' } },
            selectionSet: {
              kind: 'SelectionSet',
              selections: [{ kind: 'Field', name: { kind: 'Name', value: 'state' } }],
            },
          },
        ],
      },
    },
  ],
} as unknown as DocumentNode<CreateRunMutation, CreateRunMutationVariables>;
export const PlanRunDocument = {
  kind: 'Document',
  definitions: [
    {
      kind: 'OperationDefinition',
      operation: 'mutation',
      name: { kind: 'Name', value: 'PlanRun' },
      variableDefinitions: [
        {
          kind: 'VariableDefinition',
          variable: { kind: 'Variable', name: { kind: 'Name', value: 'input' } },
          type: {
            kind: 'NonNullType',
            type: { kind: 'NamedType', name: { kind: 'Name', value: 'PlanRunInput' } },
          },
        },
      ],
      selectionSet: {
        kind: 'SelectionSet',
        selections: [
          {
            kind: 'Field',
            name: { kind: 'Name', value: 'planRun' },
            arguments: [
              {
                kind: 'Argument',
                name: { kind: 'Name', value: 'input' },
                value: { kind: 'Variable', name: { kind: 'Name', value: 'input' } },
              },
            ],
            selectionSet: {
              kind: 'SelectionSet',
              selections: [
                { kind: 'Field', name: { kind: 'Name', value: '__typename' } },
                { kind: 'FragmentSpread', name: { kind: 'Name', value: 'PlanFields' } },
                { kind: 'FragmentSpread', name: { kind: 'Name', value: 'RefusalFields' } },
              ],
            },
          },
        ],
      },
    },
    {
      kind: 'FragmentDefinition',
      name: { kind: 'Name', value: 'NeedsFields' },
      typeCondition: { kind: 'NamedType', name: { kind: 'Name', value: 'JobNeeds' } },
      selectionSet: {
        kind: 'SelectionSet',
        selections: [
          { kind: 'Field', name: { kind: 'Name', value: 'kind' } },
          { kind: 'Field', name: { kind: 'Name', value: 'count' } },
          { kind: 'Field', name: { kind: 'Name', value: 'memoryMb' } },
          { kind: 'Field', name: { kind: 'Name', value: 'labels' } },
        ],
      },
    },
    {
      kind: 'FragmentDefinition',
      name: { kind: 'Name', value: 'PluginFields' },
      typeCondition: { kind: 'NamedType', name: { kind: 'Name', value: 'PluginVersion' } },
      selectionSet: {
        kind: 'SelectionSet',
        selections: [
          { kind: 'Field', name: { kind: 'Name', value: 'kind' } },
          { kind: 'Field', name: { kind: 'Name', value: 'id' } },
          { kind: 'Field', name: { kind: 'Name', value: 'version' } },
          { kind: 'Field', name: { kind: 'Name', value: 'sha256' } },
          { kind: 'Field', name: { kind: 'Name', value: 'isExternal' } },
        ],
      },
    },
    {
      kind: 'FragmentDefinition',
      name: { kind: 'Name', value: 'PlanFields' },
      typeCondition: { kind: 'NamedType', name: { kind: 'Name', value: 'RunPlan' } },
      selectionSet: {
        kind: 'SelectionSet',
        selections: [
          { kind: 'Field', name: { kind: 'Name', value: 'name' } },
          { kind: 'Field', name: { kind: 'Name', value: 'project' } },
          { kind: 'Field', name: { kind: 'Name', value: 'spec' } },
          { kind: 'Field', name: { kind: 'Name', value: 'specHash' } },
          {
            kind: 'Field',
            name: { kind: 'Name', value: 'sources' },
            selectionSet: {
              kind: 'SelectionSet',
              selections: [
                { kind: 'Field', name: { kind: 'Name', value: 'path' } },
                { kind: 'Field', name: { kind: 'Name', value: 'source' } },
              ],
            },
          },
          {
            kind: 'Field',
            name: { kind: 'Name', value: 'derived' },
            selectionSet: {
              kind: 'SelectionSet',
              selections: [
                { kind: 'Field', name: { kind: 'Name', value: 'trajectoriesPerStep' } },
                { kind: 'Field', name: { kind: 'Name', value: 'keptGroupsPerStep' } },
                { kind: 'Field', name: { kind: 'Name', value: 'trajectoriesPerMiniBatch' } },
                { kind: 'Field', name: { kind: 'Name', value: 'optimizerStepsPerStep' } },
                { kind: 'Field', name: { kind: 'Name', value: 'optimizerSteps' } },
                { kind: 'Field', name: { kind: 'Name', value: 'episodes' } },
                {
                  kind: 'Field',
                  name: { kind: 'Name', value: 'tags' },
                  selectionSet: {
                    kind: 'SelectionSet',
                    selections: [
                      { kind: 'Field', name: { kind: 'Name', value: 'tag' } },
                      { kind: 'Field', name: { kind: 'Name', value: 'groups' } },
                      { kind: 'Field', name: { kind: 'Name', value: 'share' } },
                      { kind: 'Field', name: { kind: 'Name', value: 'trajectoriesPerStep' } },
                      { kind: 'Field', name: { kind: 'Name', value: 'keptGroupsPerStep' } },
                    ],
                  },
                },
              ],
            },
          },
          {
            kind: 'Field',
            name: { kind: 'Name', value: 'inert' },
            selectionSet: {
              kind: 'SelectionSet',
              selections: [
                { kind: 'Field', name: { kind: 'Name', value: 'path' } },
                { kind: 'Field', name: { kind: 'Name', value: 'reason' } },
                { kind: 'Field', name: { kind: 'Name', value: 'set' } },
              ],
            },
          },
          { kind: 'Field', name: { kind: 'Name', value: 'steps' } },
          {
            kind: 'Field',
            name: { kind: 'Name', value: 'needs' },
            selectionSet: {
              kind: 'SelectionSet',
              selections: [{ kind: 'FragmentSpread', name: { kind: 'Name', value: 'NeedsFields' } }],
            },
          },
          {
            kind: 'Field',
            name: { kind: 'Name', value: 'plugins' },
            selectionSet: {
              kind: 'SelectionSet',
              selections: [{ kind: 'FragmentSpread', name: { kind: 'Name', value: 'PluginFields' } }],
            },
          },
          { kind: 'Field', name: { kind: 'Name', value: 'warnings' } },
          {
            kind: 'Field',
            name: { kind: 'Name', value: 'estimate' },
            selectionSet: {
              kind: 'SelectionSet',
              selections: [
                { kind: 'Field', name: { kind: 'Name', value: 'parameters' } },
                {
                  kind: 'Field',
                  name: { kind: 'Name', value: 'graphs' },
                  selectionSet: {
                    kind: 'SelectionSet',
                    selections: [
                      { kind: 'Field', name: { kind: 'Name', value: 'name' } },
                      { kind: 'Field', name: { kind: 'Name', value: 'nodes' } },
                    ],
                  },
                },
                { kind: 'Field', name: { kind: 'Name', value: 'tokensPerStep' } },
                {
                  kind: 'Field',
                  name: { kind: 'Name', value: 'expected' },
                  selectionSet: {
                    kind: 'SelectionSet',
                    selections: [
                      { kind: 'Field', name: { kind: 'Name', value: 'turnsPerEpisode' } },
                      { kind: 'Field', name: { kind: 'Name', value: 'tokensPerEpisode' } },
                      { kind: 'Field', name: { kind: 'Name', value: 'sampledTokens' } },
                      { kind: 'Field', name: { kind: 'Name', value: 'trainedTokens' } },
                      { kind: 'Field', name: { kind: 'Name', value: 'paddingShare' } },
                      { kind: 'Field', name: { kind: 'Name', value: 'collectSeconds' } },
                      { kind: 'Field', name: { kind: 'Name', value: 'updateSeconds' } },
                      { kind: 'Field', name: { kind: 'Name', value: 'secondsPerStep' } },
                      { kind: 'Field', name: { kind: 'Name', value: 'peakBytes' } },
                    ],
                  },
                },
                { kind: 'Field', name: { kind: 'Name', value: 'modelBytes' } },
                { kind: 'Field', name: { kind: 'Name', value: 'cacheBytes' } },
                { kind: 'Field', name: { kind: 'Name', value: 'activationBytes' } },
                { kind: 'Field', name: { kind: 'Name', value: 'checkpointBytes' } },
                { kind: 'Field', name: { kind: 'Name', value: 'checkpointsBytes' } },
                { kind: 'Field', name: { kind: 'Name', value: 'secondsPerStep' } },
                { kind: 'Field', name: { kind: 'Name', value: 'threads' } },
              ],
            },
          },
          { kind: 'Field', name: { kind: 'Name', value: 'estimateReason' } },
          { kind: 'Field', name: { kind: 'Name', value: 'parentRunId' } },
          { kind: 'Field', name: { kind: 'Name', value: 'parentStep' } },
          { kind: 'Field', name: { kind: 'Name', value: 'forkPath' } },
          { kind: 'Field', name: { kind: 'Name', value: 'continues' } },
          {
            kind: 'Field',
            name: { kind: 'Name', value: 'differences' },
            selectionSet: {
              kind: 'SelectionSet',
              selections: [
                { kind: 'Field', name: { kind: 'Name', value: 'path' } },
                { kind: 'Field', name: { kind: 'Name', value: 'values' } },
              ],
            },
          },
        ],
      },
    },
    {
      kind: 'FragmentDefinition',
      name: { kind: 'Name', value: 'RefusalFields' },
      typeCondition: { kind: 'NamedType', name: { kind: 'Name', value: 'Refusal' } },
      selectionSet: {
        kind: 'SelectionSet',
        selections: [
          { kind: 'Field', name: { kind: 'Name', value: 'code' } },
          { kind: 'Field', name: { kind: 'Name', value: 'message' } },
          { kind: 'Field', name: { kind: 'Name', value: 'remedy' } },
          {
            kind: 'InlineFragment',
            typeCondition: { kind: 'NamedType', name: { kind: 'Name', value: 'InvalidInput' } },
            selectionSet: {
              kind: 'SelectionSet',
              selections: [{ kind: 'Field', name: { kind: 'Name', value: 'problems' } }],
            },
          },
          {
            kind: 'InlineFragment',
            typeCondition: { kind: 'NamedType', name: { kind: 'Name', value: 'WrongState' } },
            selectionSet: {
              kind: 'SelectionSet',
              selections: [{ kind: 'Field', name: { kind: 'Name', value: 'state' } }],
            },
          },
        ],
      },
    },
  ],
} as unknown as DocumentNode<PlanRunMutation, PlanRunMutationVariables>;
export const PauseRunDocument = {
  kind: 'Document',
  definitions: [
    {
      kind: 'OperationDefinition',
      operation: 'mutation',
      name: { kind: 'Name', value: 'PauseRun' },
      variableDefinitions: [
        {
          kind: 'VariableDefinition',
          variable: { kind: 'Variable', name: { kind: 'Name', value: 'input' } },
          type: {
            kind: 'NonNullType',
            type: { kind: 'NamedType', name: { kind: 'Name', value: 'PauseRunInput' } },
          },
        },
      ],
      selectionSet: {
        kind: 'SelectionSet',
        selections: [
          {
            kind: 'Field',
            name: { kind: 'Name', value: 'pauseRun' },
            arguments: [
              {
                kind: 'Argument',
                name: { kind: 'Name', value: 'input' },
                value: { kind: 'Variable', name: { kind: 'Name', value: 'input' } },
              },
            ],
            selectionSet: {
              kind: 'SelectionSet',
              selections: [
                { kind: 'Field', name: { kind: 'Name', value: '__typename' } },
                { kind: 'FragmentSpread', name: { kind: 'Name', value: 'RunFields' } },
                { kind: 'FragmentSpread', name: { kind: 'Name', value: 'RefusalFields' } },
              ],
            },
          },
        ],
      },
    },
    {
      kind: 'FragmentDefinition',
      name: { kind: 'Name', value: 'RunFields' },
      typeCondition: { kind: 'NamedType', name: { kind: 'Name', value: 'Run' } },
      selectionSet: {
        kind: 'SelectionSet',
        selections: [
          { kind: 'Field', name: { kind: 'Name', value: 'id' } },
          { kind: 'Field', name: { kind: 'Name', value: 'project' } },
          { kind: 'Field', name: { kind: 'Name', value: 'name' } },
          { kind: 'Field', name: { kind: 'Name', value: 'title' } },
          { kind: 'Field', name: { kind: 'Name', value: 'state' } },
          { kind: 'Field', name: { kind: 'Name', value: 'message' } },
          { kind: 'Field', name: { kind: 'Name', value: 'priority' } },
          { kind: 'Field', name: { kind: 'Name', value: 'tags' } },
          { kind: 'Field', name: { kind: 'Name', value: 'group' } },
          { kind: 'Field', name: { kind: 'Name', value: 'note' } },
          { kind: 'Field', name: { kind: 'Name', value: 'step' } },
          { kind: 'Field', name: { kind: 'Name', value: 'steps' } },
          { kind: 'Field', name: { kind: 'Name', value: 'latest' } },
          { kind: 'Field', name: { kind: 'Name', value: 'health' } },
          { kind: 'Field', name: { kind: 'Name', value: 'warnings' } },
          { kind: 'Field', name: { kind: 'Name', value: 'head' } },
          { kind: 'Field', name: { kind: 'Name', value: 'createdAt' } },
          { kind: 'Field', name: { kind: 'Name', value: 'createdBy' } },
          { kind: 'Field', name: { kind: 'Name', value: 'startedAt' } },
          { kind: 'Field', name: { kind: 'Name', value: 'endedAt' } },
          { kind: 'Field', name: { kind: 'Name', value: 'parentRunId' } },
          { kind: 'Field', name: { kind: 'Name', value: 'parentStep' } },
          { kind: 'Field', name: { kind: 'Name', value: 'continues' } },
          { kind: 'Field', name: { kind: 'Name', value: 'host' } },
          { kind: 'Field', name: { kind: 'Name', value: 'imported' } },
          { kind: 'Field', name: { kind: 'Name', value: 'specHash' } },
        ],
      },
    },
    {
      kind: 'FragmentDefinition',
      name: { kind: 'Name', value: 'RefusalFields' },
      typeCondition: { kind: 'NamedType', name: { kind: 'Name', value: 'Refusal' } },
      selectionSet: {
        kind: 'SelectionSet',
        selections: [
          { kind: 'Field', name: { kind: 'Name', value: 'code' } },
          { kind: 'Field', name: { kind: 'Name', value: 'message' } },
          { kind: 'Field', name: { kind: 'Name', value: 'remedy' } },
          {
            kind: 'InlineFragment',
            typeCondition: { kind: 'NamedType', name: { kind: 'Name', value: 'InvalidInput' } },
            selectionSet: {
              kind: 'SelectionSet',
              selections: [{ kind: 'Field', name: { kind: 'Name', value: 'problems' } }],
            },
          },
          {
            kind: 'InlineFragment',
            typeCondition: { kind: 'NamedType', name: { kind: 'Name', value: 'WrongState' } },
            selectionSet: {
              kind: 'SelectionSet',
              selections: [{ kind: 'Field', name: { kind: 'Name', value: 'state' } }],
            },
          },
        ],
      },
    },
  ],
} as unknown as DocumentNode<PauseRunMutation, PauseRunMutationVariables>;
export const ResumeRunDocument = {
  kind: 'Document',
  definitions: [
    {
      kind: 'OperationDefinition',
      operation: 'mutation',
      name: { kind: 'Name', value: 'ResumeRun' },
      variableDefinitions: [
        {
          kind: 'VariableDefinition',
          variable: { kind: 'Variable', name: { kind: 'Name', value: 'input' } },
          type: {
            kind: 'NonNullType',
            type: { kind: 'NamedType', name: { kind: 'Name', value: 'ResumeRunInput' } },
          },
        },
      ],
      selectionSet: {
        kind: 'SelectionSet',
        selections: [
          {
            kind: 'Field',
            name: { kind: 'Name', value: 'resumeRun' },
            arguments: [
              {
                kind: 'Argument',
                name: { kind: 'Name', value: 'input' },
                value: { kind: 'Variable', name: { kind: 'Name', value: 'input' } },
              },
            ],
            selectionSet: {
              kind: 'SelectionSet',
              selections: [
                { kind: 'Field', name: { kind: 'Name', value: '__typename' } },
                { kind: 'FragmentSpread', name: { kind: 'Name', value: 'RunFields' } },
                { kind: 'FragmentSpread', name: { kind: 'Name', value: 'RefusalFields' } },
              ],
            },
          },
        ],
      },
    },
    {
      kind: 'FragmentDefinition',
      name: { kind: 'Name', value: 'RunFields' },
      typeCondition: { kind: 'NamedType', name: { kind: 'Name', value: 'Run' } },
      selectionSet: {
        kind: 'SelectionSet',
        selections: [
          { kind: 'Field', name: { kind: 'Name', value: 'id' } },
          { kind: 'Field', name: { kind: 'Name', value: 'project' } },
          { kind: 'Field', name: { kind: 'Name', value: 'name' } },
          { kind: 'Field', name: { kind: 'Name', value: 'title' } },
          { kind: 'Field', name: { kind: 'Name', value: 'state' } },
          { kind: 'Field', name: { kind: 'Name', value: 'message' } },
          { kind: 'Field', name: { kind: 'Name', value: 'priority' } },
          { kind: 'Field', name: { kind: 'Name', value: 'tags' } },
          { kind: 'Field', name: { kind: 'Name', value: 'group' } },
          { kind: 'Field', name: { kind: 'Name', value: 'note' } },
          { kind: 'Field', name: { kind: 'Name', value: 'step' } },
          { kind: 'Field', name: { kind: 'Name', value: 'steps' } },
          { kind: 'Field', name: { kind: 'Name', value: 'latest' } },
          { kind: 'Field', name: { kind: 'Name', value: 'health' } },
          { kind: 'Field', name: { kind: 'Name', value: 'warnings' } },
          { kind: 'Field', name: { kind: 'Name', value: 'head' } },
          { kind: 'Field', name: { kind: 'Name', value: 'createdAt' } },
          { kind: 'Field', name: { kind: 'Name', value: 'createdBy' } },
          { kind: 'Field', name: { kind: 'Name', value: 'startedAt' } },
          { kind: 'Field', name: { kind: 'Name', value: 'endedAt' } },
          { kind: 'Field', name: { kind: 'Name', value: 'parentRunId' } },
          { kind: 'Field', name: { kind: 'Name', value: 'parentStep' } },
          { kind: 'Field', name: { kind: 'Name', value: 'continues' } },
          { kind: 'Field', name: { kind: 'Name', value: 'host' } },
          { kind: 'Field', name: { kind: 'Name', value: 'imported' } },
          { kind: 'Field', name: { kind: 'Name', value: 'specHash' } },
        ],
      },
    },
    {
      kind: 'FragmentDefinition',
      name: { kind: 'Name', value: 'RefusalFields' },
      typeCondition: { kind: 'NamedType', name: { kind: 'Name', value: 'Refusal' } },
      selectionSet: {
        kind: 'SelectionSet',
        selections: [
          { kind: 'Field', name: { kind: 'Name', value: 'code' } },
          { kind: 'Field', name: { kind: 'Name', value: 'message' } },
          { kind: 'Field', name: { kind: 'Name', value: 'remedy' } },
          {
            kind: 'InlineFragment',
            typeCondition: { kind: 'NamedType', name: { kind: 'Name', value: 'InvalidInput' } },
            selectionSet: {
              kind: 'SelectionSet',
              selections: [{ kind: 'Field', name: { kind: 'Name', value: 'problems' } }],
            },
          },
          {
            kind: 'InlineFragment',
            typeCondition: { kind: 'NamedType', name: { kind: 'Name', value: 'WrongState' } },
            selectionSet: {
              kind: 'SelectionSet',
              selections: [{ kind: 'Field', name: { kind: 'Name', value: 'state' } }],
            },
          },
        ],
      },
    },
  ],
} as unknown as DocumentNode<ResumeRunMutation, ResumeRunMutationVariables>;
export const CancelRunDocument = {
  kind: 'Document',
  definitions: [
    {
      kind: 'OperationDefinition',
      operation: 'mutation',
      name: { kind: 'Name', value: 'CancelRun' },
      variableDefinitions: [
        {
          kind: 'VariableDefinition',
          variable: { kind: 'Variable', name: { kind: 'Name', value: 'input' } },
          type: {
            kind: 'NonNullType',
            type: { kind: 'NamedType', name: { kind: 'Name', value: 'CancelRunInput' } },
          },
        },
      ],
      selectionSet: {
        kind: 'SelectionSet',
        selections: [
          {
            kind: 'Field',
            name: { kind: 'Name', value: 'cancelRun' },
            arguments: [
              {
                kind: 'Argument',
                name: { kind: 'Name', value: 'input' },
                value: { kind: 'Variable', name: { kind: 'Name', value: 'input' } },
              },
            ],
            selectionSet: {
              kind: 'SelectionSet',
              selections: [
                { kind: 'Field', name: { kind: 'Name', value: '__typename' } },
                { kind: 'FragmentSpread', name: { kind: 'Name', value: 'RunFields' } },
                { kind: 'FragmentSpread', name: { kind: 'Name', value: 'RefusalFields' } },
              ],
            },
          },
        ],
      },
    },
    {
      kind: 'FragmentDefinition',
      name: { kind: 'Name', value: 'RunFields' },
      typeCondition: { kind: 'NamedType', name: { kind: 'Name', value: 'Run' } },
      selectionSet: {
        kind: 'SelectionSet',
        selections: [
          { kind: 'Field', name: { kind: 'Name', value: 'id' } },
          { kind: 'Field', name: { kind: 'Name', value: 'project' } },
          { kind: 'Field', name: { kind: 'Name', value: 'name' } },
          { kind: 'Field', name: { kind: 'Name', value: 'title' } },
          { kind: 'Field', name: { kind: 'Name', value: 'state' } },
          { kind: 'Field', name: { kind: 'Name', value: 'message' } },
          { kind: 'Field', name: { kind: 'Name', value: 'priority' } },
          { kind: 'Field', name: { kind: 'Name', value: 'tags' } },
          { kind: 'Field', name: { kind: 'Name', value: 'group' } },
          { kind: 'Field', name: { kind: 'Name', value: 'note' } },
          { kind: 'Field', name: { kind: 'Name', value: 'step' } },
          { kind: 'Field', name: { kind: 'Name', value: 'steps' } },
          { kind: 'Field', name: { kind: 'Name', value: 'latest' } },
          { kind: 'Field', name: { kind: 'Name', value: 'health' } },
          { kind: 'Field', name: { kind: 'Name', value: 'warnings' } },
          { kind: 'Field', name: { kind: 'Name', value: 'head' } },
          { kind: 'Field', name: { kind: 'Name', value: 'createdAt' } },
          { kind: 'Field', name: { kind: 'Name', value: 'createdBy' } },
          { kind: 'Field', name: { kind: 'Name', value: 'startedAt' } },
          { kind: 'Field', name: { kind: 'Name', value: 'endedAt' } },
          { kind: 'Field', name: { kind: 'Name', value: 'parentRunId' } },
          { kind: 'Field', name: { kind: 'Name', value: 'parentStep' } },
          { kind: 'Field', name: { kind: 'Name', value: 'continues' } },
          { kind: 'Field', name: { kind: 'Name', value: 'host' } },
          { kind: 'Field', name: { kind: 'Name', value: 'imported' } },
          { kind: 'Field', name: { kind: 'Name', value: 'specHash' } },
        ],
      },
    },
    {
      kind: 'FragmentDefinition',
      name: { kind: 'Name', value: 'RefusalFields' },
      typeCondition: { kind: 'NamedType', name: { kind: 'Name', value: 'Refusal' } },
      selectionSet: {
        kind: 'SelectionSet',
        selections: [
          { kind: 'Field', name: { kind: 'Name', value: 'code' } },
          { kind: 'Field', name: { kind: 'Name', value: 'message' } },
          { kind: 'Field', name: { kind: 'Name', value: 'remedy' } },
          {
            kind: 'InlineFragment',
            typeCondition: { kind: 'NamedType', name: { kind: 'Name', value: 'InvalidInput' } },
            selectionSet: {
              kind: 'SelectionSet',
              selections: [{ kind: 'Field', name: { kind: 'Name', value: 'problems' } }],
            },
          },
          {
            kind: 'InlineFragment',
            typeCondition: { kind: 'NamedType', name: { kind: 'Name', value: 'WrongState' } },
            selectionSet: {
              kind: 'SelectionSet',
              selections: [{ kind: 'Field', name: { kind: 'Name', value: 'state' } }],
            },
          },
        ],
      },
    },
  ],
} as unknown as DocumentNode<CancelRunMutation, CancelRunMutationVariables>;
export const ForkRunDocument = {
  kind: 'Document',
  definitions: [
    {
      kind: 'OperationDefinition',
      operation: 'mutation',
      name: { kind: 'Name', value: 'ForkRun' },
      variableDefinitions: [
        {
          kind: 'VariableDefinition',
          variable: { kind: 'Variable', name: { kind: 'Name', value: 'input' } },
          type: {
            kind: 'NonNullType',
            type: { kind: 'NamedType', name: { kind: 'Name', value: 'ForkRunInput' } },
          },
        },
      ],
      selectionSet: {
        kind: 'SelectionSet',
        selections: [
          {
            kind: 'Field',
            name: { kind: 'Name', value: 'forkRun' },
            arguments: [
              {
                kind: 'Argument',
                name: { kind: 'Name', value: 'input' },
                value: { kind: 'Variable', name: { kind: 'Name', value: 'input' } },
              },
            ],
            selectionSet: {
              kind: 'SelectionSet',
              selections: [
                { kind: 'Field', name: { kind: 'Name', value: '__typename' } },
                { kind: 'FragmentSpread', name: { kind: 'Name', value: 'RunFields' } },
                { kind: 'FragmentSpread', name: { kind: 'Name', value: 'RefusalFields' } },
              ],
            },
          },
        ],
      },
    },
    {
      kind: 'FragmentDefinition',
      name: { kind: 'Name', value: 'RunFields' },
      typeCondition: { kind: 'NamedType', name: { kind: 'Name', value: 'Run' } },
      selectionSet: {
        kind: 'SelectionSet',
        selections: [
          { kind: 'Field', name: { kind: 'Name', value: 'id' } },
          { kind: 'Field', name: { kind: 'Name', value: 'project' } },
          { kind: 'Field', name: { kind: 'Name', value: 'name' } },
          { kind: 'Field', name: { kind: 'Name', value: 'title' } },
          { kind: 'Field', name: { kind: 'Name', value: 'state' } },
          { kind: 'Field', name: { kind: 'Name', value: 'message' } },
          { kind: 'Field', name: { kind: 'Name', value: 'priority' } },
          { kind: 'Field', name: { kind: 'Name', value: 'tags' } },
          { kind: 'Field', name: { kind: 'Name', value: 'group' } },
          { kind: 'Field', name: { kind: 'Name', value: 'note' } },
          { kind: 'Field', name: { kind: 'Name', value: 'step' } },
          { kind: 'Field', name: { kind: 'Name', value: 'steps' } },
          { kind: 'Field', name: { kind: 'Name', value: 'latest' } },
          { kind: 'Field', name: { kind: 'Name', value: 'health' } },
          { kind: 'Field', name: { kind: 'Name', value: 'warnings' } },
          { kind: 'Field', name: { kind: 'Name', value: 'head' } },
          { kind: 'Field', name: { kind: 'Name', value: 'createdAt' } },
          { kind: 'Field', name: { kind: 'Name', value: 'createdBy' } },
          { kind: 'Field', name: { kind: 'Name', value: 'startedAt' } },
          { kind: 'Field', name: { kind: 'Name', value: 'endedAt' } },
          { kind: 'Field', name: { kind: 'Name', value: 'parentRunId' } },
          { kind: 'Field', name: { kind: 'Name', value: 'parentStep' } },
          { kind: 'Field', name: { kind: 'Name', value: 'continues' } },
          { kind: 'Field', name: { kind: 'Name', value: 'host' } },
          { kind: 'Field', name: { kind: 'Name', value: 'imported' } },
          { kind: 'Field', name: { kind: 'Name', value: 'specHash' } },
        ],
      },
    },
    {
      kind: 'FragmentDefinition',
      name: { kind: 'Name', value: 'RefusalFields' },
      typeCondition: { kind: 'NamedType', name: { kind: 'Name', value: 'Refusal' } },
      selectionSet: {
        kind: 'SelectionSet',
        selections: [
          { kind: 'Field', name: { kind: 'Name', value: 'code' } },
          { kind: 'Field', name: { kind: 'Name', value: 'message' } },
          { kind: 'Field', name: { kind: 'Name', value: 'remedy' } },
          {
            kind: 'InlineFragment',
            typeCondition: { kind: 'NamedType', name: { kind: 'Name', value: 'InvalidInput' } },
            selectionSet: {
              kind: 'SelectionSet',
              selections: [{ kind: 'Field', name: { kind: 'Name', value: 'problems' } }],
            },
          },
          {
            kind: 'InlineFragment',
            typeCondition: { kind: 'NamedType', name: { kind: 'Name', value: 'WrongState' } },
            selectionSet: {
              kind: 'SelectionSet',
              selections: [{ kind: 'Field', name: { kind: 'Name', value: 'state' } }],
            },
          },
        ],
      },
    },
  ],
} as unknown as DocumentNode<ForkRunMutation, ForkRunMutationVariables>;
export const PlanForkDocument = {
  kind: 'Document',
  definitions: [
    {
      kind: 'OperationDefinition',
      operation: 'mutation',
      name: { kind: 'Name', value: 'PlanFork' },
      variableDefinitions: [
        {
          kind: 'VariableDefinition',
          variable: { kind: 'Variable', name: { kind: 'Name', value: 'input' } },
          type: {
            kind: 'NonNullType',
            type: { kind: 'NamedType', name: { kind: 'Name', value: 'PlanForkInput' } },
          },
        },
      ],
      selectionSet: {
        kind: 'SelectionSet',
        selections: [
          {
            kind: 'Field',
            name: { kind: 'Name', value: 'planFork' },
            arguments: [
              {
                kind: 'Argument',
                name: { kind: 'Name', value: 'input' },
                value: { kind: 'Variable', name: { kind: 'Name', value: 'input' } },
              },
            ],
            selectionSet: {
              kind: 'SelectionSet',
              selections: [
                { kind: 'Field', name: { kind: 'Name', value: '__typename' } },
                { kind: 'FragmentSpread', name: { kind: 'Name', value: 'PlanFields' } },
                { kind: 'FragmentSpread', name: { kind: 'Name', value: 'RefusalFields' } },
              ],
            },
          },
        ],
      },
    },
    {
      kind: 'FragmentDefinition',
      name: { kind: 'Name', value: 'NeedsFields' },
      typeCondition: { kind: 'NamedType', name: { kind: 'Name', value: 'JobNeeds' } },
      selectionSet: {
        kind: 'SelectionSet',
        selections: [
          { kind: 'Field', name: { kind: 'Name', value: 'kind' } },
          { kind: 'Field', name: { kind: 'Name', value: 'count' } },
          { kind: 'Field', name: { kind: 'Name', value: 'memoryMb' } },
          { kind: 'Field', name: { kind: 'Name', value: 'labels' } },
        ],
      },
    },
    {
      kind: 'FragmentDefinition',
      name: { kind: 'Name', value: 'PluginFields' },
      typeCondition: { kind: 'NamedType', name: { kind: 'Name', value: 'PluginVersion' } },
      selectionSet: {
        kind: 'SelectionSet',
        selections: [
          { kind: 'Field', name: { kind: 'Name', value: 'kind' } },
          { kind: 'Field', name: { kind: 'Name', value: 'id' } },
          { kind: 'Field', name: { kind: 'Name', value: 'version' } },
          { kind: 'Field', name: { kind: 'Name', value: 'sha256' } },
          { kind: 'Field', name: { kind: 'Name', value: 'isExternal' } },
        ],
      },
    },
    {
      kind: 'FragmentDefinition',
      name: { kind: 'Name', value: 'PlanFields' },
      typeCondition: { kind: 'NamedType', name: { kind: 'Name', value: 'RunPlan' } },
      selectionSet: {
        kind: 'SelectionSet',
        selections: [
          { kind: 'Field', name: { kind: 'Name', value: 'name' } },
          { kind: 'Field', name: { kind: 'Name', value: 'project' } },
          { kind: 'Field', name: { kind: 'Name', value: 'spec' } },
          { kind: 'Field', name: { kind: 'Name', value: 'specHash' } },
          {
            kind: 'Field',
            name: { kind: 'Name', value: 'sources' },
            selectionSet: {
              kind: 'SelectionSet',
              selections: [
                { kind: 'Field', name: { kind: 'Name', value: 'path' } },
                { kind: 'Field', name: { kind: 'Name', value: 'source' } },
              ],
            },
          },
          {
            kind: 'Field',
            name: { kind: 'Name', value: 'derived' },
            selectionSet: {
              kind: 'SelectionSet',
              selections: [
                { kind: 'Field', name: { kind: 'Name', value: 'trajectoriesPerStep' } },
                { kind: 'Field', name: { kind: 'Name', value: 'keptGroupsPerStep' } },
                { kind: 'Field', name: { kind: 'Name', value: 'trajectoriesPerMiniBatch' } },
                { kind: 'Field', name: { kind: 'Name', value: 'optimizerStepsPerStep' } },
                { kind: 'Field', name: { kind: 'Name', value: 'optimizerSteps' } },
                { kind: 'Field', name: { kind: 'Name', value: 'episodes' } },
                {
                  kind: 'Field',
                  name: { kind: 'Name', value: 'tags' },
                  selectionSet: {
                    kind: 'SelectionSet',
                    selections: [
                      { kind: 'Field', name: { kind: 'Name', value: 'tag' } },
                      { kind: 'Field', name: { kind: 'Name', value: 'groups' } },
                      { kind: 'Field', name: { kind: 'Name', value: 'share' } },
                      { kind: 'Field', name: { kind: 'Name', value: 'trajectoriesPerStep' } },
                      { kind: 'Field', name: { kind: 'Name', value: 'keptGroupsPerStep' } },
                    ],
                  },
                },
              ],
            },
          },
          {
            kind: 'Field',
            name: { kind: 'Name', value: 'inert' },
            selectionSet: {
              kind: 'SelectionSet',
              selections: [
                { kind: 'Field', name: { kind: 'Name', value: 'path' } },
                { kind: 'Field', name: { kind: 'Name', value: 'reason' } },
                { kind: 'Field', name: { kind: 'Name', value: 'set' } },
              ],
            },
          },
          { kind: 'Field', name: { kind: 'Name', value: 'steps' } },
          {
            kind: 'Field',
            name: { kind: 'Name', value: 'needs' },
            selectionSet: {
              kind: 'SelectionSet',
              selections: [{ kind: 'FragmentSpread', name: { kind: 'Name', value: 'NeedsFields' } }],
            },
          },
          {
            kind: 'Field',
            name: { kind: 'Name', value: 'plugins' },
            selectionSet: {
              kind: 'SelectionSet',
              selections: [{ kind: 'FragmentSpread', name: { kind: 'Name', value: 'PluginFields' } }],
            },
          },
          { kind: 'Field', name: { kind: 'Name', value: 'warnings' } },
          {
            kind: 'Field',
            name: { kind: 'Name', value: 'estimate' },
            selectionSet: {
              kind: 'SelectionSet',
              selections: [
                { kind: 'Field', name: { kind: 'Name', value: 'parameters' } },
                {
                  kind: 'Field',
                  name: { kind: 'Name', value: 'graphs' },
                  selectionSet: {
                    kind: 'SelectionSet',
                    selections: [
                      { kind: 'Field', name: { kind: 'Name', value: 'name' } },
                      { kind: 'Field', name: { kind: 'Name', value: 'nodes' } },
                    ],
                  },
                },
                { kind: 'Field', name: { kind: 'Name', value: 'tokensPerStep' } },
                {
                  kind: 'Field',
                  name: { kind: 'Name', value: 'expected' },
                  selectionSet: {
                    kind: 'SelectionSet',
                    selections: [
                      { kind: 'Field', name: { kind: 'Name', value: 'turnsPerEpisode' } },
                      { kind: 'Field', name: { kind: 'Name', value: 'tokensPerEpisode' } },
                      { kind: 'Field', name: { kind: 'Name', value: 'sampledTokens' } },
                      { kind: 'Field', name: { kind: 'Name', value: 'trainedTokens' } },
                      { kind: 'Field', name: { kind: 'Name', value: 'paddingShare' } },
                      { kind: 'Field', name: { kind: 'Name', value: 'collectSeconds' } },
                      { kind: 'Field', name: { kind: 'Name', value: 'updateSeconds' } },
                      { kind: 'Field', name: { kind: 'Name', value: 'secondsPerStep' } },
                      { kind: 'Field', name: { kind: 'Name', value: 'peakBytes' } },
                    ],
                  },
                },
                { kind: 'Field', name: { kind: 'Name', value: 'modelBytes' } },
                { kind: 'Field', name: { kind: 'Name', value: 'cacheBytes' } },
                { kind: 'Field', name: { kind: 'Name', value: 'activationBytes' } },
                { kind: 'Field', name: { kind: 'Name', value: 'checkpointBytes' } },
                { kind: 'Field', name: { kind: 'Name', value: 'checkpointsBytes' } },
                { kind: 'Field', name: { kind: 'Name', value: 'secondsPerStep' } },
                { kind: 'Field', name: { kind: 'Name', value: 'threads' } },
              ],
            },
          },
          { kind: 'Field', name: { kind: 'Name', value: 'estimateReason' } },
          { kind: 'Field', name: { kind: 'Name', value: 'parentRunId' } },
          { kind: 'Field', name: { kind: 'Name', value: 'parentStep' } },
          { kind: 'Field', name: { kind: 'Name', value: 'forkPath' } },
          { kind: 'Field', name: { kind: 'Name', value: 'continues' } },
          {
            kind: 'Field',
            name: { kind: 'Name', value: 'differences' },
            selectionSet: {
              kind: 'SelectionSet',
              selections: [
                { kind: 'Field', name: { kind: 'Name', value: 'path' } },
                { kind: 'Field', name: { kind: 'Name', value: 'values' } },
              ],
            },
          },
        ],
      },
    },
    {
      kind: 'FragmentDefinition',
      name: { kind: 'Name', value: 'RefusalFields' },
      typeCondition: { kind: 'NamedType', name: { kind: 'Name', value: 'Refusal' } },
      selectionSet: {
        kind: 'SelectionSet',
        selections: [
          { kind: 'Field', name: { kind: 'Name', value: 'code' } },
          { kind: 'Field', name: { kind: 'Name', value: 'message' } },
          { kind: 'Field', name: { kind: 'Name', value: 'remedy' } },
          {
            kind: 'InlineFragment',
            typeCondition: { kind: 'NamedType', name: { kind: 'Name', value: 'InvalidInput' } },
            selectionSet: {
              kind: 'SelectionSet',
              selections: [{ kind: 'Field', name: { kind: 'Name', value: 'problems' } }],
            },
          },
          {
            kind: 'InlineFragment',
            typeCondition: { kind: 'NamedType', name: { kind: 'Name', value: 'WrongState' } },
            selectionSet: {
              kind: 'SelectionSet',
              selections: [{ kind: 'Field', name: { kind: 'Name', value: 'state' } }],
            },
          },
        ],
      },
    },
  ],
} as unknown as DocumentNode<PlanForkMutation, PlanForkMutationVariables>;
export const EvaluateRunDocument = {
  kind: 'Document',
  definitions: [
    {
      kind: 'OperationDefinition',
      operation: 'mutation',
      name: { kind: 'Name', value: 'EvaluateRun' },
      variableDefinitions: [
        {
          kind: 'VariableDefinition',
          variable: { kind: 'Variable', name: { kind: 'Name', value: 'input' } },
          type: {
            kind: 'NonNullType',
            type: { kind: 'NamedType', name: { kind: 'Name', value: 'EvaluateRunInput' } },
          },
        },
      ],
      selectionSet: {
        kind: 'SelectionSet',
        selections: [
          {
            kind: 'Field',
            name: { kind: 'Name', value: 'evaluateRun' },
            arguments: [
              {
                kind: 'Argument',
                name: { kind: 'Name', value: 'input' },
                value: { kind: 'Variable', name: { kind: 'Name', value: 'input' } },
              },
            ],
            selectionSet: {
              kind: 'SelectionSet',
              selections: [
                { kind: 'Field', name: { kind: 'Name', value: '__typename' } },
                { kind: 'FragmentSpread', name: { kind: 'Name', value: 'JobFields' } },
                { kind: 'FragmentSpread', name: { kind: 'Name', value: 'RefusalFields' } },
              ],
            },
          },
        ],
      },
    },
    {
      kind: 'FragmentDefinition',
      name: { kind: 'Name', value: 'NeedsFields' },
      typeCondition: { kind: 'NamedType', name: { kind: 'Name', value: 'JobNeeds' } },
      selectionSet: {
        kind: 'SelectionSet',
        selections: [
          { kind: 'Field', name: { kind: 'Name', value: 'kind' } },
          { kind: 'Field', name: { kind: 'Name', value: 'count' } },
          { kind: 'Field', name: { kind: 'Name', value: 'memoryMb' } },
          { kind: 'Field', name: { kind: 'Name', value: 'labels' } },
        ],
      },
    },
    {
      kind: 'FragmentDefinition',
      name: { kind: 'Name', value: 'ResultFields' },
      typeCondition: { kind: 'NamedType', name: { kind: 'Name', value: 'EvaluationResult' } },
      selectionSet: {
        kind: 'SelectionSet',
        selections: [
          { kind: 'Field', name: { kind: 'Name', value: 'model' } },
          { kind: 'Field', name: { kind: 'Name', value: 'environment' } },
          { kind: 'Field', name: { kind: 'Name', value: 'episodes' } },
          { kind: 'Field', name: { kind: 'Name', value: 'failed' } },
          { kind: 'Field', name: { kind: 'Name', value: 'successRate' } },
          { kind: 'Field', name: { kind: 'Name', value: 'successLow' } },
          { kind: 'Field', name: { kind: 'Name', value: 'successHigh' } },
          { kind: 'Field', name: { kind: 'Name', value: 'metrics' } },
          {
            kind: 'Field',
            name: { kind: 'Name', value: 'tags' },
            selectionSet: {
              kind: 'SelectionSet',
              selections: [
                { kind: 'Field', name: { kind: 'Name', value: 'tag' } },
                { kind: 'Field', name: { kind: 'Name', value: 'environment' } },
                { kind: 'Field', name: { kind: 'Name', value: 'trained' } },
                { kind: 'Field', name: { kind: 'Name', value: 'episodes' } },
                { kind: 'Field', name: { kind: 'Name', value: 'failed' } },
                { kind: 'Field', name: { kind: 'Name', value: 'successRate' } },
                { kind: 'Field', name: { kind: 'Name', value: 'successLow' } },
                { kind: 'Field', name: { kind: 'Name', value: 'successHigh' } },
                { kind: 'Field', name: { kind: 'Name', value: 'error' } },
              ],
            },
          },
          {
            kind: 'Field',
            name: { kind: 'Name', value: 'outcomes' },
            selectionSet: {
              kind: 'SelectionSet',
              selections: [
                { kind: 'Field', name: { kind: 'Name', value: 'stateSeed' } },
                { kind: 'Field', name: { kind: 'Name', value: 'success' } },
                { kind: 'Field', name: { kind: 'Name', value: 'total' } },
                { kind: 'Field', name: { kind: 'Name', value: 'stopReason' } },
                { kind: 'Field', name: { kind: 'Name', value: 'turns' } },
                { kind: 'Field', name: { kind: 'Name', value: 'actions' } },
                { kind: 'Field', name: { kind: 'Name', value: 'formatShare' } },
              ],
            },
          },
        ],
      },
    },
    {
      kind: 'FragmentDefinition',
      name: { kind: 'Name', value: 'JobFields' },
      typeCondition: { kind: 'NamedType', name: { kind: 'Name', value: 'Job' } },
      selectionSet: {
        kind: 'SelectionSet',
        selections: [
          { kind: 'Field', name: { kind: 'Name', value: 'id' } },
          { kind: 'Field', name: { kind: 'Name', value: 'runId' } },
          { kind: 'Field', name: { kind: 'Name', value: 'kind' } },
          { kind: 'Field', name: { kind: 'Name', value: 'state' } },
          { kind: 'Field', name: { kind: 'Name', value: 'message' } },
          { kind: 'Field', name: { kind: 'Name', value: 'priority' } },
          {
            kind: 'Field',
            name: { kind: 'Name', value: 'needs' },
            selectionSet: {
              kind: 'SelectionSet',
              selections: [{ kind: 'FragmentSpread', name: { kind: 'Name', value: 'NeedsFields' } }],
            },
          },
          { kind: 'Field', name: { kind: 'Name', value: 'createdAt' } },
          { kind: 'Field', name: { kind: 'Name', value: 'queuedAt' } },
          { kind: 'Field', name: { kind: 'Name', value: 'startedAt' } },
          { kind: 'Field', name: { kind: 'Name', value: 'endedAt' } },
          { kind: 'Field', name: { kind: 'Name', value: 'failures' } },
          {
            kind: 'Field',
            name: { kind: 'Name', value: 'result' },
            selectionSet: {
              kind: 'SelectionSet',
              selections: [{ kind: 'FragmentSpread', name: { kind: 'Name', value: 'ResultFields' } }],
            },
          },
        ],
      },
    },
    {
      kind: 'FragmentDefinition',
      name: { kind: 'Name', value: 'RefusalFields' },
      typeCondition: { kind: 'NamedType', name: { kind: 'Name', value: 'Refusal' } },
      selectionSet: {
        kind: 'SelectionSet',
        selections: [
          { kind: 'Field', name: { kind: 'Name', value: 'code' } },
          { kind: 'Field', name: { kind: 'Name', value: 'message' } },
          { kind: 'Field', name: { kind: 'Name', value: 'remedy' } },
          {
            kind: 'InlineFragment',
            typeCondition: { kind: 'NamedType', name: { kind: 'Name', value: 'InvalidInput' } },
            selectionSet: {
              kind: 'SelectionSet',
              selections: [{ kind: 'Field', name: { kind: 'Name', value: 'problems' } }],
            },
          },
          {
            kind: 'InlineFragment',
            typeCondition: { kind: 'NamedType', name: { kind: 'Name', value: 'WrongState' } },
            selectionSet: {
              kind: 'SelectionSet',
              selections: [{ kind: 'Field', name: { kind: 'Name', value: 'state' } }],
            },
          },
        ],
      },
    },
  ],
} as unknown as DocumentNode<EvaluateRunMutation, EvaluateRunMutationVariables>;
export const DeleteRunDocument = {
  kind: 'Document',
  definitions: [
    {
      kind: 'OperationDefinition',
      operation: 'mutation',
      name: { kind: 'Name', value: 'DeleteRun' },
      variableDefinitions: [
        {
          kind: 'VariableDefinition',
          variable: { kind: 'Variable', name: { kind: 'Name', value: 'input' } },
          type: {
            kind: 'NonNullType',
            type: { kind: 'NamedType', name: { kind: 'Name', value: 'DeleteRunInput' } },
          },
        },
      ],
      selectionSet: {
        kind: 'SelectionSet',
        selections: [
          {
            kind: 'Field',
            name: { kind: 'Name', value: 'deleteRun' },
            arguments: [
              {
                kind: 'Argument',
                name: { kind: 'Name', value: 'input' },
                value: { kind: 'Variable', name: { kind: 'Name', value: 'input' } },
              },
            ],
            selectionSet: {
              kind: 'SelectionSet',
              selections: [
                { kind: 'Field', name: { kind: 'Name', value: '__typename' } },
                { kind: 'FragmentSpread', name: { kind: 'Name', value: 'RunFields' } },
                { kind: 'FragmentSpread', name: { kind: 'Name', value: 'RefusalFields' } },
              ],
            },
          },
        ],
      },
    },
    {
      kind: 'FragmentDefinition',
      name: { kind: 'Name', value: 'RunFields' },
      typeCondition: { kind: 'NamedType', name: { kind: 'Name', value: 'Run' } },
      selectionSet: {
        kind: 'SelectionSet',
        selections: [
          { kind: 'Field', name: { kind: 'Name', value: 'id' } },
          { kind: 'Field', name: { kind: 'Name', value: 'project' } },
          { kind: 'Field', name: { kind: 'Name', value: 'name' } },
          { kind: 'Field', name: { kind: 'Name', value: 'title' } },
          { kind: 'Field', name: { kind: 'Name', value: 'state' } },
          { kind: 'Field', name: { kind: 'Name', value: 'message' } },
          { kind: 'Field', name: { kind: 'Name', value: 'priority' } },
          { kind: 'Field', name: { kind: 'Name', value: 'tags' } },
          { kind: 'Field', name: { kind: 'Name', value: 'group' } },
          { kind: 'Field', name: { kind: 'Name', value: 'note' } },
          { kind: 'Field', name: { kind: 'Name', value: 'step' } },
          { kind: 'Field', name: { kind: 'Name', value: 'steps' } },
          { kind: 'Field', name: { kind: 'Name', value: 'latest' } },
          { kind: 'Field', name: { kind: 'Name', value: 'health' } },
          { kind: 'Field', name: { kind: 'Name', value: 'warnings' } },
          { kind: 'Field', name: { kind: 'Name', value: 'head' } },
          { kind: 'Field', name: { kind: 'Name', value: 'createdAt' } },
          { kind: 'Field', name: { kind: 'Name', value: 'createdBy' } },
          { kind: 'Field', name: { kind: 'Name', value: 'startedAt' } },
          { kind: 'Field', name: { kind: 'Name', value: 'endedAt' } },
          { kind: 'Field', name: { kind: 'Name', value: 'parentRunId' } },
          { kind: 'Field', name: { kind: 'Name', value: 'parentStep' } },
          { kind: 'Field', name: { kind: 'Name', value: 'continues' } },
          { kind: 'Field', name: { kind: 'Name', value: 'host' } },
          { kind: 'Field', name: { kind: 'Name', value: 'imported' } },
          { kind: 'Field', name: { kind: 'Name', value: 'specHash' } },
        ],
      },
    },
    {
      kind: 'FragmentDefinition',
      name: { kind: 'Name', value: 'RefusalFields' },
      typeCondition: { kind: 'NamedType', name: { kind: 'Name', value: 'Refusal' } },
      selectionSet: {
        kind: 'SelectionSet',
        selections: [
          { kind: 'Field', name: { kind: 'Name', value: 'code' } },
          { kind: 'Field', name: { kind: 'Name', value: 'message' } },
          { kind: 'Field', name: { kind: 'Name', value: 'remedy' } },
          {
            kind: 'InlineFragment',
            typeCondition: { kind: 'NamedType', name: { kind: 'Name', value: 'InvalidInput' } },
            selectionSet: {
              kind: 'SelectionSet',
              selections: [{ kind: 'Field', name: { kind: 'Name', value: 'problems' } }],
            },
          },
          {
            kind: 'InlineFragment',
            typeCondition: { kind: 'NamedType', name: { kind: 'Name', value: 'WrongState' } },
            selectionSet: {
              kind: 'SelectionSet',
              selections: [{ kind: 'Field', name: { kind: 'Name', value: 'state' } }],
            },
          },
        ],
      },
    },
  ],
} as unknown as DocumentNode<DeleteRunMutation, DeleteRunMutationVariables>;
export const ListCheckpointsDocument = {
  kind: 'Document',
  definitions: [
    {
      kind: 'OperationDefinition',
      operation: 'query',
      name: { kind: 'Name', value: 'ListCheckpoints' },
      variableDefinitions: [
        {
          kind: 'VariableDefinition',
          variable: { kind: 'Variable', name: { kind: 'Name', value: 'id' } },
          type: { kind: 'NonNullType', type: { kind: 'NamedType', name: { kind: 'Name', value: 'ID' } } },
        },
        {
          kind: 'VariableDefinition',
          variable: { kind: 'Variable', name: { kind: 'Name', value: 'first' } },
          type: { kind: 'NonNullType', type: { kind: 'NamedType', name: { kind: 'Name', value: 'Int' } } },
        },
        {
          kind: 'VariableDefinition',
          variable: { kind: 'Variable', name: { kind: 'Name', value: 'after' } },
          type: { kind: 'NamedType', name: { kind: 'Name', value: 'String' } },
        },
      ],
      selectionSet: {
        kind: 'SelectionSet',
        selections: [
          {
            kind: 'Field',
            name: { kind: 'Name', value: 'run' },
            arguments: [
              {
                kind: 'Argument',
                name: { kind: 'Name', value: 'id' },
                value: { kind: 'Variable', name: { kind: 'Name', value: 'id' } },
              },
            ],
            selectionSet: {
              kind: 'SelectionSet',
              selections: [
                {
                  kind: 'Field',
                  name: { kind: 'Name', value: 'checkpoints' },
                  arguments: [
                    {
                      kind: 'Argument',
                      name: { kind: 'Name', value: 'first' },
                      value: { kind: 'Variable', name: { kind: 'Name', value: 'first' } },
                    },
                    {
                      kind: 'Argument',
                      name: { kind: 'Name', value: 'after' },
                      value: { kind: 'Variable', name: { kind: 'Name', value: 'after' } },
                    },
                  ],
                  selectionSet: {
                    kind: 'SelectionSet',
                    selections: [
                      {
                        kind: 'Field',
                        name: { kind: 'Name', value: 'nodes' },
                        selectionSet: {
                          kind: 'SelectionSet',
                          selections: [
                            { kind: 'Field', name: { kind: 'Name', value: 'step' } },
                            { kind: 'Field', name: { kind: 'Name', value: 'path' } },
                            { kind: 'Field', name: { kind: 'Name', value: 'files' } },
                            { kind: 'Field', name: { kind: 'Name', value: 'bytes' } },
                            { kind: 'Field', name: { kind: 'Name', value: 'createdAt' } },
                            { kind: 'Field', name: { kind: 'Name', value: 'isComplete' } },
                            { kind: 'Field', name: { kind: 'Name', value: 'canFork' } },
                          ],
                        },
                      },
                      {
                        kind: 'Field',
                        name: { kind: 'Name', value: 'pageInfo' },
                        selectionSet: {
                          kind: 'SelectionSet',
                          selections: [
                            { kind: 'FragmentSpread', name: { kind: 'Name', value: 'PageFields' } },
                          ],
                        },
                      },
                    ],
                  },
                },
              ],
            },
          },
        ],
      },
    },
    {
      kind: 'FragmentDefinition',
      name: { kind: 'Name', value: 'PageFields' },
      typeCondition: { kind: 'NamedType', name: { kind: 'Name', value: 'PageInfo' } },
      selectionSet: {
        kind: 'SelectionSet',
        selections: [
          { kind: 'Field', name: { kind: 'Name', value: 'startCursor' } },
          { kind: 'Field', name: { kind: 'Name', value: 'endCursor' } },
          { kind: 'Field', name: { kind: 'Name', value: 'hasNextPage' } },
          { kind: 'Field', name: { kind: 'Name', value: 'hasPreviousPage' } },
        ],
      },
    },
  ],
} as unknown as DocumentNode<ListCheckpointsQuery, ListCheckpointsQueryVariables>;
export const ListEvaluationsDocument = {
  kind: 'Document',
  definitions: [
    {
      kind: 'OperationDefinition',
      operation: 'query',
      name: { kind: 'Name', value: 'ListEvaluations' },
      variableDefinitions: [
        {
          kind: 'VariableDefinition',
          variable: { kind: 'Variable', name: { kind: 'Name', value: 'id' } },
          type: { kind: 'NonNullType', type: { kind: 'NamedType', name: { kind: 'Name', value: 'ID' } } },
        },
        {
          kind: 'VariableDefinition',
          variable: { kind: 'Variable', name: { kind: 'Name', value: 'first' } },
          type: { kind: 'NonNullType', type: { kind: 'NamedType', name: { kind: 'Name', value: 'Int' } } },
        },
        {
          kind: 'VariableDefinition',
          variable: { kind: 'Variable', name: { kind: 'Name', value: 'after' } },
          type: { kind: 'NamedType', name: { kind: 'Name', value: 'String' } },
        },
      ],
      selectionSet: {
        kind: 'SelectionSet',
        selections: [
          {
            kind: 'Field',
            name: { kind: 'Name', value: 'run' },
            arguments: [
              {
                kind: 'Argument',
                name: { kind: 'Name', value: 'id' },
                value: { kind: 'Variable', name: { kind: 'Name', value: 'id' } },
              },
            ],
            selectionSet: {
              kind: 'SelectionSet',
              selections: [
                {
                  kind: 'Field',
                  name: { kind: 'Name', value: 'evaluations' },
                  arguments: [
                    {
                      kind: 'Argument',
                      name: { kind: 'Name', value: 'first' },
                      value: { kind: 'Variable', name: { kind: 'Name', value: 'first' } },
                    },
                    {
                      kind: 'Argument',
                      name: { kind: 'Name', value: 'after' },
                      value: { kind: 'Variable', name: { kind: 'Name', value: 'after' } },
                    },
                  ],
                  selectionSet: {
                    kind: 'SelectionSet',
                    selections: [
                      {
                        kind: 'Field',
                        name: { kind: 'Name', value: 'nodes' },
                        selectionSet: {
                          kind: 'SelectionSet',
                          selections: [
                            { kind: 'Field', name: { kind: 'Name', value: 'jobId' } },
                            { kind: 'Field', name: { kind: 'Name', value: 'state' } },
                            { kind: 'Field', name: { kind: 'Name', value: 'message' } },
                            { kind: 'Field', name: { kind: 'Name', value: 'step' } },
                            { kind: 'Field', name: { kind: 'Name', value: 'checkpoint' } },
                            { kind: 'Field', name: { kind: 'Name', value: 'split' } },
                            { kind: 'Field', name: { kind: 'Name', value: 'episodes' } },
                            { kind: 'Field', name: { kind: 'Name', value: 'createdAt' } },
                            { kind: 'Field', name: { kind: 'Name', value: 'endedAt' } },
                            { kind: 'Field', name: { kind: 'Name', value: 'successRate' } },
                            { kind: 'Field', name: { kind: 'Name', value: 'successLow' } },
                            { kind: 'Field', name: { kind: 'Name', value: 'successHigh' } },
                            { kind: 'Field', name: { kind: 'Name', value: 'rewardMean' } },
                            { kind: 'Field', name: { kind: 'Name', value: 'trajectory' } },
                            { kind: 'Field', name: { kind: 'Name', value: 'rescoredSteps' } },
                            {
                              kind: 'Field',
                              name: { kind: 'Name', value: 'rescoredBy' },
                              selectionSet: {
                                kind: 'SelectionSet',
                                selections: [
                                  { kind: 'Field', name: { kind: 'Name', value: 'use' } },
                                  { kind: 'Field', name: { kind: 'Name', value: 'weight' } },
                                ],
                              },
                            },
                          ],
                        },
                      },
                      {
                        kind: 'Field',
                        name: { kind: 'Name', value: 'pageInfo' },
                        selectionSet: {
                          kind: 'SelectionSet',
                          selections: [
                            { kind: 'FragmentSpread', name: { kind: 'Name', value: 'PageFields' } },
                          ],
                        },
                      },
                    ],
                  },
                },
              ],
            },
          },
        ],
      },
    },
    {
      kind: 'FragmentDefinition',
      name: { kind: 'Name', value: 'PageFields' },
      typeCondition: { kind: 'NamedType', name: { kind: 'Name', value: 'PageInfo' } },
      selectionSet: {
        kind: 'SelectionSet',
        selections: [
          { kind: 'Field', name: { kind: 'Name', value: 'startCursor' } },
          { kind: 'Field', name: { kind: 'Name', value: 'endCursor' } },
          { kind: 'Field', name: { kind: 'Name', value: 'hasNextPage' } },
          { kind: 'Field', name: { kind: 'Name', value: 'hasPreviousPage' } },
        ],
      },
    },
  ],
} as unknown as DocumentNode<ListEvaluationsQuery, ListEvaluationsQueryVariables>;
export const ListRunEventsDocument = {
  kind: 'Document',
  definitions: [
    {
      kind: 'OperationDefinition',
      operation: 'query',
      name: { kind: 'Name', value: 'ListRunEvents' },
      variableDefinitions: [
        {
          kind: 'VariableDefinition',
          variable: { kind: 'Variable', name: { kind: 'Name', value: 'runId' } },
          type: { kind: 'NonNullType', type: { kind: 'NamedType', name: { kind: 'Name', value: 'ID' } } },
        },
        {
          kind: 'VariableDefinition',
          variable: { kind: 'Variable', name: { kind: 'Name', value: 'filter' } },
          type: { kind: 'NamedType', name: { kind: 'Name', value: 'RunEventFilter' } },
        },
        {
          kind: 'VariableDefinition',
          variable: { kind: 'Variable', name: { kind: 'Name', value: 'first' } },
          type: { kind: 'NamedType', name: { kind: 'Name', value: 'Int' } },
        },
        {
          kind: 'VariableDefinition',
          variable: { kind: 'Variable', name: { kind: 'Name', value: 'after' } },
          type: { kind: 'NamedType', name: { kind: 'Name', value: 'String' } },
        },
        {
          kind: 'VariableDefinition',
          variable: { kind: 'Variable', name: { kind: 'Name', value: 'last' } },
          type: { kind: 'NamedType', name: { kind: 'Name', value: 'Int' } },
        },
        {
          kind: 'VariableDefinition',
          variable: { kind: 'Variable', name: { kind: 'Name', value: 'before' } },
          type: { kind: 'NamedType', name: { kind: 'Name', value: 'String' } },
        },
        {
          kind: 'VariableDefinition',
          variable: { kind: 'Variable', name: { kind: 'Name', value: 'orderBy' } },
          type: { kind: 'NamedType', name: { kind: 'Name', value: 'RunEventOrder' } },
        },
      ],
      selectionSet: {
        kind: 'SelectionSet',
        selections: [
          {
            kind: 'Field',
            name: { kind: 'Name', value: 'runEvents' },
            arguments: [
              {
                kind: 'Argument',
                name: { kind: 'Name', value: 'runId' },
                value: { kind: 'Variable', name: { kind: 'Name', value: 'runId' } },
              },
              {
                kind: 'Argument',
                name: { kind: 'Name', value: 'filter' },
                value: { kind: 'Variable', name: { kind: 'Name', value: 'filter' } },
              },
              {
                kind: 'Argument',
                name: { kind: 'Name', value: 'first' },
                value: { kind: 'Variable', name: { kind: 'Name', value: 'first' } },
              },
              {
                kind: 'Argument',
                name: { kind: 'Name', value: 'after' },
                value: { kind: 'Variable', name: { kind: 'Name', value: 'after' } },
              },
              {
                kind: 'Argument',
                name: { kind: 'Name', value: 'last' },
                value: { kind: 'Variable', name: { kind: 'Name', value: 'last' } },
              },
              {
                kind: 'Argument',
                name: { kind: 'Name', value: 'before' },
                value: { kind: 'Variable', name: { kind: 'Name', value: 'before' } },
              },
              {
                kind: 'Argument',
                name: { kind: 'Name', value: 'orderBy' },
                value: { kind: 'Variable', name: { kind: 'Name', value: 'orderBy' } },
              },
            ],
            selectionSet: {
              kind: 'SelectionSet',
              selections: [
                {
                  kind: 'Field',
                  name: { kind: 'Name', value: 'nodes' },
                  selectionSet: {
                    kind: 'SelectionSet',
                    selections: [{ kind: 'FragmentSpread', name: { kind: 'Name', value: 'RecordFields' } }],
                  },
                },
                {
                  kind: 'Field',
                  name: { kind: 'Name', value: 'pageInfo' },
                  selectionSet: {
                    kind: 'SelectionSet',
                    selections: [{ kind: 'FragmentSpread', name: { kind: 'Name', value: 'PageFields' } }],
                  },
                },
              ],
            },
          },
        ],
      },
    },
    {
      kind: 'FragmentDefinition',
      name: { kind: 'Name', value: 'RecordFields' },
      typeCondition: { kind: 'NamedType', name: { kind: 'Name', value: 'RunEventRecord' } },
      selectionSet: {
        kind: 'SelectionSet',
        selections: [
          { kind: 'Field', name: { kind: 'Name', value: 'cursor' } },
          { kind: 'Field', name: { kind: 'Name', value: 'kind' } },
          { kind: 'Field', name: { kind: 'Name', value: 'time' } },
          { kind: 'Field', name: { kind: 'Name', value: 'step' } },
          { kind: 'Field', name: { kind: 'Name', value: 'attempt' } },
          {
            kind: 'Field',
            name: { kind: 'Name', value: 'body' },
            selectionSet: {
              kind: 'SelectionSet',
              selections: [
                { kind: 'Field', name: { kind: 'Name', value: '__typename' } },
                {
                  kind: 'InlineFragment',
                  typeCondition: { kind: 'NamedType', name: { kind: 'Name', value: 'StateEvent' } },
                  selectionSet: {
                    kind: 'SelectionSet',
                    selections: [
                      {
                        kind: 'Field',
                        alias: { kind: 'Name', value: 'stateBefore' },
                        name: { kind: 'Name', value: 'from' },
                      },
                      {
                        kind: 'Field',
                        alias: { kind: 'Name', value: 'stateNow' },
                        name: { kind: 'Name', value: 'to' },
                      },
                      { kind: 'Field', name: { kind: 'Name', value: 'message' } },
                      { kind: 'Field', name: { kind: 'Name', value: 'job' } },
                    ],
                  },
                },
                {
                  kind: 'InlineFragment',
                  typeCondition: { kind: 'NamedType', name: { kind: 'Name', value: 'CheckpointEvent' } },
                  selectionSet: {
                    kind: 'SelectionSet',
                    selections: [{ kind: 'Field', name: { kind: 'Name', value: 'folder' } }],
                  },
                },
                {
                  kind: 'InlineFragment',
                  typeCondition: { kind: 'NamedType', name: { kind: 'Name', value: 'LogEvent' } },
                  selectionSet: {
                    kind: 'SelectionSet',
                    selections: [
                      {
                        kind: 'Field',
                        alias: { kind: 'Name', value: 'line' },
                        name: { kind: 'Name', value: 'text' },
                      },
                    ],
                  },
                },
                {
                  kind: 'InlineFragment',
                  typeCondition: { kind: 'NamedType', name: { kind: 'Name', value: 'WarningEvent' } },
                  selectionSet: {
                    kind: 'SelectionSet',
                    selections: [
                      {
                        kind: 'Field',
                        alias: { kind: 'Name', value: 'warning' },
                        name: { kind: 'Name', value: 'code' },
                      },
                      { kind: 'Field', name: { kind: 'Name', value: 'message' } },
                    ],
                  },
                },
                {
                  kind: 'InlineFragment',
                  typeCondition: { kind: 'NamedType', name: { kind: 'Name', value: 'MonitorEvent' } },
                  selectionSet: {
                    kind: 'SelectionSet',
                    selections: [
                      {
                        kind: 'Field',
                        alias: { kind: 'Name', value: 'health' },
                        name: { kind: 'Name', value: 'state' },
                      },
                      {
                        kind: 'Field',
                        alias: { kind: 'Name', value: 'healthBefore' },
                        name: { kind: 'Name', value: 'previous' },
                      },
                      { kind: 'Field', name: { kind: 'Name', value: 'action' } },
                      { kind: 'Field', name: { kind: 'Name', value: 'restored' } },
                      { kind: 'Field', name: { kind: 'Name', value: 'message' } },
                      {
                        kind: 'Field',
                        name: { kind: 'Name', value: 'findings' },
                        selectionSet: {
                          kind: 'SelectionSet',
                          selections: [
                            { kind: 'Field', name: { kind: 'Name', value: 'rule' } },
                            { kind: 'Field', name: { kind: 'Name', value: 'level' } },
                            { kind: 'Field', name: { kind: 'Name', value: 'input' } },
                            { kind: 'Field', name: { kind: 'Name', value: 'measure' } },
                            { kind: 'Field', name: { kind: 'Name', value: 'limit' } },
                            { kind: 'Field', name: { kind: 'Name', value: 'value' } },
                            { kind: 'Field', name: { kind: 'Name', value: 'baseline' } },
                            { kind: 'Field', name: { kind: 'Name', value: 'since' } },
                            { kind: 'Field', name: { kind: 'Name', value: 'history' } },
                          ],
                        },
                      },
                    ],
                  },
                },
                {
                  kind: 'InlineFragment',
                  typeCondition: { kind: 'NamedType', name: { kind: 'Name', value: 'LevelEvent' } },
                  selectionSet: {
                    kind: 'SelectionSet',
                    selections: [
                      {
                        kind: 'Field',
                        alias: { kind: 'Name', value: 'levelBefore' },
                        name: { kind: 'Name', value: 'from' },
                      },
                      {
                        kind: 'Field',
                        alias: { kind: 'Name', value: 'levelNow' },
                        name: { kind: 'Name', value: 'to' },
                      },
                      { kind: 'Field', name: { kind: 'Name', value: 'levels' } },
                      { kind: 'Field', name: { kind: 'Name', value: 'successRate' } },
                    ],
                  },
                },
                {
                  kind: 'InlineFragment',
                  typeCondition: { kind: 'NamedType', name: { kind: 'Name', value: 'RunEndedEvent' } },
                  selectionSet: {
                    kind: 'SelectionSet',
                    selections: [
                      { kind: 'Field', name: { kind: 'Name', value: 'outcome' } },
                      { kind: 'Field', name: { kind: 'Name', value: 'message' } },
                    ],
                  },
                },
                {
                  kind: 'InlineFragment',
                  typeCondition: { kind: 'NamedType', name: { kind: 'Name', value: 'RunStartedEvent' } },
                  selectionSet: {
                    kind: 'SelectionSet',
                    selections: [{ kind: 'Field', name: { kind: 'Name', value: 'attempt' } }],
                  },
                },
                {
                  kind: 'InlineFragment',
                  typeCondition: { kind: 'NamedType', name: { kind: 'Name', value: 'ProcessEndedEvent' } },
                  selectionSet: {
                    kind: 'SelectionSet',
                    selections: [
                      {
                        kind: 'Field',
                        alias: { kind: 'Name', value: 'exitCode' },
                        name: { kind: 'Name', value: 'code' },
                      },
                      { kind: 'Field', name: { kind: 'Name', value: 'signal' } },
                      { kind: 'Field', name: { kind: 'Name', value: 'message' } },
                    ],
                  },
                },
              ],
            },
          },
        ],
      },
    },
    {
      kind: 'FragmentDefinition',
      name: { kind: 'Name', value: 'PageFields' },
      typeCondition: { kind: 'NamedType', name: { kind: 'Name', value: 'PageInfo' } },
      selectionSet: {
        kind: 'SelectionSet',
        selections: [
          { kind: 'Field', name: { kind: 'Name', value: 'startCursor' } },
          { kind: 'Field', name: { kind: 'Name', value: 'endCursor' } },
          { kind: 'Field', name: { kind: 'Name', value: 'hasNextPage' } },
          { kind: 'Field', name: { kind: 'Name', value: 'hasPreviousPage' } },
        ],
      },
    },
  ],
} as unknown as DocumentNode<ListRunEventsQuery, ListRunEventsQueryVariables>;
export const CountRunEventsDocument = {
  kind: 'Document',
  definitions: [
    {
      kind: 'OperationDefinition',
      operation: 'query',
      name: { kind: 'Name', value: 'CountRunEvents' },
      variableDefinitions: [
        {
          kind: 'VariableDefinition',
          variable: { kind: 'Variable', name: { kind: 'Name', value: 'runId' } },
          type: { kind: 'NonNullType', type: { kind: 'NamedType', name: { kind: 'Name', value: 'ID' } } },
        },
        {
          kind: 'VariableDefinition',
          variable: { kind: 'Variable', name: { kind: 'Name', value: 'filter' } },
          type: { kind: 'NamedType', name: { kind: 'Name', value: 'RunEventFilter' } },
        },
        {
          kind: 'VariableDefinition',
          variable: { kind: 'Variable', name: { kind: 'Name', value: 'ranges' } },
          type: { kind: 'NonNullType', type: { kind: 'NamedType', name: { kind: 'Name', value: 'Int' } } },
        },
      ],
      selectionSet: {
        kind: 'SelectionSet',
        selections: [
          {
            kind: 'Field',
            name: { kind: 'Name', value: 'runEventCounts' },
            arguments: [
              {
                kind: 'Argument',
                name: { kind: 'Name', value: 'runId' },
                value: { kind: 'Variable', name: { kind: 'Name', value: 'runId' } },
              },
              {
                kind: 'Argument',
                name: { kind: 'Name', value: 'filter' },
                value: { kind: 'Variable', name: { kind: 'Name', value: 'filter' } },
              },
              {
                kind: 'Argument',
                name: { kind: 'Name', value: 'ranges' },
                value: { kind: 'Variable', name: { kind: 'Name', value: 'ranges' } },
              },
            ],
            selectionSet: {
              kind: 'SelectionSet',
              selections: [
                { kind: 'Field', name: { kind: 'Name', value: 'cursor' } },
                {
                  kind: 'Field',
                  name: { kind: 'Name', value: 'counts' },
                  selectionSet: {
                    kind: 'SelectionSet',
                    selections: [
                      { kind: 'Field', name: { kind: 'Name', value: 'kind' } },
                      { kind: 'Field', name: { kind: 'Name', value: 'firstStep' } },
                      { kind: 'Field', name: { kind: 'Name', value: 'lastStep' } },
                      { kind: 'Field', name: { kind: 'Name', value: 'count' } },
                    ],
                  },
                },
              ],
            },
          },
        ],
      },
    },
  ],
} as unknown as DocumentNode<CountRunEventsQuery, CountRunEventsQueryVariables>;
export const ListLogLinesDocument = {
  kind: 'Document',
  definitions: [
    {
      kind: 'OperationDefinition',
      operation: 'query',
      name: { kind: 'Name', value: 'ListLogLines' },
      variableDefinitions: [
        {
          kind: 'VariableDefinition',
          variable: { kind: 'Variable', name: { kind: 'Name', value: 'id' } },
          type: { kind: 'NonNullType', type: { kind: 'NamedType', name: { kind: 'Name', value: 'ID' } } },
        },
        {
          kind: 'VariableDefinition',
          variable: { kind: 'Variable', name: { kind: 'Name', value: 'filter' } },
          type: { kind: 'NamedType', name: { kind: 'Name', value: 'LogFilter' } },
        },
        {
          kind: 'VariableDefinition',
          variable: { kind: 'Variable', name: { kind: 'Name', value: 'first' } },
          type: { kind: 'NamedType', name: { kind: 'Name', value: 'Int' } },
        },
        {
          kind: 'VariableDefinition',
          variable: { kind: 'Variable', name: { kind: 'Name', value: 'after' } },
          type: { kind: 'NamedType', name: { kind: 'Name', value: 'String' } },
        },
        {
          kind: 'VariableDefinition',
          variable: { kind: 'Variable', name: { kind: 'Name', value: 'last' } },
          type: { kind: 'NamedType', name: { kind: 'Name', value: 'Int' } },
        },
        {
          kind: 'VariableDefinition',
          variable: { kind: 'Variable', name: { kind: 'Name', value: 'before' } },
          type: { kind: 'NamedType', name: { kind: 'Name', value: 'String' } },
        },
        {
          kind: 'VariableDefinition',
          variable: { kind: 'Variable', name: { kind: 'Name', value: 'orderBy' } },
          type: { kind: 'NamedType', name: { kind: 'Name', value: 'LogLineOrder' } },
        },
      ],
      selectionSet: {
        kind: 'SelectionSet',
        selections: [
          {
            kind: 'Field',
            name: { kind: 'Name', value: 'runLogs' },
            arguments: [
              {
                kind: 'Argument',
                name: { kind: 'Name', value: 'runId' },
                value: { kind: 'Variable', name: { kind: 'Name', value: 'id' } },
              },
              {
                kind: 'Argument',
                name: { kind: 'Name', value: 'filter' },
                value: { kind: 'Variable', name: { kind: 'Name', value: 'filter' } },
              },
              {
                kind: 'Argument',
                name: { kind: 'Name', value: 'first' },
                value: { kind: 'Variable', name: { kind: 'Name', value: 'first' } },
              },
              {
                kind: 'Argument',
                name: { kind: 'Name', value: 'after' },
                value: { kind: 'Variable', name: { kind: 'Name', value: 'after' } },
              },
              {
                kind: 'Argument',
                name: { kind: 'Name', value: 'last' },
                value: { kind: 'Variable', name: { kind: 'Name', value: 'last' } },
              },
              {
                kind: 'Argument',
                name: { kind: 'Name', value: 'before' },
                value: { kind: 'Variable', name: { kind: 'Name', value: 'before' } },
              },
              {
                kind: 'Argument',
                name: { kind: 'Name', value: 'orderBy' },
                value: { kind: 'Variable', name: { kind: 'Name', value: 'orderBy' } },
              },
            ],
            selectionSet: {
              kind: 'SelectionSet',
              selections: [
                {
                  kind: 'Field',
                  name: { kind: 'Name', value: 'nodes' },
                  selectionSet: {
                    kind: 'SelectionSet',
                    selections: [
                      { kind: 'Field', name: { kind: 'Name', value: 'cursor' } },
                      { kind: 'Field', name: { kind: 'Name', value: 'time' } },
                      { kind: 'Field', name: { kind: 'Name', value: 'attempt' } },
                      { kind: 'Field', name: { kind: 'Name', value: 'text' } },
                    ],
                  },
                },
                {
                  kind: 'Field',
                  name: { kind: 'Name', value: 'pageInfo' },
                  selectionSet: {
                    kind: 'SelectionSet',
                    selections: [{ kind: 'FragmentSpread', name: { kind: 'Name', value: 'PageFields' } }],
                  },
                },
              ],
            },
          },
        ],
      },
    },
    {
      kind: 'FragmentDefinition',
      name: { kind: 'Name', value: 'PageFields' },
      typeCondition: { kind: 'NamedType', name: { kind: 'Name', value: 'PageInfo' } },
      selectionSet: {
        kind: 'SelectionSet',
        selections: [
          { kind: 'Field', name: { kind: 'Name', value: 'startCursor' } },
          { kind: 'Field', name: { kind: 'Name', value: 'endCursor' } },
          { kind: 'Field', name: { kind: 'Name', value: 'hasNextPage' } },
          { kind: 'Field', name: { kind: 'Name', value: 'hasPreviousPage' } },
        ],
      },
    },
  ],
} as unknown as DocumentNode<ListLogLinesQuery, ListLogLinesQueryVariables>;
export const ReadEtaDocument = {
  kind: 'Document',
  definitions: [
    {
      kind: 'OperationDefinition',
      operation: 'query',
      name: { kind: 'Name', value: 'ReadEta' },
      variableDefinitions: [
        {
          kind: 'VariableDefinition',
          variable: { kind: 'Variable', name: { kind: 'Name', value: 'id' } },
          type: { kind: 'NonNullType', type: { kind: 'NamedType', name: { kind: 'Name', value: 'ID' } } },
        },
      ],
      selectionSet: {
        kind: 'SelectionSet',
        selections: [
          {
            kind: 'Field',
            name: { kind: 'Name', value: 'run' },
            arguments: [
              {
                kind: 'Argument',
                name: { kind: 'Name', value: 'id' },
                value: { kind: 'Variable', name: { kind: 'Name', value: 'id' } },
              },
            ],
            selectionSet: {
              kind: 'SelectionSet',
              selections: [
                {
                  kind: 'Field',
                  name: { kind: 'Name', value: 'eta' },
                  selectionSet: {
                    kind: 'SelectionSet',
                    selections: [
                      { kind: 'Field', name: { kind: 'Name', value: 'seconds' } },
                      { kind: 'Field', name: { kind: 'Name', value: 'at' } },
                    ],
                  },
                },
              ],
            },
          },
        ],
      },
    },
  ],
} as unknown as DocumentNode<ReadEtaQuery, ReadEtaQueryVariables>;
export const BulkRunsDocument = {
  kind: 'Document',
  definitions: [
    {
      kind: 'OperationDefinition',
      operation: 'mutation',
      name: { kind: 'Name', value: 'BulkRuns' },
      variableDefinitions: [
        {
          kind: 'VariableDefinition',
          variable: { kind: 'Variable', name: { kind: 'Name', value: 'input' } },
          type: {
            kind: 'NonNullType',
            type: { kind: 'NamedType', name: { kind: 'Name', value: 'BulkRunsInput' } },
          },
        },
      ],
      selectionSet: {
        kind: 'SelectionSet',
        selections: [
          {
            kind: 'Field',
            name: { kind: 'Name', value: 'bulkRuns' },
            arguments: [
              {
                kind: 'Argument',
                name: { kind: 'Name', value: 'input' },
                value: { kind: 'Variable', name: { kind: 'Name', value: 'input' } },
              },
            ],
            selectionSet: {
              kind: 'SelectionSet',
              selections: [
                { kind: 'Field', name: { kind: 'Name', value: '__typename' } },
                {
                  kind: 'InlineFragment',
                  typeCondition: { kind: 'NamedType', name: { kind: 'Name', value: 'BulkRuns' } },
                  selectionSet: {
                    kind: 'SelectionSet',
                    selections: [
                      {
                        kind: 'Field',
                        name: { kind: 'Name', value: 'results' },
                        selectionSet: {
                          kind: 'SelectionSet',
                          selections: [
                            { kind: 'Field', name: { kind: 'Name', value: 'runId' } },
                            {
                              kind: 'Field',
                              name: { kind: 'Name', value: 'result' },
                              selectionSet: {
                                kind: 'SelectionSet',
                                selections: [
                                  { kind: 'Field', name: { kind: 'Name', value: '__typename' } },
                                  { kind: 'FragmentSpread', name: { kind: 'Name', value: 'RunFields' } },
                                  { kind: 'FragmentSpread', name: { kind: 'Name', value: 'RefusalFields' } },
                                ],
                              },
                            },
                          ],
                        },
                      },
                    ],
                  },
                },
                { kind: 'FragmentSpread', name: { kind: 'Name', value: 'RefusalFields' } },
              ],
            },
          },
        ],
      },
    },
    {
      kind: 'FragmentDefinition',
      name: { kind: 'Name', value: 'RunFields' },
      typeCondition: { kind: 'NamedType', name: { kind: 'Name', value: 'Run' } },
      selectionSet: {
        kind: 'SelectionSet',
        selections: [
          { kind: 'Field', name: { kind: 'Name', value: 'id' } },
          { kind: 'Field', name: { kind: 'Name', value: 'project' } },
          { kind: 'Field', name: { kind: 'Name', value: 'name' } },
          { kind: 'Field', name: { kind: 'Name', value: 'title' } },
          { kind: 'Field', name: { kind: 'Name', value: 'state' } },
          { kind: 'Field', name: { kind: 'Name', value: 'message' } },
          { kind: 'Field', name: { kind: 'Name', value: 'priority' } },
          { kind: 'Field', name: { kind: 'Name', value: 'tags' } },
          { kind: 'Field', name: { kind: 'Name', value: 'group' } },
          { kind: 'Field', name: { kind: 'Name', value: 'note' } },
          { kind: 'Field', name: { kind: 'Name', value: 'step' } },
          { kind: 'Field', name: { kind: 'Name', value: 'steps' } },
          { kind: 'Field', name: { kind: 'Name', value: 'latest' } },
          { kind: 'Field', name: { kind: 'Name', value: 'health' } },
          { kind: 'Field', name: { kind: 'Name', value: 'warnings' } },
          { kind: 'Field', name: { kind: 'Name', value: 'head' } },
          { kind: 'Field', name: { kind: 'Name', value: 'createdAt' } },
          { kind: 'Field', name: { kind: 'Name', value: 'createdBy' } },
          { kind: 'Field', name: { kind: 'Name', value: 'startedAt' } },
          { kind: 'Field', name: { kind: 'Name', value: 'endedAt' } },
          { kind: 'Field', name: { kind: 'Name', value: 'parentRunId' } },
          { kind: 'Field', name: { kind: 'Name', value: 'parentStep' } },
          { kind: 'Field', name: { kind: 'Name', value: 'continues' } },
          { kind: 'Field', name: { kind: 'Name', value: 'host' } },
          { kind: 'Field', name: { kind: 'Name', value: 'imported' } },
          { kind: 'Field', name: { kind: 'Name', value: 'specHash' } },
        ],
      },
    },
    {
      kind: 'FragmentDefinition',
      name: { kind: 'Name', value: 'RefusalFields' },
      typeCondition: { kind: 'NamedType', name: { kind: 'Name', value: 'Refusal' } },
      selectionSet: {
        kind: 'SelectionSet',
        selections: [
          { kind: 'Field', name: { kind: 'Name', value: 'code' } },
          { kind: 'Field', name: { kind: 'Name', value: 'message' } },
          { kind: 'Field', name: { kind: 'Name', value: 'remedy' } },
          {
            kind: 'InlineFragment',
            typeCondition: { kind: 'NamedType', name: { kind: 'Name', value: 'InvalidInput' } },
            selectionSet: {
              kind: 'SelectionSet',
              selections: [{ kind: 'Field', name: { kind: 'Name', value: 'problems' } }],
            },
          },
          {
            kind: 'InlineFragment',
            typeCondition: { kind: 'NamedType', name: { kind: 'Name', value: 'WrongState' } },
            selectionSet: {
              kind: 'SelectionSet',
              selections: [{ kind: 'Field', name: { kind: 'Name', value: 'state' } }],
            },
          },
        ],
      },
    },
  ],
} as unknown as DocumentNode<BulkRunsMutation, BulkRunsMutationVariables>;
export const EditRunDocument = {
  kind: 'Document',
  definitions: [
    {
      kind: 'OperationDefinition',
      operation: 'mutation',
      name: { kind: 'Name', value: 'EditRun' },
      variableDefinitions: [
        {
          kind: 'VariableDefinition',
          variable: { kind: 'Variable', name: { kind: 'Name', value: 'input' } },
          type: {
            kind: 'NonNullType',
            type: { kind: 'NamedType', name: { kind: 'Name', value: 'EditRunInput' } },
          },
        },
      ],
      selectionSet: {
        kind: 'SelectionSet',
        selections: [
          {
            kind: 'Field',
            name: { kind: 'Name', value: 'editRun' },
            arguments: [
              {
                kind: 'Argument',
                name: { kind: 'Name', value: 'input' },
                value: { kind: 'Variable', name: { kind: 'Name', value: 'input' } },
              },
            ],
            selectionSet: {
              kind: 'SelectionSet',
              selections: [
                { kind: 'Field', name: { kind: 'Name', value: '__typename' } },
                { kind: 'FragmentSpread', name: { kind: 'Name', value: 'RunFields' } },
                { kind: 'FragmentSpread', name: { kind: 'Name', value: 'RefusalFields' } },
              ],
            },
          },
        ],
      },
    },
    {
      kind: 'FragmentDefinition',
      name: { kind: 'Name', value: 'RunFields' },
      typeCondition: { kind: 'NamedType', name: { kind: 'Name', value: 'Run' } },
      selectionSet: {
        kind: 'SelectionSet',
        selections: [
          { kind: 'Field', name: { kind: 'Name', value: 'id' } },
          { kind: 'Field', name: { kind: 'Name', value: 'project' } },
          { kind: 'Field', name: { kind: 'Name', value: 'name' } },
          { kind: 'Field', name: { kind: 'Name', value: 'title' } },
          { kind: 'Field', name: { kind: 'Name', value: 'state' } },
          { kind: 'Field', name: { kind: 'Name', value: 'message' } },
          { kind: 'Field', name: { kind: 'Name', value: 'priority' } },
          { kind: 'Field', name: { kind: 'Name', value: 'tags' } },
          { kind: 'Field', name: { kind: 'Name', value: 'group' } },
          { kind: 'Field', name: { kind: 'Name', value: 'note' } },
          { kind: 'Field', name: { kind: 'Name', value: 'step' } },
          { kind: 'Field', name: { kind: 'Name', value: 'steps' } },
          { kind: 'Field', name: { kind: 'Name', value: 'latest' } },
          { kind: 'Field', name: { kind: 'Name', value: 'health' } },
          { kind: 'Field', name: { kind: 'Name', value: 'warnings' } },
          { kind: 'Field', name: { kind: 'Name', value: 'head' } },
          { kind: 'Field', name: { kind: 'Name', value: 'createdAt' } },
          { kind: 'Field', name: { kind: 'Name', value: 'createdBy' } },
          { kind: 'Field', name: { kind: 'Name', value: 'startedAt' } },
          { kind: 'Field', name: { kind: 'Name', value: 'endedAt' } },
          { kind: 'Field', name: { kind: 'Name', value: 'parentRunId' } },
          { kind: 'Field', name: { kind: 'Name', value: 'parentStep' } },
          { kind: 'Field', name: { kind: 'Name', value: 'continues' } },
          { kind: 'Field', name: { kind: 'Name', value: 'host' } },
          { kind: 'Field', name: { kind: 'Name', value: 'imported' } },
          { kind: 'Field', name: { kind: 'Name', value: 'specHash' } },
        ],
      },
    },
    {
      kind: 'FragmentDefinition',
      name: { kind: 'Name', value: 'RefusalFields' },
      typeCondition: { kind: 'NamedType', name: { kind: 'Name', value: 'Refusal' } },
      selectionSet: {
        kind: 'SelectionSet',
        selections: [
          { kind: 'Field', name: { kind: 'Name', value: 'code' } },
          { kind: 'Field', name: { kind: 'Name', value: 'message' } },
          { kind: 'Field', name: { kind: 'Name', value: 'remedy' } },
          {
            kind: 'InlineFragment',
            typeCondition: { kind: 'NamedType', name: { kind: 'Name', value: 'InvalidInput' } },
            selectionSet: {
              kind: 'SelectionSet',
              selections: [{ kind: 'Field', name: { kind: 'Name', value: 'problems' } }],
            },
          },
          {
            kind: 'InlineFragment',
            typeCondition: { kind: 'NamedType', name: { kind: 'Name', value: 'WrongState' } },
            selectionSet: {
              kind: 'SelectionSet',
              selections: [{ kind: 'Field', name: { kind: 'Name', value: 'state' } }],
            },
          },
        ],
      },
    },
  ],
} as unknown as DocumentNode<EditRunMutation, EditRunMutationVariables>;
export const ListCommentsDocument = {
  kind: 'Document',
  definitions: [
    {
      kind: 'OperationDefinition',
      operation: 'query',
      name: { kind: 'Name', value: 'ListComments' },
      variableDefinitions: [
        {
          kind: 'VariableDefinition',
          variable: { kind: 'Variable', name: { kind: 'Name', value: 'id' } },
          type: { kind: 'NonNullType', type: { kind: 'NamedType', name: { kind: 'Name', value: 'ID' } } },
        },
        {
          kind: 'VariableDefinition',
          variable: { kind: 'Variable', name: { kind: 'Name', value: 'filter' } },
          type: { kind: 'NamedType', name: { kind: 'Name', value: 'RunCommentFilter' } },
        },
        {
          kind: 'VariableDefinition',
          variable: { kind: 'Variable', name: { kind: 'Name', value: 'first' } },
          type: { kind: 'NamedType', name: { kind: 'Name', value: 'Int' } },
        },
        {
          kind: 'VariableDefinition',
          variable: { kind: 'Variable', name: { kind: 'Name', value: 'after' } },
          type: { kind: 'NamedType', name: { kind: 'Name', value: 'String' } },
        },
      ],
      selectionSet: {
        kind: 'SelectionSet',
        selections: [
          {
            kind: 'Field',
            name: { kind: 'Name', value: 'run' },
            arguments: [
              {
                kind: 'Argument',
                name: { kind: 'Name', value: 'id' },
                value: { kind: 'Variable', name: { kind: 'Name', value: 'id' } },
              },
            ],
            selectionSet: {
              kind: 'SelectionSet',
              selections: [
                {
                  kind: 'Field',
                  name: { kind: 'Name', value: 'comments' },
                  arguments: [
                    {
                      kind: 'Argument',
                      name: { kind: 'Name', value: 'filter' },
                      value: { kind: 'Variable', name: { kind: 'Name', value: 'filter' } },
                    },
                    {
                      kind: 'Argument',
                      name: { kind: 'Name', value: 'first' },
                      value: { kind: 'Variable', name: { kind: 'Name', value: 'first' } },
                    },
                    {
                      kind: 'Argument',
                      name: { kind: 'Name', value: 'after' },
                      value: { kind: 'Variable', name: { kind: 'Name', value: 'after' } },
                    },
                  ],
                  selectionSet: {
                    kind: 'SelectionSet',
                    selections: [
                      {
                        kind: 'Field',
                        name: { kind: 'Name', value: 'nodes' },
                        selectionSet: {
                          kind: 'SelectionSet',
                          selections: [
                            { kind: 'FragmentSpread', name: { kind: 'Name', value: 'CommentFields' } },
                          ],
                        },
                      },
                      {
                        kind: 'Field',
                        name: { kind: 'Name', value: 'pageInfo' },
                        selectionSet: {
                          kind: 'SelectionSet',
                          selections: [
                            { kind: 'FragmentSpread', name: { kind: 'Name', value: 'PageFields' } },
                          ],
                        },
                      },
                    ],
                  },
                },
              ],
            },
          },
        ],
      },
    },
    {
      kind: 'FragmentDefinition',
      name: { kind: 'Name', value: 'CommentFields' },
      typeCondition: { kind: 'NamedType', name: { kind: 'Name', value: 'RunComment' } },
      selectionSet: {
        kind: 'SelectionSet',
        selections: [
          { kind: 'Field', name: { kind: 'Name', value: 'id' } },
          { kind: 'Field', name: { kind: 'Name', value: 'runId' } },
          { kind: 'Field', name: { kind: 'Name', value: 'createdAt' } },
          { kind: 'Field', name: { kind: 'Name', value: 'createdBy' } },
          { kind: 'Field', name: { kind: 'Name', value: 'text' } },
          { kind: 'Field', name: { kind: 'Name', value: 'step' } },
          { kind: 'Field', name: { kind: 'Name', value: 'keyId' } },
          { kind: 'Field', name: { kind: 'Name', value: 'parentId' } },
          { kind: 'Field', name: { kind: 'Name', value: 'alertId' } },
          { kind: 'Field', name: { kind: 'Name', value: 'trajectoryId' } },
          { kind: 'Field', name: { kind: 'Name', value: 'turn' } },
          { kind: 'Field', name: { kind: 'Name', value: 'tokenStart' } },
          { kind: 'Field', name: { kind: 'Name', value: 'tokenEnd' } },
          { kind: 'Field', name: { kind: 'Name', value: 'editedAt' } },
          { kind: 'Field', name: { kind: 'Name', value: 'deletedAt' } },
        ],
      },
    },
    {
      kind: 'FragmentDefinition',
      name: { kind: 'Name', value: 'PageFields' },
      typeCondition: { kind: 'NamedType', name: { kind: 'Name', value: 'PageInfo' } },
      selectionSet: {
        kind: 'SelectionSet',
        selections: [
          { kind: 'Field', name: { kind: 'Name', value: 'startCursor' } },
          { kind: 'Field', name: { kind: 'Name', value: 'endCursor' } },
          { kind: 'Field', name: { kind: 'Name', value: 'hasNextPage' } },
          { kind: 'Field', name: { kind: 'Name', value: 'hasPreviousPage' } },
        ],
      },
    },
  ],
} as unknown as DocumentNode<ListCommentsQuery, ListCommentsQueryVariables>;
export const AddRunCommentDocument = {
  kind: 'Document',
  definitions: [
    {
      kind: 'OperationDefinition',
      operation: 'mutation',
      name: { kind: 'Name', value: 'AddRunComment' },
      variableDefinitions: [
        {
          kind: 'VariableDefinition',
          variable: { kind: 'Variable', name: { kind: 'Name', value: 'input' } },
          type: {
            kind: 'NonNullType',
            type: { kind: 'NamedType', name: { kind: 'Name', value: 'AddRunCommentInput' } },
          },
        },
      ],
      selectionSet: {
        kind: 'SelectionSet',
        selections: [
          {
            kind: 'Field',
            name: { kind: 'Name', value: 'addRunComment' },
            arguments: [
              {
                kind: 'Argument',
                name: { kind: 'Name', value: 'input' },
                value: { kind: 'Variable', name: { kind: 'Name', value: 'input' } },
              },
            ],
            selectionSet: {
              kind: 'SelectionSet',
              selections: [
                { kind: 'Field', name: { kind: 'Name', value: '__typename' } },
                { kind: 'FragmentSpread', name: { kind: 'Name', value: 'CommentFields' } },
                { kind: 'FragmentSpread', name: { kind: 'Name', value: 'RefusalFields' } },
              ],
            },
          },
        ],
      },
    },
    {
      kind: 'FragmentDefinition',
      name: { kind: 'Name', value: 'CommentFields' },
      typeCondition: { kind: 'NamedType', name: { kind: 'Name', value: 'RunComment' } },
      selectionSet: {
        kind: 'SelectionSet',
        selections: [
          { kind: 'Field', name: { kind: 'Name', value: 'id' } },
          { kind: 'Field', name: { kind: 'Name', value: 'runId' } },
          { kind: 'Field', name: { kind: 'Name', value: 'createdAt' } },
          { kind: 'Field', name: { kind: 'Name', value: 'createdBy' } },
          { kind: 'Field', name: { kind: 'Name', value: 'text' } },
          { kind: 'Field', name: { kind: 'Name', value: 'step' } },
          { kind: 'Field', name: { kind: 'Name', value: 'keyId' } },
          { kind: 'Field', name: { kind: 'Name', value: 'parentId' } },
          { kind: 'Field', name: { kind: 'Name', value: 'alertId' } },
          { kind: 'Field', name: { kind: 'Name', value: 'trajectoryId' } },
          { kind: 'Field', name: { kind: 'Name', value: 'turn' } },
          { kind: 'Field', name: { kind: 'Name', value: 'tokenStart' } },
          { kind: 'Field', name: { kind: 'Name', value: 'tokenEnd' } },
          { kind: 'Field', name: { kind: 'Name', value: 'editedAt' } },
          { kind: 'Field', name: { kind: 'Name', value: 'deletedAt' } },
        ],
      },
    },
    {
      kind: 'FragmentDefinition',
      name: { kind: 'Name', value: 'RefusalFields' },
      typeCondition: { kind: 'NamedType', name: { kind: 'Name', value: 'Refusal' } },
      selectionSet: {
        kind: 'SelectionSet',
        selections: [
          { kind: 'Field', name: { kind: 'Name', value: 'code' } },
          { kind: 'Field', name: { kind: 'Name', value: 'message' } },
          { kind: 'Field', name: { kind: 'Name', value: 'remedy' } },
          {
            kind: 'InlineFragment',
            typeCondition: { kind: 'NamedType', name: { kind: 'Name', value: 'InvalidInput' } },
            selectionSet: {
              kind: 'SelectionSet',
              selections: [{ kind: 'Field', name: { kind: 'Name', value: 'problems' } }],
            },
          },
          {
            kind: 'InlineFragment',
            typeCondition: { kind: 'NamedType', name: { kind: 'Name', value: 'WrongState' } },
            selectionSet: {
              kind: 'SelectionSet',
              selections: [{ kind: 'Field', name: { kind: 'Name', value: 'state' } }],
            },
          },
        ],
      },
    },
  ],
} as unknown as DocumentNode<AddRunCommentMutation, AddRunCommentMutationVariables>;
export const EditRunCommentDocument = {
  kind: 'Document',
  definitions: [
    {
      kind: 'OperationDefinition',
      operation: 'mutation',
      name: { kind: 'Name', value: 'EditRunComment' },
      variableDefinitions: [
        {
          kind: 'VariableDefinition',
          variable: { kind: 'Variable', name: { kind: 'Name', value: 'input' } },
          type: {
            kind: 'NonNullType',
            type: { kind: 'NamedType', name: { kind: 'Name', value: 'EditRunCommentInput' } },
          },
        },
      ],
      selectionSet: {
        kind: 'SelectionSet',
        selections: [
          {
            kind: 'Field',
            name: { kind: 'Name', value: 'editRunComment' },
            arguments: [
              {
                kind: 'Argument',
                name: { kind: 'Name', value: 'input' },
                value: { kind: 'Variable', name: { kind: 'Name', value: 'input' } },
              },
            ],
            selectionSet: {
              kind: 'SelectionSet',
              selections: [
                { kind: 'Field', name: { kind: 'Name', value: '__typename' } },
                { kind: 'FragmentSpread', name: { kind: 'Name', value: 'CommentFields' } },
                { kind: 'FragmentSpread', name: { kind: 'Name', value: 'RefusalFields' } },
              ],
            },
          },
        ],
      },
    },
    {
      kind: 'FragmentDefinition',
      name: { kind: 'Name', value: 'CommentFields' },
      typeCondition: { kind: 'NamedType', name: { kind: 'Name', value: 'RunComment' } },
      selectionSet: {
        kind: 'SelectionSet',
        selections: [
          { kind: 'Field', name: { kind: 'Name', value: 'id' } },
          { kind: 'Field', name: { kind: 'Name', value: 'runId' } },
          { kind: 'Field', name: { kind: 'Name', value: 'createdAt' } },
          { kind: 'Field', name: { kind: 'Name', value: 'createdBy' } },
          { kind: 'Field', name: { kind: 'Name', value: 'text' } },
          { kind: 'Field', name: { kind: 'Name', value: 'step' } },
          { kind: 'Field', name: { kind: 'Name', value: 'keyId' } },
          { kind: 'Field', name: { kind: 'Name', value: 'parentId' } },
          { kind: 'Field', name: { kind: 'Name', value: 'alertId' } },
          { kind: 'Field', name: { kind: 'Name', value: 'trajectoryId' } },
          { kind: 'Field', name: { kind: 'Name', value: 'turn' } },
          { kind: 'Field', name: { kind: 'Name', value: 'tokenStart' } },
          { kind: 'Field', name: { kind: 'Name', value: 'tokenEnd' } },
          { kind: 'Field', name: { kind: 'Name', value: 'editedAt' } },
          { kind: 'Field', name: { kind: 'Name', value: 'deletedAt' } },
        ],
      },
    },
    {
      kind: 'FragmentDefinition',
      name: { kind: 'Name', value: 'RefusalFields' },
      typeCondition: { kind: 'NamedType', name: { kind: 'Name', value: 'Refusal' } },
      selectionSet: {
        kind: 'SelectionSet',
        selections: [
          { kind: 'Field', name: { kind: 'Name', value: 'code' } },
          { kind: 'Field', name: { kind: 'Name', value: 'message' } },
          { kind: 'Field', name: { kind: 'Name', value: 'remedy' } },
          {
            kind: 'InlineFragment',
            typeCondition: { kind: 'NamedType', name: { kind: 'Name', value: 'InvalidInput' } },
            selectionSet: {
              kind: 'SelectionSet',
              selections: [{ kind: 'Field', name: { kind: 'Name', value: 'problems' } }],
            },
          },
          {
            kind: 'InlineFragment',
            typeCondition: { kind: 'NamedType', name: { kind: 'Name', value: 'WrongState' } },
            selectionSet: {
              kind: 'SelectionSet',
              selections: [{ kind: 'Field', name: { kind: 'Name', value: 'state' } }],
            },
          },
        ],
      },
    },
  ],
} as unknown as DocumentNode<EditRunCommentMutation, EditRunCommentMutationVariables>;
export const WatchCommentsDocument = {
  kind: 'Document',
  definitions: [
    {
      kind: 'OperationDefinition',
      operation: 'subscription',
      name: { kind: 'Name', value: 'WatchComments' },
      variableDefinitions: [
        {
          kind: 'VariableDefinition',
          variable: { kind: 'Variable', name: { kind: 'Name', value: 'runId' } },
          type: { kind: 'NonNullType', type: { kind: 'NamedType', name: { kind: 'Name', value: 'ID' } } },
        },
      ],
      selectionSet: {
        kind: 'SelectionSet',
        selections: [
          {
            kind: 'Field',
            name: { kind: 'Name', value: 'runCommentChanged' },
            arguments: [
              {
                kind: 'Argument',
                name: { kind: 'Name', value: 'runId' },
                value: { kind: 'Variable', name: { kind: 'Name', value: 'runId' } },
              },
            ],
            selectionSet: {
              kind: 'SelectionSet',
              selections: [
                { kind: 'Field', name: { kind: 'Name', value: 'isDeleted' } },
                {
                  kind: 'Field',
                  name: { kind: 'Name', value: 'comment' },
                  selectionSet: {
                    kind: 'SelectionSet',
                    selections: [{ kind: 'FragmentSpread', name: { kind: 'Name', value: 'CommentFields' } }],
                  },
                },
              ],
            },
          },
        ],
      },
    },
    {
      kind: 'FragmentDefinition',
      name: { kind: 'Name', value: 'CommentFields' },
      typeCondition: { kind: 'NamedType', name: { kind: 'Name', value: 'RunComment' } },
      selectionSet: {
        kind: 'SelectionSet',
        selections: [
          { kind: 'Field', name: { kind: 'Name', value: 'id' } },
          { kind: 'Field', name: { kind: 'Name', value: 'runId' } },
          { kind: 'Field', name: { kind: 'Name', value: 'createdAt' } },
          { kind: 'Field', name: { kind: 'Name', value: 'createdBy' } },
          { kind: 'Field', name: { kind: 'Name', value: 'text' } },
          { kind: 'Field', name: { kind: 'Name', value: 'step' } },
          { kind: 'Field', name: { kind: 'Name', value: 'keyId' } },
          { kind: 'Field', name: { kind: 'Name', value: 'parentId' } },
          { kind: 'Field', name: { kind: 'Name', value: 'alertId' } },
          { kind: 'Field', name: { kind: 'Name', value: 'trajectoryId' } },
          { kind: 'Field', name: { kind: 'Name', value: 'turn' } },
          { kind: 'Field', name: { kind: 'Name', value: 'tokenStart' } },
          { kind: 'Field', name: { kind: 'Name', value: 'tokenEnd' } },
          { kind: 'Field', name: { kind: 'Name', value: 'editedAt' } },
          { kind: 'Field', name: { kind: 'Name', value: 'deletedAt' } },
        ],
      },
    },
  ],
} as unknown as DocumentNode<WatchCommentsSubscription, WatchCommentsSubscriptionVariables>;
export const DeleteRunCommentDocument = {
  kind: 'Document',
  definitions: [
    {
      kind: 'OperationDefinition',
      operation: 'mutation',
      name: { kind: 'Name', value: 'DeleteRunComment' },
      variableDefinitions: [
        {
          kind: 'VariableDefinition',
          variable: { kind: 'Variable', name: { kind: 'Name', value: 'input' } },
          type: {
            kind: 'NonNullType',
            type: { kind: 'NamedType', name: { kind: 'Name', value: 'DeleteRunCommentInput' } },
          },
        },
      ],
      selectionSet: {
        kind: 'SelectionSet',
        selections: [
          {
            kind: 'Field',
            name: { kind: 'Name', value: 'deleteRunComment' },
            arguments: [
              {
                kind: 'Argument',
                name: { kind: 'Name', value: 'input' },
                value: { kind: 'Variable', name: { kind: 'Name', value: 'input' } },
              },
            ],
            selectionSet: {
              kind: 'SelectionSet',
              selections: [
                { kind: 'Field', name: { kind: 'Name', value: '__typename' } },
                { kind: 'FragmentSpread', name: { kind: 'Name', value: 'CommentFields' } },
                { kind: 'FragmentSpread', name: { kind: 'Name', value: 'RefusalFields' } },
              ],
            },
          },
        ],
      },
    },
    {
      kind: 'FragmentDefinition',
      name: { kind: 'Name', value: 'CommentFields' },
      typeCondition: { kind: 'NamedType', name: { kind: 'Name', value: 'RunComment' } },
      selectionSet: {
        kind: 'SelectionSet',
        selections: [
          { kind: 'Field', name: { kind: 'Name', value: 'id' } },
          { kind: 'Field', name: { kind: 'Name', value: 'runId' } },
          { kind: 'Field', name: { kind: 'Name', value: 'createdAt' } },
          { kind: 'Field', name: { kind: 'Name', value: 'createdBy' } },
          { kind: 'Field', name: { kind: 'Name', value: 'text' } },
          { kind: 'Field', name: { kind: 'Name', value: 'step' } },
          { kind: 'Field', name: { kind: 'Name', value: 'keyId' } },
          { kind: 'Field', name: { kind: 'Name', value: 'parentId' } },
          { kind: 'Field', name: { kind: 'Name', value: 'alertId' } },
          { kind: 'Field', name: { kind: 'Name', value: 'trajectoryId' } },
          { kind: 'Field', name: { kind: 'Name', value: 'turn' } },
          { kind: 'Field', name: { kind: 'Name', value: 'tokenStart' } },
          { kind: 'Field', name: { kind: 'Name', value: 'tokenEnd' } },
          { kind: 'Field', name: { kind: 'Name', value: 'editedAt' } },
          { kind: 'Field', name: { kind: 'Name', value: 'deletedAt' } },
        ],
      },
    },
    {
      kind: 'FragmentDefinition',
      name: { kind: 'Name', value: 'RefusalFields' },
      typeCondition: { kind: 'NamedType', name: { kind: 'Name', value: 'Refusal' } },
      selectionSet: {
        kind: 'SelectionSet',
        selections: [
          { kind: 'Field', name: { kind: 'Name', value: 'code' } },
          { kind: 'Field', name: { kind: 'Name', value: 'message' } },
          { kind: 'Field', name: { kind: 'Name', value: 'remedy' } },
          {
            kind: 'InlineFragment',
            typeCondition: { kind: 'NamedType', name: { kind: 'Name', value: 'InvalidInput' } },
            selectionSet: {
              kind: 'SelectionSet',
              selections: [{ kind: 'Field', name: { kind: 'Name', value: 'problems' } }],
            },
          },
          {
            kind: 'InlineFragment',
            typeCondition: { kind: 'NamedType', name: { kind: 'Name', value: 'WrongState' } },
            selectionSet: {
              kind: 'SelectionSet',
              selections: [{ kind: 'Field', name: { kind: 'Name', value: 'state' } }],
            },
          },
        ],
      },
    },
  ],
} as unknown as DocumentNode<DeleteRunCommentMutation, DeleteRunCommentMutationVariables>;
export const WatchRunsDocument = {
  kind: 'Document',
  definitions: [
    {
      kind: 'OperationDefinition',
      operation: 'subscription',
      name: { kind: 'Name', value: 'WatchRuns' },
      variableDefinitions: [
        {
          kind: 'VariableDefinition',
          variable: { kind: 'Variable', name: { kind: 'Name', value: 'runId' } },
          type: { kind: 'NamedType', name: { kind: 'Name', value: 'ID' } },
        },
        {
          kind: 'VariableDefinition',
          variable: { kind: 'Variable', name: { kind: 'Name', value: 'project' } },
          type: { kind: 'NamedType', name: { kind: 'Name', value: 'String' } },
        },
      ],
      selectionSet: {
        kind: 'SelectionSet',
        selections: [
          {
            kind: 'Field',
            name: { kind: 'Name', value: 'runChanged' },
            arguments: [
              {
                kind: 'Argument',
                name: { kind: 'Name', value: 'runId' },
                value: { kind: 'Variable', name: { kind: 'Name', value: 'runId' } },
              },
              {
                kind: 'Argument',
                name: { kind: 'Name', value: 'project' },
                value: { kind: 'Variable', name: { kind: 'Name', value: 'project' } },
              },
            ],
            selectionSet: {
              kind: 'SelectionSet',
              selections: [{ kind: 'FragmentSpread', name: { kind: 'Name', value: 'RunFields' } }],
            },
          },
        ],
      },
    },
    {
      kind: 'FragmentDefinition',
      name: { kind: 'Name', value: 'RunFields' },
      typeCondition: { kind: 'NamedType', name: { kind: 'Name', value: 'Run' } },
      selectionSet: {
        kind: 'SelectionSet',
        selections: [
          { kind: 'Field', name: { kind: 'Name', value: 'id' } },
          { kind: 'Field', name: { kind: 'Name', value: 'project' } },
          { kind: 'Field', name: { kind: 'Name', value: 'name' } },
          { kind: 'Field', name: { kind: 'Name', value: 'title' } },
          { kind: 'Field', name: { kind: 'Name', value: 'state' } },
          { kind: 'Field', name: { kind: 'Name', value: 'message' } },
          { kind: 'Field', name: { kind: 'Name', value: 'priority' } },
          { kind: 'Field', name: { kind: 'Name', value: 'tags' } },
          { kind: 'Field', name: { kind: 'Name', value: 'group' } },
          { kind: 'Field', name: { kind: 'Name', value: 'note' } },
          { kind: 'Field', name: { kind: 'Name', value: 'step' } },
          { kind: 'Field', name: { kind: 'Name', value: 'steps' } },
          { kind: 'Field', name: { kind: 'Name', value: 'latest' } },
          { kind: 'Field', name: { kind: 'Name', value: 'health' } },
          { kind: 'Field', name: { kind: 'Name', value: 'warnings' } },
          { kind: 'Field', name: { kind: 'Name', value: 'head' } },
          { kind: 'Field', name: { kind: 'Name', value: 'createdAt' } },
          { kind: 'Field', name: { kind: 'Name', value: 'createdBy' } },
          { kind: 'Field', name: { kind: 'Name', value: 'startedAt' } },
          { kind: 'Field', name: { kind: 'Name', value: 'endedAt' } },
          { kind: 'Field', name: { kind: 'Name', value: 'parentRunId' } },
          { kind: 'Field', name: { kind: 'Name', value: 'parentStep' } },
          { kind: 'Field', name: { kind: 'Name', value: 'continues' } },
          { kind: 'Field', name: { kind: 'Name', value: 'host' } },
          { kind: 'Field', name: { kind: 'Name', value: 'imported' } },
          { kind: 'Field', name: { kind: 'Name', value: 'specHash' } },
        ],
      },
    },
  ],
} as unknown as DocumentNode<WatchRunsSubscription, WatchRunsSubscriptionVariables>;
export const CompareRunsDocument = {
  kind: 'Document',
  definitions: [
    {
      kind: 'OperationDefinition',
      operation: 'query',
      name: { kind: 'Name', value: 'CompareRuns' },
      variableDefinitions: [
        {
          kind: 'VariableDefinition',
          variable: { kind: 'Variable', name: { kind: 'Name', value: 'ids' } },
          type: {
            kind: 'NonNullType',
            type: {
              kind: 'ListType',
              type: { kind: 'NonNullType', type: { kind: 'NamedType', name: { kind: 'Name', value: 'ID' } } },
            },
          },
        },
        {
          kind: 'VariableDefinition',
          variable: { kind: 'Variable', name: { kind: 'Name', value: 'metrics' } },
          type: {
            kind: 'ListType',
            type: {
              kind: 'NonNullType',
              type: { kind: 'NamedType', name: { kind: 'Name', value: 'String' } },
            },
          },
        },
        {
          kind: 'VariableDefinition',
          variable: { kind: 'Variable', name: { kind: 'Name', value: 'last' } },
          type: { kind: 'NonNullType', type: { kind: 'NamedType', name: { kind: 'Name', value: 'Int' } } },
        },
        {
          kind: 'VariableDefinition',
          variable: { kind: 'Variable', name: { kind: 'Name', value: 'by' } },
          type: {
            kind: 'ListType',
            type: {
              kind: 'NonNullType',
              type: { kind: 'NamedType', name: { kind: 'Name', value: 'String' } },
            },
          },
        },
        {
          kind: 'VariableDefinition',
          variable: { kind: 'Variable', name: { kind: 'Name', value: 'fromStep' } },
          type: { kind: 'NamedType', name: { kind: 'Name', value: 'Int' } },
        },
        {
          kind: 'VariableDefinition',
          variable: { kind: 'Variable', name: { kind: 'Name', value: 'toStep' } },
          type: { kind: 'NamedType', name: { kind: 'Name', value: 'Int' } },
        },
        {
          kind: 'VariableDefinition',
          variable: { kind: 'Variable', name: { kind: 'Name', value: 'axis' } },
          type: {
            kind: 'NonNullType',
            type: { kind: 'NamedType', name: { kind: 'Name', value: 'CurveAxis' } },
          },
        },
        {
          kind: 'VariableDefinition',
          variable: { kind: 'Variable', name: { kind: 'Name', value: 'points' } },
          type: { kind: 'NonNullType', type: { kind: 'NamedType', name: { kind: 'Name', value: 'Int' } } },
        },
        {
          kind: 'VariableDefinition',
          variable: { kind: 'Variable', name: { kind: 'Name', value: 'ledger' } },
          type: {
            kind: 'NonNullType',
            type: { kind: 'NamedType', name: { kind: 'Name', value: 'Boolean' } },
          },
        },
      ],
      selectionSet: {
        kind: 'SelectionSet',
        selections: [
          {
            kind: 'Field',
            name: { kind: 'Name', value: 'compareRuns' },
            arguments: [
              {
                kind: 'Argument',
                name: { kind: 'Name', value: 'ids' },
                value: { kind: 'Variable', name: { kind: 'Name', value: 'ids' } },
              },
              {
                kind: 'Argument',
                name: { kind: 'Name', value: 'metrics' },
                value: { kind: 'Variable', name: { kind: 'Name', value: 'metrics' } },
              },
              {
                kind: 'Argument',
                name: { kind: 'Name', value: 'last' },
                value: { kind: 'Variable', name: { kind: 'Name', value: 'last' } },
              },
              {
                kind: 'Argument',
                name: { kind: 'Name', value: 'by' },
                value: { kind: 'Variable', name: { kind: 'Name', value: 'by' } },
              },
              {
                kind: 'Argument',
                name: { kind: 'Name', value: 'fromStep' },
                value: { kind: 'Variable', name: { kind: 'Name', value: 'fromStep' } },
              },
              {
                kind: 'Argument',
                name: { kind: 'Name', value: 'toStep' },
                value: { kind: 'Variable', name: { kind: 'Name', value: 'toStep' } },
              },
              {
                kind: 'Argument',
                name: { kind: 'Name', value: 'axis' },
                value: { kind: 'Variable', name: { kind: 'Name', value: 'axis' } },
              },
              {
                kind: 'Argument',
                name: { kind: 'Name', value: 'points' },
                value: { kind: 'Variable', name: { kind: 'Name', value: 'points' } },
              },
              {
                kind: 'Argument',
                name: { kind: 'Name', value: 'ledger' },
                value: { kind: 'Variable', name: { kind: 'Name', value: 'ledger' } },
              },
            ],
            selectionSet: {
              kind: 'SelectionSet',
              selections: [
                {
                  kind: 'Field',
                  name: { kind: 'Name', value: 'runs' },
                  selectionSet: {
                    kind: 'SelectionSet',
                    selections: [{ kind: 'FragmentSpread', name: { kind: 'Name', value: 'RunFields' } }],
                  },
                },
                {
                  kind: 'Field',
                  name: { kind: 'Name', value: 'differences' },
                  selectionSet: {
                    kind: 'SelectionSet',
                    selections: [
                      { kind: 'Field', name: { kind: 'Name', value: 'path' } },
                      { kind: 'Field', name: { kind: 'Name', value: 'values' } },
                    ],
                  },
                },
                {
                  kind: 'Field',
                  name: { kind: 'Name', value: 'groups' },
                  selectionSet: {
                    kind: 'SelectionSet',
                    selections: [
                      { kind: 'Field', name: { kind: 'Name', value: 'runIds' } },
                      { kind: 'Field', name: { kind: 'Name', value: 'seeds' } },
                      { kind: 'Field', name: { kind: 'Name', value: 'values' } },
                    ],
                  },
                },
                {
                  kind: 'Field',
                  name: { kind: 'Name', value: 'metrics' },
                  selectionSet: {
                    kind: 'SelectionSet',
                    selections: [
                      { kind: 'Field', name: { kind: 'Name', value: 'name' } },
                      { kind: 'Field', name: { kind: 'Name', value: 'x' } },
                      {
                        kind: 'Field',
                        name: { kind: 'Name', value: 'runs' },
                        selectionSet: {
                          kind: 'SelectionSet',
                          selections: [
                            { kind: 'Field', name: { kind: 'Name', value: 'runId' } },
                            { kind: 'Field', name: { kind: 'Name', value: 'count' } },
                            { kind: 'Field', name: { kind: 'Name', value: 'last' } },
                            { kind: 'Field', name: { kind: 'Name', value: 'lastStep' } },
                            { kind: 'Field', name: { kind: 'Name', value: 'min' } },
                            { kind: 'Field', name: { kind: 'Name', value: 'minStep' } },
                            { kind: 'Field', name: { kind: 'Name', value: 'max' } },
                            { kind: 'Field', name: { kind: 'Name', value: 'maxStep' } },
                            { kind: 'Field', name: { kind: 'Name', value: 'tailMean' } },
                          ],
                        },
                      },
                      {
                        kind: 'Field',
                        name: { kind: 'Name', value: 'groups' },
                        selectionSet: {
                          kind: 'SelectionSet',
                          selections: [
                            { kind: 'Field', name: { kind: 'Name', value: 'group' } },
                            {
                              kind: 'Field',
                              name: { kind: 'Name', value: 'last' },
                              selectionSet: {
                                kind: 'SelectionSet',
                                selections: [
                                  { kind: 'FragmentSpread', name: { kind: 'Name', value: 'SpreadFields' } },
                                ],
                              },
                            },
                            {
                              kind: 'Field',
                              name: { kind: 'Name', value: 'tailMean' },
                              selectionSet: {
                                kind: 'SelectionSet',
                                selections: [
                                  { kind: 'FragmentSpread', name: { kind: 'Name', value: 'SpreadFields' } },
                                ],
                              },
                            },
                            {
                              kind: 'Field',
                              name: { kind: 'Name', value: 'max' },
                              selectionSet: {
                                kind: 'SelectionSet',
                                selections: [
                                  { kind: 'FragmentSpread', name: { kind: 'Name', value: 'SpreadFields' } },
                                ],
                              },
                            },
                            {
                              kind: 'Field',
                              name: { kind: 'Name', value: 'min' },
                              selectionSet: {
                                kind: 'SelectionSet',
                                selections: [
                                  { kind: 'FragmentSpread', name: { kind: 'Name', value: 'SpreadFields' } },
                                ],
                              },
                            },
                            {
                              kind: 'Field',
                              name: { kind: 'Name', value: 'curve' },
                              selectionSet: {
                                kind: 'SelectionSet',
                                selections: [
                                  { kind: 'Field', name: { kind: 'Name', value: 'counts' } },
                                  { kind: 'Field', name: { kind: 'Name', value: 'mean' } },
                                  { kind: 'Field', name: { kind: 'Name', value: 'low' } },
                                  { kind: 'Field', name: { kind: 'Name', value: 'high' } },
                                  { kind: 'Field', name: { kind: 'Name', value: 'min' } },
                                  { kind: 'Field', name: { kind: 'Name', value: 'max' } },
                                ],
                              },
                            },
                          ],
                        },
                      },
                    ],
                  },
                },
                {
                  kind: 'Field',
                  name: { kind: 'Name', value: 'ledgers' },
                  selectionSet: {
                    kind: 'SelectionSet',
                    selections: [
                      { kind: 'Field', name: { kind: 'Name', value: 'runId' } },
                      { kind: 'Field', name: { kind: 'Name', value: 'steps' } },
                      { kind: 'Field', name: { kind: 'Name', value: 'wallSeconds' } },
                      { kind: 'Field', name: { kind: 'Name', value: 'processorSeconds' } },
                      { kind: 'Field', name: { kind: 'Name', value: 'energyJoules' } },
                      { kind: 'Field', name: { kind: 'Name', value: 'energySource' } },
                      {
                        kind: 'Field',
                        name: { kind: 'Name', value: 'phases' },
                        selectionSet: {
                          kind: 'SelectionSet',
                          selections: [
                            { kind: 'Field', name: { kind: 'Name', value: 'phase' } },
                            { kind: 'Field', name: { kind: 'Name', value: 'wallSeconds' } },
                            { kind: 'Field', name: { kind: 'Name', value: 'processorSeconds' } },
                            { kind: 'Field', name: { kind: 'Name', value: 'energyJoules' } },
                          ],
                        },
                      },
                      { kind: 'Field', name: { kind: 'Name', value: 'sampledTokens' } },
                      { kind: 'Field', name: { kind: 'Name', value: 'trainedTokens' } },
                      { kind: 'Field', name: { kind: 'Name', value: 'environmentSteps' } },
                      { kind: 'Field', name: { kind: 'Name', value: 'episodes' } },
                      { kind: 'Field', name: { kind: 'Name', value: 'optimizerSteps' } },
                      { kind: 'Field', name: { kind: 'Name', value: 'successPoints' } },
                      { kind: 'Field', name: { kind: 'Name', value: 'perMillionTokens' } },
                      { kind: 'Field', name: { kind: 'Name', value: 'perThousandInteractions' } },
                      { kind: 'Field', name: { kind: 'Name', value: 'perDeviceHour' } },
                      { kind: 'Field', name: { kind: 'Name', value: 'price' } },
                      { kind: 'Field', name: { kind: 'Name', value: 'perPrice' } },
                    ],
                  },
                },
              ],
            },
          },
        ],
      },
    },
    {
      kind: 'FragmentDefinition',
      name: { kind: 'Name', value: 'RunFields' },
      typeCondition: { kind: 'NamedType', name: { kind: 'Name', value: 'Run' } },
      selectionSet: {
        kind: 'SelectionSet',
        selections: [
          { kind: 'Field', name: { kind: 'Name', value: 'id' } },
          { kind: 'Field', name: { kind: 'Name', value: 'project' } },
          { kind: 'Field', name: { kind: 'Name', value: 'name' } },
          { kind: 'Field', name: { kind: 'Name', value: 'title' } },
          { kind: 'Field', name: { kind: 'Name', value: 'state' } },
          { kind: 'Field', name: { kind: 'Name', value: 'message' } },
          { kind: 'Field', name: { kind: 'Name', value: 'priority' } },
          { kind: 'Field', name: { kind: 'Name', value: 'tags' } },
          { kind: 'Field', name: { kind: 'Name', value: 'group' } },
          { kind: 'Field', name: { kind: 'Name', value: 'note' } },
          { kind: 'Field', name: { kind: 'Name', value: 'step' } },
          { kind: 'Field', name: { kind: 'Name', value: 'steps' } },
          { kind: 'Field', name: { kind: 'Name', value: 'latest' } },
          { kind: 'Field', name: { kind: 'Name', value: 'health' } },
          { kind: 'Field', name: { kind: 'Name', value: 'warnings' } },
          { kind: 'Field', name: { kind: 'Name', value: 'head' } },
          { kind: 'Field', name: { kind: 'Name', value: 'createdAt' } },
          { kind: 'Field', name: { kind: 'Name', value: 'createdBy' } },
          { kind: 'Field', name: { kind: 'Name', value: 'startedAt' } },
          { kind: 'Field', name: { kind: 'Name', value: 'endedAt' } },
          { kind: 'Field', name: { kind: 'Name', value: 'parentRunId' } },
          { kind: 'Field', name: { kind: 'Name', value: 'parentStep' } },
          { kind: 'Field', name: { kind: 'Name', value: 'continues' } },
          { kind: 'Field', name: { kind: 'Name', value: 'host' } },
          { kind: 'Field', name: { kind: 'Name', value: 'imported' } },
          { kind: 'Field', name: { kind: 'Name', value: 'specHash' } },
        ],
      },
    },
    {
      kind: 'FragmentDefinition',
      name: { kind: 'Name', value: 'SpreadFields' },
      typeCondition: { kind: 'NamedType', name: { kind: 'Name', value: 'MetricSpread' } },
      selectionSet: {
        kind: 'SelectionSet',
        selections: [
          { kind: 'Field', name: { kind: 'Name', value: 'count' } },
          { kind: 'Field', name: { kind: 'Name', value: 'mean' } },
          { kind: 'Field', name: { kind: 'Name', value: 'std' } },
          { kind: 'Field', name: { kind: 'Name', value: 'min' } },
          { kind: 'Field', name: { kind: 'Name', value: 'max' } },
          { kind: 'Field', name: { kind: 'Name', value: 'low' } },
          { kind: 'Field', name: { kind: 'Name', value: 'high' } },
          { kind: 'Field', name: { kind: 'Name', value: 'interquartileMean' } },
          { kind: 'Field', name: { kind: 'Name', value: 'interquartileRange' } },
        ],
      },
    },
  ],
} as unknown as DocumentNode<CompareRunsQuery, CompareRunsQueryVariables>;
export const TestGroupsDocument = {
  kind: 'Document',
  definitions: [
    {
      kind: 'OperationDefinition',
      operation: 'query',
      name: { kind: 'Name', value: 'TestGroups' },
      variableDefinitions: [
        {
          kind: 'VariableDefinition',
          variable: { kind: 'Variable', name: { kind: 'Name', value: 'ids' } },
          type: {
            kind: 'NonNullType',
            type: {
              kind: 'ListType',
              type: { kind: 'NonNullType', type: { kind: 'NamedType', name: { kind: 'Name', value: 'ID' } } },
            },
          },
        },
        {
          kind: 'VariableDefinition',
          variable: { kind: 'Variable', name: { kind: 'Name', value: 'against' } },
          type: {
            kind: 'NonNullType',
            type: {
              kind: 'ListType',
              type: { kind: 'NonNullType', type: { kind: 'NamedType', name: { kind: 'Name', value: 'ID' } } },
            },
          },
        },
      ],
      selectionSet: {
        kind: 'SelectionSet',
        selections: [
          {
            kind: 'Field',
            name: { kind: 'Name', value: 'testGroups' },
            arguments: [
              {
                kind: 'Argument',
                name: { kind: 'Name', value: 'ids' },
                value: { kind: 'Variable', name: { kind: 'Name', value: 'ids' } },
              },
              {
                kind: 'Argument',
                name: { kind: 'Name', value: 'against' },
                value: { kind: 'Variable', name: { kind: 'Name', value: 'against' } },
              },
            ],
            selectionSet: {
              kind: 'SelectionSet',
              selections: [
                {
                  kind: 'Field',
                  name: { kind: 'Name', value: 'tests' },
                  selectionSet: {
                    kind: 'SelectionSet',
                    selections: [
                      { kind: 'Field', name: { kind: 'Name', value: 'tag' } },
                      { kind: 'Field', name: { kind: 'Name', value: 'step' } },
                      { kind: 'Field', name: { kind: 'Name', value: 'states' } },
                      { kind: 'Field', name: { kind: 'Name', value: 'difference' } },
                      { kind: 'Field', name: { kind: 'Name', value: 'low' } },
                      { kind: 'Field', name: { kind: 'Name', value: 'high' } },
                      { kind: 'Field', name: { kind: 'Name', value: 'method' } },
                      { kind: 'Field', name: { kind: 'Name', value: 'p' } },
                      { kind: 'Field', name: { kind: 'Name', value: 'adjusted' } },
                    ],
                  },
                },
                { kind: 'Field', name: { kind: 'Name', value: 'reason' } },
              ],
            },
          },
        ],
      },
    },
  ],
} as unknown as DocumentNode<TestGroupsQuery, TestGroupsQueryVariables>;
export const ReadContinuationDocument = {
  kind: 'Document',
  definitions: [
    {
      kind: 'OperationDefinition',
      operation: 'query',
      name: { kind: 'Name', value: 'ReadContinuation' },
      variableDefinitions: [
        {
          kind: 'VariableDefinition',
          variable: { kind: 'Variable', name: { kind: 'Name', value: 'jobId' } },
          type: { kind: 'NonNullType', type: { kind: 'NamedType', name: { kind: 'Name', value: 'ID' } } },
        },
      ],
      selectionSet: {
        kind: 'SelectionSet',
        selections: [
          {
            kind: 'Field',
            name: { kind: 'Name', value: 'job' },
            arguments: [
              {
                kind: 'Argument',
                name: { kind: 'Name', value: 'id' },
                value: { kind: 'Variable', name: { kind: 'Name', value: 'jobId' } },
              },
            ],
            selectionSet: {
              kind: 'SelectionSet',
              selections: [
                {
                  kind: 'Field',
                  name: { kind: 'Name', value: 'result' },
                  selectionSet: {
                    kind: 'SelectionSet',
                    selections: [
                      {
                        kind: 'Field',
                        name: { kind: 'Name', value: 'continued' },
                        selectionSet: {
                          kind: 'SelectionSet',
                          selections: [
                            { kind: 'Field', name: { kind: 'Name', value: 'turn' } },
                            { kind: 'Field', name: { kind: 'Name', value: 'episodes' } },
                            { kind: 'Field', name: { kind: 'Name', value: 'failed' } },
                            { kind: 'Field', name: { kind: 'Name', value: 'successRate' } },
                            { kind: 'Field', name: { kind: 'Name', value: 'successLow' } },
                            { kind: 'Field', name: { kind: 'Name', value: 'successHigh' } },
                            { kind: 'Field', name: { kind: 'Name', value: 'rewardMean' } },
                            {
                              kind: 'Field',
                              name: { kind: 'Name', value: 'outcomes' },
                              selectionSet: {
                                kind: 'SelectionSet',
                                selections: [
                                  { kind: 'Field', name: { kind: 'Name', value: 'success' } },
                                  { kind: 'Field', name: { kind: 'Name', value: 'total' } },
                                  { kind: 'Field', name: { kind: 'Name', value: 'stopReason' } },
                                  { kind: 'Field', name: { kind: 'Name', value: 'turns' } },
                                  { kind: 'Field', name: { kind: 'Name', value: 'actions' } },
                                ],
                              },
                            },
                          ],
                        },
                      },
                    ],
                  },
                },
              ],
            },
          },
        ],
      },
    },
  ],
} as unknown as DocumentNode<ReadContinuationQuery, ReadContinuationQueryVariables>;
export const ReadRescoringDocument = {
  kind: 'Document',
  definitions: [
    {
      kind: 'OperationDefinition',
      operation: 'query',
      name: { kind: 'Name', value: 'ReadRescoring' },
      variableDefinitions: [
        {
          kind: 'VariableDefinition',
          variable: { kind: 'Variable', name: { kind: 'Name', value: 'jobId' } },
          type: { kind: 'NonNullType', type: { kind: 'NamedType', name: { kind: 'Name', value: 'ID' } } },
        },
      ],
      selectionSet: {
        kind: 'SelectionSet',
        selections: [
          {
            kind: 'Field',
            name: { kind: 'Name', value: 'job' },
            arguments: [
              {
                kind: 'Argument',
                name: { kind: 'Name', value: 'id' },
                value: { kind: 'Variable', name: { kind: 'Name', value: 'jobId' } },
              },
            ],
            selectionSet: {
              kind: 'SelectionSet',
              selections: [
                {
                  kind: 'Field',
                  name: { kind: 'Name', value: 'result' },
                  selectionSet: {
                    kind: 'SelectionSet',
                    selections: [
                      { kind: 'Field', name: { kind: 'Name', value: 'episodes' } },
                      { kind: 'Field', name: { kind: 'Name', value: 'failed' } },
                      { kind: 'Field', name: { kind: 'Name', value: 'metrics' } },
                      {
                        kind: 'Field',
                        name: { kind: 'Name', value: 'rescoredRewards' },
                        selectionSet: {
                          kind: 'SelectionSet',
                          selections: [
                            { kind: 'Field', name: { kind: 'Name', value: 'meanStored' } },
                            { kind: 'Field', name: { kind: 'Name', value: 'meanRescored' } },
                            { kind: 'Field', name: { kind: 'Name', value: 'correlation' } },
                            { kind: 'Field', name: { kind: 'Name', value: 'reversed' } },
                            { kind: 'Field', name: { kind: 'Name', value: 'differingStored' } },
                            { kind: 'Field', name: { kind: 'Name', value: 'differingRescored' } },
                          ],
                        },
                      },
                      {
                        kind: 'Field',
                        name: { kind: 'Name', value: 'rescoredTotals' },
                        selectionSet: {
                          kind: 'SelectionSet',
                          selections: [
                            { kind: 'Field', name: { kind: 'Name', value: 'trajectory' } },
                            { kind: 'Field', name: { kind: 'Name', value: 'stored' } },
                            { kind: 'Field', name: { kind: 'Name', value: 'rescored' } },
                          ],
                        },
                      },
                      {
                        kind: 'Field',
                        name: { kind: 'Name', value: 'rescoredTrajectory' },
                        selectionSet: {
                          kind: 'SelectionSet',
                          selections: [
                            { kind: 'Field', name: { kind: 'Name', value: 'positions' } },
                            { kind: 'Field', name: { kind: 'Name', value: 'logprobs' } },
                            { kind: 'Field', name: { kind: 'Name', value: 'entropies' } },
                          ],
                        },
                      },
                      {
                        kind: 'Field',
                        name: { kind: 'Name', value: 'rescoredTokens' },
                        selectionSet: {
                          kind: 'SelectionSet',
                          selections: [
                            { kind: 'Field', name: { kind: 'Name', value: 'step' } },
                            { kind: 'Field', name: { kind: 'Name', value: 'tokens' } },
                            { kind: 'Field', name: { kind: 'Name', value: 'logprobStored' } },
                            { kind: 'Field', name: { kind: 'Name', value: 'logprobModel' } },
                            { kind: 'Field', name: { kind: 'Name', value: 'entropyStored' } },
                            { kind: 'Field', name: { kind: 'Name', value: 'entropyModel' } },
                            { kind: 'Field', name: { kind: 'Name', value: 'kl' } },
                          ],
                        },
                      },
                    ],
                  },
                },
              ],
            },
          },
        ],
      },
    },
  ],
} as unknown as DocumentNode<ReadRescoringQuery, ReadRescoringQueryVariables>;
export const CreateTicketDocument = {
  kind: 'Document',
  definitions: [
    {
      kind: 'OperationDefinition',
      operation: 'mutation',
      name: { kind: 'Name', value: 'CreateTicket' },
      variableDefinitions: [
        {
          kind: 'VariableDefinition',
          variable: { kind: 'Variable', name: { kind: 'Name', value: 'input' } },
          type: {
            kind: 'NonNullType',
            type: { kind: 'NamedType', name: { kind: 'Name', value: 'CreateTicketInput' } },
          },
        },
      ],
      selectionSet: {
        kind: 'SelectionSet',
        selections: [
          {
            kind: 'Field',
            name: { kind: 'Name', value: 'createTicket' },
            arguments: [
              {
                kind: 'Argument',
                name: { kind: 'Name', value: 'input' },
                value: { kind: 'Variable', name: { kind: 'Name', value: 'input' } },
              },
            ],
            selectionSet: {
              kind: 'SelectionSet',
              selections: [
                { kind: 'Field', name: { kind: 'Name', value: '__typename' } },
                {
                  kind: 'InlineFragment',
                  typeCondition: { kind: 'NamedType', name: { kind: 'Name', value: 'Ticket' } },
                  selectionSet: {
                    kind: 'SelectionSet',
                    selections: [
                      { kind: 'Field', name: { kind: 'Name', value: 'ticket' } },
                      { kind: 'Field', name: { kind: 'Name', value: 'expiresAt' } },
                      { kind: 'Field', name: { kind: 'Name', value: 'url' } },
                    ],
                  },
                },
                { kind: 'FragmentSpread', name: { kind: 'Name', value: 'RefusalFields' } },
              ],
            },
          },
        ],
      },
    },
    {
      kind: 'FragmentDefinition',
      name: { kind: 'Name', value: 'RefusalFields' },
      typeCondition: { kind: 'NamedType', name: { kind: 'Name', value: 'Refusal' } },
      selectionSet: {
        kind: 'SelectionSet',
        selections: [
          { kind: 'Field', name: { kind: 'Name', value: 'code' } },
          { kind: 'Field', name: { kind: 'Name', value: 'message' } },
          { kind: 'Field', name: { kind: 'Name', value: 'remedy' } },
          {
            kind: 'InlineFragment',
            typeCondition: { kind: 'NamedType', name: { kind: 'Name', value: 'InvalidInput' } },
            selectionSet: {
              kind: 'SelectionSet',
              selections: [{ kind: 'Field', name: { kind: 'Name', value: 'problems' } }],
            },
          },
          {
            kind: 'InlineFragment',
            typeCondition: { kind: 'NamedType', name: { kind: 'Name', value: 'WrongState' } },
            selectionSet: {
              kind: 'SelectionSet',
              selections: [{ kind: 'Field', name: { kind: 'Name', value: 'state' } }],
            },
          },
        ],
      },
    },
  ],
} as unknown as DocumentNode<CreateTicketMutation, CreateTicketMutationVariables>;
export const TotalAlertsDocument = {
  kind: 'Document',
  definitions: [
    {
      kind: 'OperationDefinition',
      operation: 'query',
      name: { kind: 'Name', value: 'TotalAlerts' },
      variableDefinitions: [
        {
          kind: 'VariableDefinition',
          variable: { kind: 'Variable', name: { kind: 'Name', value: 'filter' } },
          type: { kind: 'NamedType', name: { kind: 'Name', value: 'AlertFilter' } },
        },
      ],
      selectionSet: {
        kind: 'SelectionSet',
        selections: [
          {
            kind: 'Field',
            name: { kind: 'Name', value: 'alerts' },
            arguments: [
              {
                kind: 'Argument',
                name: { kind: 'Name', value: 'filter' },
                value: { kind: 'Variable', name: { kind: 'Name', value: 'filter' } },
              },
              {
                kind: 'Argument',
                name: { kind: 'Name', value: 'first' },
                value: { kind: 'IntValue', value: '1' },
              },
            ],
            selectionSet: {
              kind: 'SelectionSet',
              selections: [{ kind: 'Field', name: { kind: 'Name', value: 'totalCount' } }],
            },
          },
        ],
      },
    },
  ],
} as unknown as DocumentNode<TotalAlertsQuery, TotalAlertsQueryVariables>;
export const TotalJobsDocument = {
  kind: 'Document',
  definitions: [
    {
      kind: 'OperationDefinition',
      operation: 'query',
      name: { kind: 'Name', value: 'TotalJobs' },
      variableDefinitions: [
        {
          kind: 'VariableDefinition',
          variable: { kind: 'Variable', name: { kind: 'Name', value: 'states' } },
          type: {
            kind: 'ListType',
            type: {
              kind: 'NonNullType',
              type: { kind: 'NamedType', name: { kind: 'Name', value: 'JobState' } },
            },
          },
        },
      ],
      selectionSet: {
        kind: 'SelectionSet',
        selections: [
          {
            kind: 'Field',
            name: { kind: 'Name', value: 'jobs' },
            arguments: [
              {
                kind: 'Argument',
                name: { kind: 'Name', value: 'filter' },
                value: {
                  kind: 'ObjectValue',
                  fields: [
                    {
                      kind: 'ObjectField',
                      name: { kind: 'Name', value: 'states' },
                      value: { kind: 'Variable', name: { kind: 'Name', value: 'states' } },
                    },
                  ],
                },
              },
              {
                kind: 'Argument',
                name: { kind: 'Name', value: 'first' },
                value: { kind: 'IntValue', value: '1' },
              },
            ],
            selectionSet: {
              kind: 'SelectionSet',
              selections: [{ kind: 'Field', name: { kind: 'Name', value: 'totalCount' } }],
            },
          },
        ],
      },
    },
  ],
} as unknown as DocumentNode<TotalJobsQuery, TotalJobsQueryVariables>;
export const TotalKeysDocument = {
  kind: 'Document',
  definitions: [
    {
      kind: 'OperationDefinition',
      operation: 'query',
      name: { kind: 'Name', value: 'TotalKeys' },
      selectionSet: {
        kind: 'SelectionSet',
        selections: [
          {
            kind: 'Field',
            name: { kind: 'Name', value: 'keys' },
            arguments: [
              {
                kind: 'Argument',
                name: { kind: 'Name', value: 'first' },
                value: { kind: 'IntValue', value: '1' },
              },
            ],
            selectionSet: {
              kind: 'SelectionSet',
              selections: [{ kind: 'Field', name: { kind: 'Name', value: 'totalCount' } }],
            },
          },
        ],
      },
    },
  ],
} as unknown as DocumentNode<TotalKeysQuery, TotalKeysQueryVariables>;
export const TotalRatingSetsDocument = {
  kind: 'Document',
  definitions: [
    {
      kind: 'OperationDefinition',
      operation: 'query',
      name: { kind: 'Name', value: 'TotalRatingSets' },
      variableDefinitions: [
        {
          kind: 'VariableDefinition',
          variable: { kind: 'Variable', name: { kind: 'Name', value: 'filter' } },
          type: { kind: 'NamedType', name: { kind: 'Name', value: 'RatingSetFilter' } },
        },
      ],
      selectionSet: {
        kind: 'SelectionSet',
        selections: [
          {
            kind: 'Field',
            name: { kind: 'Name', value: 'ratingSets' },
            arguments: [
              {
                kind: 'Argument',
                name: { kind: 'Name', value: 'filter' },
                value: { kind: 'Variable', name: { kind: 'Name', value: 'filter' } },
              },
              {
                kind: 'Argument',
                name: { kind: 'Name', value: 'first' },
                value: { kind: 'IntValue', value: '1' },
              },
            ],
            selectionSet: {
              kind: 'SelectionSet',
              selections: [{ kind: 'Field', name: { kind: 'Name', value: 'totalCount' } }],
            },
          },
        ],
      },
    },
  ],
} as unknown as DocumentNode<TotalRatingSetsQuery, TotalRatingSetsQueryVariables>;
export const TotalRunsDocument = {
  kind: 'Document',
  definitions: [
    {
      kind: 'OperationDefinition',
      operation: 'query',
      name: { kind: 'Name', value: 'TotalRuns' },
      variableDefinitions: [
        {
          kind: 'VariableDefinition',
          variable: { kind: 'Variable', name: { kind: 'Name', value: 'filter' } },
          type: { kind: 'NamedType', name: { kind: 'Name', value: 'RunFilter' } },
        },
      ],
      selectionSet: {
        kind: 'SelectionSet',
        selections: [
          {
            kind: 'Field',
            name: { kind: 'Name', value: 'runs' },
            arguments: [
              {
                kind: 'Argument',
                name: { kind: 'Name', value: 'filter' },
                value: { kind: 'Variable', name: { kind: 'Name', value: 'filter' } },
              },
              {
                kind: 'Argument',
                name: { kind: 'Name', value: 'first' },
                value: { kind: 'IntValue', value: '1' },
              },
            ],
            selectionSet: {
              kind: 'SelectionSet',
              selections: [{ kind: 'Field', name: { kind: 'Name', value: 'totalCount' } }],
            },
          },
        ],
      },
    },
  ],
} as unknown as DocumentNode<TotalRunsQuery, TotalRunsQueryVariables>;
export const TotalTrajectoriesDocument = {
  kind: 'Document',
  definitions: [
    {
      kind: 'OperationDefinition',
      operation: 'query',
      name: { kind: 'Name', value: 'TotalTrajectories' },
      variableDefinitions: [
        {
          kind: 'VariableDefinition',
          variable: { kind: 'Variable', name: { kind: 'Name', value: 'filter' } },
          type: { kind: 'NamedType', name: { kind: 'Name', value: 'TrajectorySearch' } },
        },
      ],
      selectionSet: {
        kind: 'SelectionSet',
        selections: [
          {
            kind: 'Field',
            name: { kind: 'Name', value: 'trajectories' },
            arguments: [
              {
                kind: 'Argument',
                name: { kind: 'Name', value: 'filter' },
                value: { kind: 'Variable', name: { kind: 'Name', value: 'filter' } },
              },
              {
                kind: 'Argument',
                name: { kind: 'Name', value: 'first' },
                value: { kind: 'IntValue', value: '1' },
              },
            ],
            selectionSet: {
              kind: 'SelectionSet',
              selections: [{ kind: 'Field', name: { kind: 'Name', value: 'totalCount' } }],
            },
          },
        ],
      },
    },
  ],
} as unknown as DocumentNode<TotalTrajectoriesQuery, TotalTrajectoriesQueryVariables>;
export const TotalWorkersDocument = {
  kind: 'Document',
  definitions: [
    {
      kind: 'OperationDefinition',
      operation: 'query',
      name: { kind: 'Name', value: 'TotalWorkers' },
      selectionSet: {
        kind: 'SelectionSet',
        selections: [
          {
            kind: 'Field',
            name: { kind: 'Name', value: 'workers' },
            arguments: [
              {
                kind: 'Argument',
                name: { kind: 'Name', value: 'first' },
                value: { kind: 'IntValue', value: '1' },
              },
            ],
            selectionSet: {
              kind: 'SelectionSet',
              selections: [{ kind: 'Field', name: { kind: 'Name', value: 'totalCount' } }],
            },
          },
        ],
      },
    },
  ],
} as unknown as DocumentNode<TotalWorkersQuery, TotalWorkersQueryVariables>;
export const ListTrajectoriesDocument = {
  kind: 'Document',
  definitions: [
    {
      kind: 'OperationDefinition',
      operation: 'query',
      name: { kind: 'Name', value: 'ListTrajectories' },
      variableDefinitions: [
        {
          kind: 'VariableDefinition',
          variable: { kind: 'Variable', name: { kind: 'Name', value: 'filter' } },
          type: { kind: 'NamedType', name: { kind: 'Name', value: 'TrajectorySearch' } },
        },
        {
          kind: 'VariableDefinition',
          variable: { kind: 'Variable', name: { kind: 'Name', value: 'orderBy' } },
          type: { kind: 'NamedType', name: { kind: 'Name', value: 'TrajectoryOrder' } },
        },
        {
          kind: 'VariableDefinition',
          variable: { kind: 'Variable', name: { kind: 'Name', value: 'first' } },
          type: { kind: 'NamedType', name: { kind: 'Name', value: 'Int' } },
        },
        {
          kind: 'VariableDefinition',
          variable: { kind: 'Variable', name: { kind: 'Name', value: 'after' } },
          type: { kind: 'NamedType', name: { kind: 'Name', value: 'String' } },
        },
        {
          kind: 'VariableDefinition',
          variable: { kind: 'Variable', name: { kind: 'Name', value: 'last' } },
          type: { kind: 'NamedType', name: { kind: 'Name', value: 'Int' } },
        },
        {
          kind: 'VariableDefinition',
          variable: { kind: 'Variable', name: { kind: 'Name', value: 'before' } },
          type: { kind: 'NamedType', name: { kind: 'Name', value: 'String' } },
        },
      ],
      selectionSet: {
        kind: 'SelectionSet',
        selections: [
          {
            kind: 'Field',
            name: { kind: 'Name', value: 'trajectories' },
            arguments: [
              {
                kind: 'Argument',
                name: { kind: 'Name', value: 'filter' },
                value: { kind: 'Variable', name: { kind: 'Name', value: 'filter' } },
              },
              {
                kind: 'Argument',
                name: { kind: 'Name', value: 'orderBy' },
                value: { kind: 'Variable', name: { kind: 'Name', value: 'orderBy' } },
              },
              {
                kind: 'Argument',
                name: { kind: 'Name', value: 'first' },
                value: { kind: 'Variable', name: { kind: 'Name', value: 'first' } },
              },
              {
                kind: 'Argument',
                name: { kind: 'Name', value: 'after' },
                value: { kind: 'Variable', name: { kind: 'Name', value: 'after' } },
              },
              {
                kind: 'Argument',
                name: { kind: 'Name', value: 'last' },
                value: { kind: 'Variable', name: { kind: 'Name', value: 'last' } },
              },
              {
                kind: 'Argument',
                name: { kind: 'Name', value: 'before' },
                value: { kind: 'Variable', name: { kind: 'Name', value: 'before' } },
              },
            ],
            selectionSet: {
              kind: 'SelectionSet',
              selections: [
                {
                  kind: 'Field',
                  name: { kind: 'Name', value: 'nodes' },
                  selectionSet: {
                    kind: 'SelectionSet',
                    selections: [
                      { kind: 'FragmentSpread', name: { kind: 'Name', value: 'TrajectoryRowFields' } },
                    ],
                  },
                },
                {
                  kind: 'Field',
                  name: { kind: 'Name', value: 'pageInfo' },
                  selectionSet: {
                    kind: 'SelectionSet',
                    selections: [{ kind: 'FragmentSpread', name: { kind: 'Name', value: 'PageFields' } }],
                  },
                },
              ],
            },
          },
        ],
      },
    },
    {
      kind: 'FragmentDefinition',
      name: { kind: 'Name', value: 'TrajectoryRowFields' },
      typeCondition: { kind: 'NamedType', name: { kind: 'Name', value: 'Trajectory' } },
      selectionSet: {
        kind: 'SelectionSet',
        selections: [
          { kind: 'Field', name: { kind: 'Name', value: 'id' } },
          { kind: 'Field', name: { kind: 'Name', value: 'runId' } },
          { kind: 'Field', name: { kind: 'Name', value: 'attempt' } },
          { kind: 'Field', name: { kind: 'Name', value: 'step' } },
          { kind: 'Field', name: { kind: 'Name', value: 'environment' } },
          { kind: 'Field', name: { kind: 'Name', value: 'environmentTag' } },
          { kind: 'Field', name: { kind: 'Name', value: 'split' } },
          { kind: 'Field', name: { kind: 'Name', value: 'group' } },
          { kind: 'Field', name: { kind: 'Name', value: 'index' } },
          { kind: 'Field', name: { kind: 'Name', value: 'stateSeed' } },
          { kind: 'Field', name: { kind: 'Name', value: 'reward' } },
          { kind: 'Field', name: { kind: 'Name', value: 'environmentReward' } },
          { kind: 'Field', name: { kind: 'Name', value: 'success' } },
          { kind: 'Field', name: { kind: 'Name', value: 'stopReason' } },
          { kind: 'Field', name: { kind: 'Name', value: 'labels' } },
          { kind: 'Field', name: { kind: 'Name', value: 'turns' } },
          { kind: 'Field', name: { kind: 'Name', value: 'tokens' } },
          { kind: 'Field', name: { kind: 'Name', value: 'sampledTokens' } },
          { kind: 'Field', name: { kind: 'Name', value: 'kept' } },
          {
            kind: 'Field',
            name: { kind: 'Name', value: 'dropped' },
            selectionSet: {
              kind: 'SelectionSet',
              selections: [
                { kind: 'Field', name: { kind: 'Name', value: 'reason' } },
                { kind: 'Field', name: { kind: 'Name', value: 'numbers' } },
              ],
            },
          },
          { kind: 'Field', name: { kind: 'Name', value: 'outcome' } },
          { kind: 'Field', name: { kind: 'Name', value: 'lossTokens' } },
          { kind: 'Field', name: { kind: 'Name', value: 'clippedTokens' } },
          { kind: 'Field', name: { kind: 'Name', value: 'updateShare' } },
          { kind: 'Field', name: { kind: 'Name', value: 'error' } },
        ],
      },
    },
    {
      kind: 'FragmentDefinition',
      name: { kind: 'Name', value: 'PageFields' },
      typeCondition: { kind: 'NamedType', name: { kind: 'Name', value: 'PageInfo' } },
      selectionSet: {
        kind: 'SelectionSet',
        selections: [
          { kind: 'Field', name: { kind: 'Name', value: 'startCursor' } },
          { kind: 'Field', name: { kind: 'Name', value: 'endCursor' } },
          { kind: 'Field', name: { kind: 'Name', value: 'hasNextPage' } },
          { kind: 'Field', name: { kind: 'Name', value: 'hasPreviousPage' } },
        ],
      },
    },
  ],
} as unknown as DocumentNode<ListTrajectoriesQuery, ListTrajectoriesQueryVariables>;
export const ShowTrajectoryDocument = {
  kind: 'Document',
  definitions: [
    {
      kind: 'OperationDefinition',
      operation: 'query',
      name: { kind: 'Name', value: 'ShowTrajectory' },
      variableDefinitions: [
        {
          kind: 'VariableDefinition',
          variable: { kind: 'Variable', name: { kind: 'Name', value: 'runId' } },
          type: { kind: 'NonNullType', type: { kind: 'NamedType', name: { kind: 'Name', value: 'ID' } } },
        },
        {
          kind: 'VariableDefinition',
          variable: { kind: 'Variable', name: { kind: 'Name', value: 'id' } },
          type: { kind: 'NonNullType', type: { kind: 'NamedType', name: { kind: 'Name', value: 'ID' } } },
        },
      ],
      selectionSet: {
        kind: 'SelectionSet',
        selections: [
          {
            kind: 'Field',
            name: { kind: 'Name', value: 'trajectory' },
            arguments: [
              {
                kind: 'Argument',
                name: { kind: 'Name', value: 'runId' },
                value: { kind: 'Variable', name: { kind: 'Name', value: 'runId' } },
              },
              {
                kind: 'Argument',
                name: { kind: 'Name', value: 'id' },
                value: { kind: 'Variable', name: { kind: 'Name', value: 'id' } },
              },
            ],
            selectionSet: {
              kind: 'SelectionSet',
              selections: [
                { kind: 'FragmentSpread', name: { kind: 'Name', value: 'TrajectoryDetailFields' } },
                { kind: 'Field', name: { kind: 'Name', value: 'tokens' } },
                { kind: 'Field', name: { kind: 'Name', value: 'logprobs' } },
                { kind: 'Field', name: { kind: 'Name', value: 'entropies' } },
                { kind: 'Field', name: { kind: 'Name', value: 'textEnds' } },
              ],
            },
          },
        ],
      },
    },
    {
      kind: 'FragmentDefinition',
      name: { kind: 'Name', value: 'TrajectoryRowFields' },
      typeCondition: { kind: 'NamedType', name: { kind: 'Name', value: 'Trajectory' } },
      selectionSet: {
        kind: 'SelectionSet',
        selections: [
          { kind: 'Field', name: { kind: 'Name', value: 'id' } },
          { kind: 'Field', name: { kind: 'Name', value: 'runId' } },
          { kind: 'Field', name: { kind: 'Name', value: 'attempt' } },
          { kind: 'Field', name: { kind: 'Name', value: 'step' } },
          { kind: 'Field', name: { kind: 'Name', value: 'environment' } },
          { kind: 'Field', name: { kind: 'Name', value: 'environmentTag' } },
          { kind: 'Field', name: { kind: 'Name', value: 'split' } },
          { kind: 'Field', name: { kind: 'Name', value: 'group' } },
          { kind: 'Field', name: { kind: 'Name', value: 'index' } },
          { kind: 'Field', name: { kind: 'Name', value: 'stateSeed' } },
          { kind: 'Field', name: { kind: 'Name', value: 'reward' } },
          { kind: 'Field', name: { kind: 'Name', value: 'environmentReward' } },
          { kind: 'Field', name: { kind: 'Name', value: 'success' } },
          { kind: 'Field', name: { kind: 'Name', value: 'stopReason' } },
          { kind: 'Field', name: { kind: 'Name', value: 'labels' } },
          { kind: 'Field', name: { kind: 'Name', value: 'turns' } },
          { kind: 'Field', name: { kind: 'Name', value: 'tokens' } },
          { kind: 'Field', name: { kind: 'Name', value: 'sampledTokens' } },
          { kind: 'Field', name: { kind: 'Name', value: 'kept' } },
          {
            kind: 'Field',
            name: { kind: 'Name', value: 'dropped' },
            selectionSet: {
              kind: 'SelectionSet',
              selections: [
                { kind: 'Field', name: { kind: 'Name', value: 'reason' } },
                { kind: 'Field', name: { kind: 'Name', value: 'numbers' } },
              ],
            },
          },
          { kind: 'Field', name: { kind: 'Name', value: 'outcome' } },
          { kind: 'Field', name: { kind: 'Name', value: 'lossTokens' } },
          { kind: 'Field', name: { kind: 'Name', value: 'clippedTokens' } },
          { kind: 'Field', name: { kind: 'Name', value: 'updateShare' } },
          { kind: 'Field', name: { kind: 'Name', value: 'error' } },
        ],
      },
    },
    {
      kind: 'FragmentDefinition',
      name: { kind: 'Name', value: 'TrajectoryDetailFields' },
      typeCondition: { kind: 'NamedType', name: { kind: 'Name', value: 'TrajectoryDetail' } },
      selectionSet: {
        kind: 'SelectionSet',
        selections: [
          {
            kind: 'Field',
            name: { kind: 'Name', value: 'row' },
            selectionSet: {
              kind: 'SelectionSet',
              selections: [{ kind: 'FragmentSpread', name: { kind: 'Name', value: 'TrajectoryRowFields' } }],
            },
          },
          { kind: 'Field', name: { kind: 'Name', value: 'previousId' } },
          { kind: 'Field', name: { kind: 'Name', value: 'nextId' } },
          { kind: 'Field', name: { kind: 'Name', value: 'level' } },
          {
            kind: 'Field',
            name: { kind: 'Name', value: 'seeds' },
            selectionSet: {
              kind: 'SelectionSet',
              selections: [
                { kind: 'Field', name: { kind: 'Name', value: 'state' } },
                { kind: 'Field', name: { kind: 'Name', value: 'noise' } },
                { kind: 'Field', name: { kind: 'Name', value: 'sampling' } },
              ],
            },
          },
          { kind: 'Field', name: { kind: 'Name', value: 'totalMs' } },
          {
            kind: 'Field',
            name: { kind: 'Name', value: 'spans' },
            selectionSet: {
              kind: 'SelectionSet',
              selections: [
                { kind: 'Field', name: { kind: 'Name', value: 'kind' } },
                { kind: 'Field', name: { kind: 'Name', value: 'start' } },
                { kind: 'Field', name: { kind: 'Name', value: 'end' } },
                { kind: 'Field', name: { kind: 'Name', value: 'turn' } },
              ],
            },
          },
          {
            kind: 'Field',
            name: { kind: 'Name', value: 'windows' },
            selectionSet: {
              kind: 'SelectionSet',
              selections: [
                { kind: 'Field', name: { kind: 'Name', value: 'start' } },
                { kind: 'Field', name: { kind: 'Name', value: 'firstTurn' } },
              ],
            },
          },
          {
            kind: 'Field',
            name: { kind: 'Name', value: 'turns' },
            selectionSet: {
              kind: 'SelectionSet',
              selections: [
                { kind: 'Field', name: { kind: 'Name', value: 'index' } },
                { kind: 'Field', name: { kind: 'Name', value: 'observation' } },
                { kind: 'Field', name: { kind: 'Name', value: 'stateKey' } },
                { kind: 'Field', name: { kind: 'Name', value: 'render' } },
                { kind: 'Field', name: { kind: 'Name', value: 'image' } },
                { kind: 'Field', name: { kind: 'Name', value: 'plan' } },
                { kind: 'Field', name: { kind: 'Name', value: 'response' } },
                { kind: 'Field', name: { kind: 'Name', value: 'think' } },
                { kind: 'Field', name: { kind: 'Name', value: 'answer' } },
                { kind: 'Field', name: { kind: 'Name', value: 'formatValid' } },
                { kind: 'Field', name: { kind: 'Name', value: 'formatPenalty' } },
                { kind: 'Field', name: { kind: 'Name', value: 'sampleStop' } },
                {
                  kind: 'Field',
                  name: { kind: 'Name', value: 'sampled' },
                  selectionSet: {
                    kind: 'SelectionSet',
                    selections: [
                      { kind: 'Field', name: { kind: 'Name', value: 'start' } },
                      { kind: 'Field', name: { kind: 'Name', value: 'end' } },
                    ],
                  },
                },
                { kind: 'Field', name: { kind: 'Name', value: 'policyVersion' } },
                {
                  kind: 'Field',
                  name: { kind: 'Name', value: 'timings' },
                  selectionSet: {
                    kind: 'SelectionSet',
                    selections: [
                      { kind: 'Field', name: { kind: 'Name', value: 'sampleMs' } },
                      { kind: 'Field', name: { kind: 'Name', value: 'environmentMs' } },
                    ],
                  },
                },
                { kind: 'Field', name: { kind: 'Name', value: 'parsedActions' } },
                {
                  kind: 'Field',
                  name: { kind: 'Name', value: 'actions' },
                  selectionSet: {
                    kind: 'SelectionSet',
                    selections: [
                      { kind: 'Field', name: { kind: 'Name', value: 'text' } },
                      { kind: 'Field', name: { kind: 'Name', value: 'valid' } },
                      { kind: 'Field', name: { kind: 'Name', value: 'effective' } },
                      { kind: 'Field', name: { kind: 'Name', value: 'slipped' } },
                      { kind: 'Field', name: { kind: 'Name', value: 'reward' } },
                      { kind: 'Field', name: { kind: 'Name', value: 'metrics' } },
                    ],
                  },
                },
                { kind: 'Field', name: { kind: 'Name', value: 'reward' } },
              ],
            },
          },
          {
            kind: 'Field',
            name: { kind: 'Name', value: 'labels' },
            selectionSet: {
              kind: 'SelectionSet',
              selections: [
                { kind: 'Field', name: { kind: 'Name', value: 'name' } },
                { kind: 'Field', name: { kind: 'Name', value: 'turn' } },
              ],
            },
          },
          {
            kind: 'Field',
            name: { kind: 'Name', value: 'score' },
            selectionSet: {
              kind: 'SelectionSet',
              selections: [
                { kind: 'Field', name: { kind: 'Name', value: 'total' } },
                { kind: 'Field', name: { kind: 'Name', value: 'environment' } },
                { kind: 'Field', name: { kind: 'Name', value: 'formatPenalty' } },
                { kind: 'Field', name: { kind: 'Name', value: 'perTurn' } },
                {
                  kind: 'Field',
                  name: { kind: 'Name', value: 'evidence' },
                  selectionSet: {
                    kind: 'SelectionSet',
                    selections: [
                      { kind: 'Field', name: { kind: 'Name', value: 'reward' } },
                      { kind: 'Field', name: { kind: 'Name', value: 'turn' } },
                      { kind: 'Field', name: { kind: 'Name', value: 'start' } },
                      { kind: 'Field', name: { kind: 'Name', value: 'end' } },
                      { kind: 'Field', name: { kind: 'Name', value: 'value' } },
                      { kind: 'Field', name: { kind: 'Name', value: 'note' } },
                    ],
                  },
                },
                {
                  kind: 'Field',
                  name: { kind: 'Name', value: 'rewards' },
                  selectionSet: {
                    kind: 'SelectionSet',
                    selections: [
                      { kind: 'Field', name: { kind: 'Name', value: 'name' } },
                      { kind: 'Field', name: { kind: 'Name', value: 'value' } },
                      { kind: 'Field', name: { kind: 'Name', value: 'weight' } },
                    ],
                  },
                },
              ],
            },
          },
          {
            kind: 'Field',
            name: { kind: 'Name', value: 'update' },
            selectionSet: {
              kind: 'SelectionSet',
              selections: [
                { kind: 'Field', name: { kind: 'Name', value: 'outcome' } },
                { kind: 'Field', name: { kind: 'Name', value: 'lossTokens' } },
                { kind: 'Field', name: { kind: 'Name', value: 'clippedTokens' } },
                { kind: 'Field', name: { kind: 'Name', value: 'share' } },
                { kind: 'Field', name: { kind: 'Name', value: 'policyVersion' } },
                { kind: 'Field', name: { kind: 'Name', value: 'hasTokens' } },
                { kind: 'Field', name: { kind: 'Name', value: 'firstPassSteps' } },
                { kind: 'Field', name: { kind: 'Name', value: 'lastPassSteps' } },
              ],
            },
          },
        ],
      },
    },
  ],
} as unknown as DocumentNode<ShowTrajectoryQuery, ShowTrajectoryQueryVariables>;
export const OpenTrajectoryDocument = {
  kind: 'Document',
  definitions: [
    {
      kind: 'OperationDefinition',
      operation: 'query',
      name: { kind: 'Name', value: 'OpenTrajectory' },
      variableDefinitions: [
        {
          kind: 'VariableDefinition',
          variable: { kind: 'Variable', name: { kind: 'Name', value: 'runId' } },
          type: { kind: 'NonNullType', type: { kind: 'NamedType', name: { kind: 'Name', value: 'ID' } } },
        },
        {
          kind: 'VariableDefinition',
          variable: { kind: 'Variable', name: { kind: 'Name', value: 'id' } },
          type: { kind: 'NonNullType', type: { kind: 'NamedType', name: { kind: 'Name', value: 'ID' } } },
        },
        {
          kind: 'VariableDefinition',
          variable: { kind: 'Variable', name: { kind: 'Name', value: 'buckets' } },
          type: { kind: 'NonNullType', type: { kind: 'NamedType', name: { kind: 'Name', value: 'Int' } } },
        },
      ],
      selectionSet: {
        kind: 'SelectionSet',
        selections: [
          {
            kind: 'Field',
            name: { kind: 'Name', value: 'trajectory' },
            arguments: [
              {
                kind: 'Argument',
                name: { kind: 'Name', value: 'runId' },
                value: { kind: 'Variable', name: { kind: 'Name', value: 'runId' } },
              },
              {
                kind: 'Argument',
                name: { kind: 'Name', value: 'id' },
                value: { kind: 'Variable', name: { kind: 'Name', value: 'id' } },
              },
            ],
            selectionSet: {
              kind: 'SelectionSet',
              selections: [
                { kind: 'FragmentSpread', name: { kind: 'Name', value: 'TrajectoryDetailFields' } },
                {
                  kind: 'Field',
                  name: { kind: 'Name', value: 'tokenSummary' },
                  arguments: [
                    {
                      kind: 'Argument',
                      name: { kind: 'Name', value: 'buckets' },
                      value: { kind: 'Variable', name: { kind: 'Name', value: 'buckets' } },
                    },
                  ],
                  selectionSet: {
                    kind: 'SelectionSet',
                    selections: [
                      { kind: 'Field', name: { kind: 'Name', value: 'total' } },
                      { kind: 'Field', name: { kind: 'Name', value: 'bucketTokens' } },
                      { kind: 'Field', name: { kind: 'Name', value: 'sampled' } },
                      { kind: 'Field', name: { kind: 'Name', value: 'inLoss' } },
                      { kind: 'Field', name: { kind: 'Name', value: 'clipped' } },
                      {
                        kind: 'Field',
                        name: { kind: 'Name', value: 'series' },
                        selectionSet: {
                          kind: 'SelectionSet',
                          selections: [
                            { kind: 'Field', name: { kind: 'Name', value: 'name' } },
                            { kind: 'Field', name: { kind: 'Name', value: 'minima' } },
                            { kind: 'Field', name: { kind: 'Name', value: 'maxima' } },
                            { kind: 'Field', name: { kind: 'Name', value: 'means' } },
                            { kind: 'Field', name: { kind: 'Name', value: 'extremes' } },
                          ],
                        },
                      },
                    ],
                  },
                },
              ],
            },
          },
        ],
      },
    },
    {
      kind: 'FragmentDefinition',
      name: { kind: 'Name', value: 'TrajectoryRowFields' },
      typeCondition: { kind: 'NamedType', name: { kind: 'Name', value: 'Trajectory' } },
      selectionSet: {
        kind: 'SelectionSet',
        selections: [
          { kind: 'Field', name: { kind: 'Name', value: 'id' } },
          { kind: 'Field', name: { kind: 'Name', value: 'runId' } },
          { kind: 'Field', name: { kind: 'Name', value: 'attempt' } },
          { kind: 'Field', name: { kind: 'Name', value: 'step' } },
          { kind: 'Field', name: { kind: 'Name', value: 'environment' } },
          { kind: 'Field', name: { kind: 'Name', value: 'environmentTag' } },
          { kind: 'Field', name: { kind: 'Name', value: 'split' } },
          { kind: 'Field', name: { kind: 'Name', value: 'group' } },
          { kind: 'Field', name: { kind: 'Name', value: 'index' } },
          { kind: 'Field', name: { kind: 'Name', value: 'stateSeed' } },
          { kind: 'Field', name: { kind: 'Name', value: 'reward' } },
          { kind: 'Field', name: { kind: 'Name', value: 'environmentReward' } },
          { kind: 'Field', name: { kind: 'Name', value: 'success' } },
          { kind: 'Field', name: { kind: 'Name', value: 'stopReason' } },
          { kind: 'Field', name: { kind: 'Name', value: 'labels' } },
          { kind: 'Field', name: { kind: 'Name', value: 'turns' } },
          { kind: 'Field', name: { kind: 'Name', value: 'tokens' } },
          { kind: 'Field', name: { kind: 'Name', value: 'sampledTokens' } },
          { kind: 'Field', name: { kind: 'Name', value: 'kept' } },
          {
            kind: 'Field',
            name: { kind: 'Name', value: 'dropped' },
            selectionSet: {
              kind: 'SelectionSet',
              selections: [
                { kind: 'Field', name: { kind: 'Name', value: 'reason' } },
                { kind: 'Field', name: { kind: 'Name', value: 'numbers' } },
              ],
            },
          },
          { kind: 'Field', name: { kind: 'Name', value: 'outcome' } },
          { kind: 'Field', name: { kind: 'Name', value: 'lossTokens' } },
          { kind: 'Field', name: { kind: 'Name', value: 'clippedTokens' } },
          { kind: 'Field', name: { kind: 'Name', value: 'updateShare' } },
          { kind: 'Field', name: { kind: 'Name', value: 'error' } },
        ],
      },
    },
    {
      kind: 'FragmentDefinition',
      name: { kind: 'Name', value: 'TrajectoryDetailFields' },
      typeCondition: { kind: 'NamedType', name: { kind: 'Name', value: 'TrajectoryDetail' } },
      selectionSet: {
        kind: 'SelectionSet',
        selections: [
          {
            kind: 'Field',
            name: { kind: 'Name', value: 'row' },
            selectionSet: {
              kind: 'SelectionSet',
              selections: [{ kind: 'FragmentSpread', name: { kind: 'Name', value: 'TrajectoryRowFields' } }],
            },
          },
          { kind: 'Field', name: { kind: 'Name', value: 'previousId' } },
          { kind: 'Field', name: { kind: 'Name', value: 'nextId' } },
          { kind: 'Field', name: { kind: 'Name', value: 'level' } },
          {
            kind: 'Field',
            name: { kind: 'Name', value: 'seeds' },
            selectionSet: {
              kind: 'SelectionSet',
              selections: [
                { kind: 'Field', name: { kind: 'Name', value: 'state' } },
                { kind: 'Field', name: { kind: 'Name', value: 'noise' } },
                { kind: 'Field', name: { kind: 'Name', value: 'sampling' } },
              ],
            },
          },
          { kind: 'Field', name: { kind: 'Name', value: 'totalMs' } },
          {
            kind: 'Field',
            name: { kind: 'Name', value: 'spans' },
            selectionSet: {
              kind: 'SelectionSet',
              selections: [
                { kind: 'Field', name: { kind: 'Name', value: 'kind' } },
                { kind: 'Field', name: { kind: 'Name', value: 'start' } },
                { kind: 'Field', name: { kind: 'Name', value: 'end' } },
                { kind: 'Field', name: { kind: 'Name', value: 'turn' } },
              ],
            },
          },
          {
            kind: 'Field',
            name: { kind: 'Name', value: 'windows' },
            selectionSet: {
              kind: 'SelectionSet',
              selections: [
                { kind: 'Field', name: { kind: 'Name', value: 'start' } },
                { kind: 'Field', name: { kind: 'Name', value: 'firstTurn' } },
              ],
            },
          },
          {
            kind: 'Field',
            name: { kind: 'Name', value: 'turns' },
            selectionSet: {
              kind: 'SelectionSet',
              selections: [
                { kind: 'Field', name: { kind: 'Name', value: 'index' } },
                { kind: 'Field', name: { kind: 'Name', value: 'observation' } },
                { kind: 'Field', name: { kind: 'Name', value: 'stateKey' } },
                { kind: 'Field', name: { kind: 'Name', value: 'render' } },
                { kind: 'Field', name: { kind: 'Name', value: 'image' } },
                { kind: 'Field', name: { kind: 'Name', value: 'plan' } },
                { kind: 'Field', name: { kind: 'Name', value: 'response' } },
                { kind: 'Field', name: { kind: 'Name', value: 'think' } },
                { kind: 'Field', name: { kind: 'Name', value: 'answer' } },
                { kind: 'Field', name: { kind: 'Name', value: 'formatValid' } },
                { kind: 'Field', name: { kind: 'Name', value: 'formatPenalty' } },
                { kind: 'Field', name: { kind: 'Name', value: 'sampleStop' } },
                {
                  kind: 'Field',
                  name: { kind: 'Name', value: 'sampled' },
                  selectionSet: {
                    kind: 'SelectionSet',
                    selections: [
                      { kind: 'Field', name: { kind: 'Name', value: 'start' } },
                      { kind: 'Field', name: { kind: 'Name', value: 'end' } },
                    ],
                  },
                },
                { kind: 'Field', name: { kind: 'Name', value: 'policyVersion' } },
                {
                  kind: 'Field',
                  name: { kind: 'Name', value: 'timings' },
                  selectionSet: {
                    kind: 'SelectionSet',
                    selections: [
                      { kind: 'Field', name: { kind: 'Name', value: 'sampleMs' } },
                      { kind: 'Field', name: { kind: 'Name', value: 'environmentMs' } },
                    ],
                  },
                },
                { kind: 'Field', name: { kind: 'Name', value: 'parsedActions' } },
                {
                  kind: 'Field',
                  name: { kind: 'Name', value: 'actions' },
                  selectionSet: {
                    kind: 'SelectionSet',
                    selections: [
                      { kind: 'Field', name: { kind: 'Name', value: 'text' } },
                      { kind: 'Field', name: { kind: 'Name', value: 'valid' } },
                      { kind: 'Field', name: { kind: 'Name', value: 'effective' } },
                      { kind: 'Field', name: { kind: 'Name', value: 'slipped' } },
                      { kind: 'Field', name: { kind: 'Name', value: 'reward' } },
                      { kind: 'Field', name: { kind: 'Name', value: 'metrics' } },
                    ],
                  },
                },
                { kind: 'Field', name: { kind: 'Name', value: 'reward' } },
              ],
            },
          },
          {
            kind: 'Field',
            name: { kind: 'Name', value: 'labels' },
            selectionSet: {
              kind: 'SelectionSet',
              selections: [
                { kind: 'Field', name: { kind: 'Name', value: 'name' } },
                { kind: 'Field', name: { kind: 'Name', value: 'turn' } },
              ],
            },
          },
          {
            kind: 'Field',
            name: { kind: 'Name', value: 'score' },
            selectionSet: {
              kind: 'SelectionSet',
              selections: [
                { kind: 'Field', name: { kind: 'Name', value: 'total' } },
                { kind: 'Field', name: { kind: 'Name', value: 'environment' } },
                { kind: 'Field', name: { kind: 'Name', value: 'formatPenalty' } },
                { kind: 'Field', name: { kind: 'Name', value: 'perTurn' } },
                {
                  kind: 'Field',
                  name: { kind: 'Name', value: 'evidence' },
                  selectionSet: {
                    kind: 'SelectionSet',
                    selections: [
                      { kind: 'Field', name: { kind: 'Name', value: 'reward' } },
                      { kind: 'Field', name: { kind: 'Name', value: 'turn' } },
                      { kind: 'Field', name: { kind: 'Name', value: 'start' } },
                      { kind: 'Field', name: { kind: 'Name', value: 'end' } },
                      { kind: 'Field', name: { kind: 'Name', value: 'value' } },
                      { kind: 'Field', name: { kind: 'Name', value: 'note' } },
                    ],
                  },
                },
                {
                  kind: 'Field',
                  name: { kind: 'Name', value: 'rewards' },
                  selectionSet: {
                    kind: 'SelectionSet',
                    selections: [
                      { kind: 'Field', name: { kind: 'Name', value: 'name' } },
                      { kind: 'Field', name: { kind: 'Name', value: 'value' } },
                      { kind: 'Field', name: { kind: 'Name', value: 'weight' } },
                    ],
                  },
                },
              ],
            },
          },
          {
            kind: 'Field',
            name: { kind: 'Name', value: 'update' },
            selectionSet: {
              kind: 'SelectionSet',
              selections: [
                { kind: 'Field', name: { kind: 'Name', value: 'outcome' } },
                { kind: 'Field', name: { kind: 'Name', value: 'lossTokens' } },
                { kind: 'Field', name: { kind: 'Name', value: 'clippedTokens' } },
                { kind: 'Field', name: { kind: 'Name', value: 'share' } },
                { kind: 'Field', name: { kind: 'Name', value: 'policyVersion' } },
                { kind: 'Field', name: { kind: 'Name', value: 'hasTokens' } },
                { kind: 'Field', name: { kind: 'Name', value: 'firstPassSteps' } },
                { kind: 'Field', name: { kind: 'Name', value: 'lastPassSteps' } },
              ],
            },
          },
        ],
      },
    },
  ],
} as unknown as DocumentNode<OpenTrajectoryQuery, OpenTrajectoryQueryVariables>;
export const ReadAtifDocument = {
  kind: 'Document',
  definitions: [
    {
      kind: 'OperationDefinition',
      operation: 'query',
      name: { kind: 'Name', value: 'ReadAtif' },
      variableDefinitions: [
        {
          kind: 'VariableDefinition',
          variable: { kind: 'Variable', name: { kind: 'Name', value: 'runId' } },
          type: { kind: 'NonNullType', type: { kind: 'NamedType', name: { kind: 'Name', value: 'ID' } } },
        },
        {
          kind: 'VariableDefinition',
          variable: { kind: 'Variable', name: { kind: 'Name', value: 'id' } },
          type: { kind: 'NonNullType', type: { kind: 'NamedType', name: { kind: 'Name', value: 'ID' } } },
        },
      ],
      selectionSet: {
        kind: 'SelectionSet',
        selections: [
          {
            kind: 'Field',
            name: { kind: 'Name', value: 'trajectory' },
            arguments: [
              {
                kind: 'Argument',
                name: { kind: 'Name', value: 'runId' },
                value: { kind: 'Variable', name: { kind: 'Name', value: 'runId' } },
              },
              {
                kind: 'Argument',
                name: { kind: 'Name', value: 'id' },
                value: { kind: 'Variable', name: { kind: 'Name', value: 'id' } },
              },
            ],
            selectionSet: {
              kind: 'SelectionSet',
              selections: [{ kind: 'Field', name: { kind: 'Name', value: 'atif' } }],
            },
          },
        ],
      },
    },
  ],
} as unknown as DocumentNode<ReadAtifQuery, ReadAtifQueryVariables>;
export const ReadTokensDocument = {
  kind: 'Document',
  definitions: [
    {
      kind: 'OperationDefinition',
      operation: 'query',
      name: { kind: 'Name', value: 'ReadTokens' },
      variableDefinitions: [
        {
          kind: 'VariableDefinition',
          variable: { kind: 'Variable', name: { kind: 'Name', value: 'runId' } },
          type: { kind: 'NonNullType', type: { kind: 'NamedType', name: { kind: 'Name', value: 'ID' } } },
        },
        {
          kind: 'VariableDefinition',
          variable: { kind: 'Variable', name: { kind: 'Name', value: 'id' } },
          type: { kind: 'NonNullType', type: { kind: 'NamedType', name: { kind: 'Name', value: 'ID' } } },
        },
        {
          kind: 'VariableDefinition',
          variable: { kind: 'Variable', name: { kind: 'Name', value: 'from' } },
          type: { kind: 'NonNullType', type: { kind: 'NamedType', name: { kind: 'Name', value: 'Int' } } },
        },
        {
          kind: 'VariableDefinition',
          variable: { kind: 'Variable', name: { kind: 'Name', value: 'count' } },
          type: { kind: 'NonNullType', type: { kind: 'NamedType', name: { kind: 'Name', value: 'Int' } } },
        },
      ],
      selectionSet: {
        kind: 'SelectionSet',
        selections: [
          {
            kind: 'Field',
            name: { kind: 'Name', value: 'trajectory' },
            arguments: [
              {
                kind: 'Argument',
                name: { kind: 'Name', value: 'runId' },
                value: { kind: 'Variable', name: { kind: 'Name', value: 'runId' } },
              },
              {
                kind: 'Argument',
                name: { kind: 'Name', value: 'id' },
                value: { kind: 'Variable', name: { kind: 'Name', value: 'id' } },
              },
            ],
            selectionSet: {
              kind: 'SelectionSet',
              selections: [
                {
                  kind: 'Field',
                  name: { kind: 'Name', value: 'tokenPage' },
                  arguments: [
                    {
                      kind: 'Argument',
                      name: { kind: 'Name', value: 'from' },
                      value: { kind: 'Variable', name: { kind: 'Name', value: 'from' } },
                    },
                    {
                      kind: 'Argument',
                      name: { kind: 'Name', value: 'count' },
                      value: { kind: 'Variable', name: { kind: 'Name', value: 'count' } },
                    },
                  ],
                  selectionSet: {
                    kind: 'SelectionSet',
                    selections: [
                      { kind: 'Field', name: { kind: 'Name', value: 'from' } },
                      { kind: 'Field', name: { kind: 'Name', value: 'total' } },
                      { kind: 'Field', name: { kind: 'Name', value: 'tokens' } },
                      { kind: 'Field', name: { kind: 'Name', value: 'textEnds' } },
                      { kind: 'Field', name: { kind: 'Name', value: 'mask' } },
                      { kind: 'Field', name: { kind: 'Name', value: 'clipped' } },
                      { kind: 'Field', name: { kind: 'Name', value: 'logprobs' } },
                      { kind: 'Field', name: { kind: 'Name', value: 'entropies' } },
                      { kind: 'Field', name: { kind: 'Name', value: 'advantages' } },
                      { kind: 'Field', name: { kind: 'Name', value: 'returns' } },
                      { kind: 'Field', name: { kind: 'Name', value: 'trainerLogprobs' } },
                      { kind: 'Field', name: { kind: 'Name', value: 'referenceLogprobs' } },
                      { kind: 'Field', name: { kind: 'Name', value: 'samplerWeights' } },
                      { kind: 'Field', name: { kind: 'Name', value: 'ratios' } },
                      { kind: 'Field', name: { kind: 'Name', value: 'losses' } },
                      { kind: 'Field', name: { kind: 'Name', value: 'gradientWeights' } },
                    ],
                  },
                },
              ],
            },
          },
        ],
      },
    },
  ],
} as unknown as DocumentNode<ReadTokensQuery, ReadTokensQueryVariables>;
export const CountTrajectoriesDocument = {
  kind: 'Document',
  definitions: [
    {
      kind: 'OperationDefinition',
      operation: 'query',
      name: { kind: 'Name', value: 'CountTrajectories' },
      variableDefinitions: [
        {
          kind: 'VariableDefinition',
          variable: { kind: 'Variable', name: { kind: 'Name', value: 'runId' } },
          type: { kind: 'NonNullType', type: { kind: 'NamedType', name: { kind: 'Name', value: 'ID' } } },
        },
        {
          kind: 'VariableDefinition',
          variable: { kind: 'Variable', name: { kind: 'Name', value: 'filter' } },
          type: { kind: 'NamedType', name: { kind: 'Name', value: 'TrajectoryFilter' } },
        },
      ],
      selectionSet: {
        kind: 'SelectionSet',
        selections: [
          {
            kind: 'Field',
            name: { kind: 'Name', value: 'trajectoryCounts' },
            arguments: [
              {
                kind: 'Argument',
                name: { kind: 'Name', value: 'runId' },
                value: { kind: 'Variable', name: { kind: 'Name', value: 'runId' } },
              },
              {
                kind: 'Argument',
                name: { kind: 'Name', value: 'filter' },
                value: { kind: 'Variable', name: { kind: 'Name', value: 'filter' } },
              },
            ],
            selectionSet: {
              kind: 'SelectionSet',
              selections: [
                { kind: 'Field', name: { kind: 'Name', value: 'steps' } },
                { kind: 'Field', name: { kind: 'Name', value: 'matching' } },
                { kind: 'Field', name: { kind: 'Name', value: 'all' } },
              ],
            },
          },
        ],
      },
    },
  ],
} as unknown as DocumentNode<CountTrajectoriesQuery, CountTrajectoriesQueryVariables>;
export const PlayTrajectoryDocument = {
  kind: 'Document',
  definitions: [
    {
      kind: 'OperationDefinition',
      operation: 'query',
      name: { kind: 'Name', value: 'PlayTrajectory' },
      variableDefinitions: [
        {
          kind: 'VariableDefinition',
          variable: { kind: 'Variable', name: { kind: 'Name', value: 'runId' } },
          type: { kind: 'NonNullType', type: { kind: 'NamedType', name: { kind: 'Name', value: 'ID' } } },
        },
        {
          kind: 'VariableDefinition',
          variable: { kind: 'Variable', name: { kind: 'Name', value: 'id' } },
          type: { kind: 'NonNullType', type: { kind: 'NamedType', name: { kind: 'Name', value: 'ID' } } },
        },
        {
          kind: 'VariableDefinition',
          variable: { kind: 'Variable', name: { kind: 'Name', value: 'turn' } },
          type: { kind: 'NonNullType', type: { kind: 'NamedType', name: { kind: 'Name', value: 'Int' } } },
        },
        {
          kind: 'VariableDefinition',
          variable: { kind: 'Variable', name: { kind: 'Name', value: 'actions' } },
          type: {
            kind: 'NonNullType',
            type: {
              kind: 'ListType',
              type: {
                kind: 'NonNullType',
                type: { kind: 'NamedType', name: { kind: 'Name', value: 'String' } },
              },
            },
          },
        },
      ],
      selectionSet: {
        kind: 'SelectionSet',
        selections: [
          {
            kind: 'Field',
            name: { kind: 'Name', value: 'playTrajectory' },
            arguments: [
              {
                kind: 'Argument',
                name: { kind: 'Name', value: 'runId' },
                value: { kind: 'Variable', name: { kind: 'Name', value: 'runId' } },
              },
              {
                kind: 'Argument',
                name: { kind: 'Name', value: 'id' },
                value: { kind: 'Variable', name: { kind: 'Name', value: 'id' } },
              },
              {
                kind: 'Argument',
                name: { kind: 'Name', value: 'turn' },
                value: { kind: 'Variable', name: { kind: 'Name', value: 'turn' } },
              },
              {
                kind: 'Argument',
                name: { kind: 'Name', value: 'actions' },
                value: { kind: 'Variable', name: { kind: 'Name', value: 'actions' } },
              },
            ],
            selectionSet: {
              kind: 'SelectionSet',
              selections: [{ kind: 'FragmentSpread', name: { kind: 'Name', value: 'PlayedStateFields' } }],
            },
          },
        ],
      },
    },
    {
      kind: 'FragmentDefinition',
      name: { kind: 'Name', value: 'PlayedStateFields' },
      typeCondition: { kind: 'NamedType', name: { kind: 'Name', value: 'PlayedState' } },
      selectionSet: {
        kind: 'SelectionSet',
        selections: [
          { kind: 'Field', name: { kind: 'Name', value: 'observation' } },
          {
            kind: 'Field',
            name: { kind: 'Name', value: 'legend' },
            selectionSet: {
              kind: 'SelectionSet',
              selections: [
                { kind: 'Field', name: { kind: 'Name', value: 'symbol' } },
                { kind: 'Field', name: { kind: 'Name', value: 'meaning' } },
              ],
            },
          },
          { kind: 'Field', name: { kind: 'Name', value: 'actions' } },
          { kind: 'Field', name: { kind: 'Name', value: 'render' } },
          { kind: 'Field', name: { kind: 'Name', value: 'image' } },
          { kind: 'Field', name: { kind: 'Name', value: 'facts' } },
          { kind: 'Field', name: { kind: 'Name', value: 'hasOracle' } },
          { kind: 'Field', name: { kind: 'Name', value: 'plan' } },
          {
            kind: 'Field',
            name: { kind: 'Name', value: 'steps' },
            selectionSet: {
              kind: 'SelectionSet',
              selections: [
                { kind: 'Field', name: { kind: 'Name', value: 'action' } },
                { kind: 'Field', name: { kind: 'Name', value: 'reward' } },
                { kind: 'Field', name: { kind: 'Name', value: 'valid' } },
                { kind: 'Field', name: { kind: 'Name', value: 'effective' } },
                { kind: 'Field', name: { kind: 'Name', value: 'slipped' } },
              ],
            },
          },
          { kind: 'Field', name: { kind: 'Name', value: 'ended' } },
        ],
      },
    },
  ],
} as unknown as DocumentNode<PlayTrajectoryQuery, PlayTrajectoryQueryVariables>;
export const PlayEnvironmentDocument = {
  kind: 'Document',
  definitions: [
    {
      kind: 'OperationDefinition',
      operation: 'query',
      name: { kind: 'Name', value: 'PlayEnvironment' },
      variableDefinitions: [
        {
          kind: 'VariableDefinition',
          variable: { kind: 'Variable', name: { kind: 'Name', value: 'environment' } },
          type: { kind: 'NonNullType', type: { kind: 'NamedType', name: { kind: 'Name', value: 'JSON' } } },
        },
        {
          kind: 'VariableDefinition',
          variable: { kind: 'Variable', name: { kind: 'Name', value: 'seed' } },
          type: {
            kind: 'NonNullType',
            type: { kind: 'NamedType', name: { kind: 'Name', value: 'SafeInt' } },
          },
        },
        {
          kind: 'VariableDefinition',
          variable: { kind: 'Variable', name: { kind: 'Name', value: 'noiseSeed' } },
          type: { kind: 'NamedType', name: { kind: 'Name', value: 'SafeInt' } },
        },
        {
          kind: 'VariableDefinition',
          variable: { kind: 'Variable', name: { kind: 'Name', value: 'actions' } },
          type: {
            kind: 'NonNullType',
            type: {
              kind: 'ListType',
              type: {
                kind: 'NonNullType',
                type: { kind: 'NamedType', name: { kind: 'Name', value: 'String' } },
              },
            },
          },
        },
      ],
      selectionSet: {
        kind: 'SelectionSet',
        selections: [
          {
            kind: 'Field',
            name: { kind: 'Name', value: 'playEnvironment' },
            arguments: [
              {
                kind: 'Argument',
                name: { kind: 'Name', value: 'environment' },
                value: { kind: 'Variable', name: { kind: 'Name', value: 'environment' } },
              },
              {
                kind: 'Argument',
                name: { kind: 'Name', value: 'seed' },
                value: { kind: 'Variable', name: { kind: 'Name', value: 'seed' } },
              },
              {
                kind: 'Argument',
                name: { kind: 'Name', value: 'noiseSeed' },
                value: { kind: 'Variable', name: { kind: 'Name', value: 'noiseSeed' } },
              },
              {
                kind: 'Argument',
                name: { kind: 'Name', value: 'actions' },
                value: { kind: 'Variable', name: { kind: 'Name', value: 'actions' } },
              },
            ],
            selectionSet: {
              kind: 'SelectionSet',
              selections: [{ kind: 'FragmentSpread', name: { kind: 'Name', value: 'PlayedStateFields' } }],
            },
          },
        ],
      },
    },
    {
      kind: 'FragmentDefinition',
      name: { kind: 'Name', value: 'PlayedStateFields' },
      typeCondition: { kind: 'NamedType', name: { kind: 'Name', value: 'PlayedState' } },
      selectionSet: {
        kind: 'SelectionSet',
        selections: [
          { kind: 'Field', name: { kind: 'Name', value: 'observation' } },
          {
            kind: 'Field',
            name: { kind: 'Name', value: 'legend' },
            selectionSet: {
              kind: 'SelectionSet',
              selections: [
                { kind: 'Field', name: { kind: 'Name', value: 'symbol' } },
                { kind: 'Field', name: { kind: 'Name', value: 'meaning' } },
              ],
            },
          },
          { kind: 'Field', name: { kind: 'Name', value: 'actions' } },
          { kind: 'Field', name: { kind: 'Name', value: 'render' } },
          { kind: 'Field', name: { kind: 'Name', value: 'image' } },
          { kind: 'Field', name: { kind: 'Name', value: 'facts' } },
          { kind: 'Field', name: { kind: 'Name', value: 'hasOracle' } },
          { kind: 'Field', name: { kind: 'Name', value: 'plan' } },
          {
            kind: 'Field',
            name: { kind: 'Name', value: 'steps' },
            selectionSet: {
              kind: 'SelectionSet',
              selections: [
                { kind: 'Field', name: { kind: 'Name', value: 'action' } },
                { kind: 'Field', name: { kind: 'Name', value: 'reward' } },
                { kind: 'Field', name: { kind: 'Name', value: 'valid' } },
                { kind: 'Field', name: { kind: 'Name', value: 'effective' } },
                { kind: 'Field', name: { kind: 'Name', value: 'slipped' } },
              ],
            },
          },
          { kind: 'Field', name: { kind: 'Name', value: 'ended' } },
        ],
      },
    },
  ],
} as unknown as DocumentNode<PlayEnvironmentQuery, PlayEnvironmentQueryVariables>;
export const ListAlarmsDocument = {
  kind: 'Document',
  definitions: [
    {
      kind: 'OperationDefinition',
      operation: 'query',
      name: { kind: 'Name', value: 'ListAlarms' },
      variableDefinitions: [
        {
          kind: 'VariableDefinition',
          variable: { kind: 'Variable', name: { kind: 'Name', value: 'filter' } },
          type: { kind: 'NamedType', name: { kind: 'Name', value: 'AlertFilter' } },
        },
        {
          kind: 'VariableDefinition',
          variable: { kind: 'Variable', name: { kind: 'Name', value: 'first' } },
          type: { kind: 'NamedType', name: { kind: 'Name', value: 'Int' } },
        },
        {
          kind: 'VariableDefinition',
          variable: { kind: 'Variable', name: { kind: 'Name', value: 'after' } },
          type: { kind: 'NamedType', name: { kind: 'Name', value: 'String' } },
        },
      ],
      selectionSet: {
        kind: 'SelectionSet',
        selections: [
          {
            kind: 'Field',
            name: { kind: 'Name', value: 'alerts' },
            arguments: [
              {
                kind: 'Argument',
                name: { kind: 'Name', value: 'filter' },
                value: { kind: 'Variable', name: { kind: 'Name', value: 'filter' } },
              },
              {
                kind: 'Argument',
                name: { kind: 'Name', value: 'first' },
                value: { kind: 'Variable', name: { kind: 'Name', value: 'first' } },
              },
              {
                kind: 'Argument',
                name: { kind: 'Name', value: 'after' },
                value: { kind: 'Variable', name: { kind: 'Name', value: 'after' } },
              },
            ],
            selectionSet: {
              kind: 'SelectionSet',
              selections: [
                {
                  kind: 'Field',
                  name: { kind: 'Name', value: 'nodes' },
                  selectionSet: {
                    kind: 'SelectionSet',
                    selections: [{ kind: 'FragmentSpread', name: { kind: 'Name', value: 'AlarmFields' } }],
                  },
                },
                {
                  kind: 'Field',
                  name: { kind: 'Name', value: 'pageInfo' },
                  selectionSet: {
                    kind: 'SelectionSet',
                    selections: [{ kind: 'FragmentSpread', name: { kind: 'Name', value: 'PageFields' } }],
                  },
                },
              ],
            },
          },
        ],
      },
    },
    {
      kind: 'FragmentDefinition',
      name: { kind: 'Name', value: 'AlarmFields' },
      typeCondition: { kind: 'NamedType', name: { kind: 'Name', value: 'Alert' } },
      selectionSet: {
        kind: 'SelectionSet',
        selections: [
          { kind: 'Field', name: { kind: 'Name', value: 'id' } },
          { kind: 'Field', name: { kind: 'Name', value: 'runId' } },
          { kind: 'Field', name: { kind: 'Name', value: 'severity' } },
          { kind: 'Field', name: { kind: 'Name', value: 'code' } },
          { kind: 'Field', name: { kind: 'Name', value: 'message' } },
          { kind: 'Field', name: { kind: 'Name', value: 'step' } },
          { kind: 'Field', name: { kind: 'Name', value: 'time' } },
          { kind: 'Field', name: { kind: 'Name', value: 'acknowledgedAt' } },
          { kind: 'Field', name: { kind: 'Name', value: 'acknowledgedBy' } },
          { kind: 'Field', name: { kind: 'Name', value: 'project' } },
          { kind: 'Field', name: { kind: 'Name', value: 'assigneeId' } },
          { kind: 'Field', name: { kind: 'Name', value: 'assignee' } },
          {
            kind: 'Field',
            name: { kind: 'Name', value: 'findings' },
            selectionSet: {
              kind: 'SelectionSet',
              selections: [
                { kind: 'Field', name: { kind: 'Name', value: 'rule' } },
                { kind: 'Field', name: { kind: 'Name', value: 'meaning' } },
                { kind: 'Field', name: { kind: 'Name', value: 'level' } },
                { kind: 'Field', name: { kind: 'Name', value: 'input' } },
                { kind: 'Field', name: { kind: 'Name', value: 'metrics' } },
                { kind: 'Field', name: { kind: 'Name', value: 'measure' } },
                { kind: 'Field', name: { kind: 'Name', value: 'limit' } },
                { kind: 'Field', name: { kind: 'Name', value: 'value' } },
                { kind: 'Field', name: { kind: 'Name', value: 'baseline' } },
                { kind: 'Field', name: { kind: 'Name', value: 'since' } },
                { kind: 'Field', name: { kind: 'Name', value: 'history' } },
                { kind: 'Field', name: { kind: 'Name', value: 'metricLimit' } },
                { kind: 'Field', name: { kind: 'Name', value: 'side' } },
              ],
            },
          },
          {
            kind: 'Field',
            name: { kind: 'Name', value: 'verdicts' },
            selectionSet: {
              kind: 'SelectionSet',
              selections: [
                { kind: 'Field', name: { kind: 'Name', value: 'keyId' } },
                { kind: 'Field', name: { kind: 'Name', value: 'createdBy' } },
                { kind: 'Field', name: { kind: 'Name', value: 'judgement' } },
                { kind: 'Field', name: { kind: 'Name', value: 'reason' } },
                { kind: 'Field', name: { kind: 'Name', value: 'time' } },
              ],
            },
          },
        ],
      },
    },
    {
      kind: 'FragmentDefinition',
      name: { kind: 'Name', value: 'PageFields' },
      typeCondition: { kind: 'NamedType', name: { kind: 'Name', value: 'PageInfo' } },
      selectionSet: {
        kind: 'SelectionSet',
        selections: [
          { kind: 'Field', name: { kind: 'Name', value: 'startCursor' } },
          { kind: 'Field', name: { kind: 'Name', value: 'endCursor' } },
          { kind: 'Field', name: { kind: 'Name', value: 'hasNextPage' } },
          { kind: 'Field', name: { kind: 'Name', value: 'hasPreviousPage' } },
        ],
      },
    },
  ],
} as unknown as DocumentNode<ListAlarmsQuery, ListAlarmsQueryVariables>;
export const ReadAlertRecordDocument = {
  kind: 'Document',
  definitions: [
    {
      kind: 'OperationDefinition',
      operation: 'query',
      name: { kind: 'Name', value: 'ReadAlertRecord' },
      variableDefinitions: [
        {
          kind: 'VariableDefinition',
          variable: { kind: 'Variable', name: { kind: 'Name', value: 'project' } },
          type: { kind: 'NamedType', name: { kind: 'Name', value: 'String' } },
        },
      ],
      selectionSet: {
        kind: 'SelectionSet',
        selections: [
          {
            kind: 'Field',
            name: { kind: 'Name', value: 'alertRecord' },
            arguments: [
              {
                kind: 'Argument',
                name: { kind: 'Name', value: 'project' },
                value: { kind: 'Variable', name: { kind: 'Name', value: 'project' } },
              },
            ],
            selectionSet: {
              kind: 'SelectionSet',
              selections: [
                { kind: 'Field', name: { kind: 'Name', value: 'alpha' } },
                { kind: 'Field', name: { kind: 'Name', value: 'judgedBySeveral' } },
                {
                  kind: 'Field',
                  name: { kind: 'Name', value: 'kinds' },
                  selectionSet: {
                    kind: 'SelectionSet',
                    selections: [
                      { kind: 'Field', name: { kind: 'Name', value: 'name' } },
                      { kind: 'Field', name: { kind: 'Name', value: 'isRule' } },
                      { kind: 'Field', name: { kind: 'Name', value: 'alerts' } },
                      { kind: 'Field', name: { kind: 'Name', value: 'confirmed' } },
                      { kind: 'Field', name: { kind: 'Name', value: 'falseAlarms' } },
                      { kind: 'Field', name: { kind: 'Name', value: 'undecided' } },
                      { kind: 'Field', name: { kind: 'Name', value: 'precision' } },
                      { kind: 'Field', name: { kind: 'Name', value: 'low' } },
                      { kind: 'Field', name: { kind: 'Name', value: 'high' } },
                    ],
                  },
                },
              ],
            },
          },
        ],
      },
    },
  ],
} as unknown as DocumentNode<ReadAlertRecordQuery, ReadAlertRecordQueryVariables>;
export const JudgeAlertDocument = {
  kind: 'Document',
  definitions: [
    {
      kind: 'OperationDefinition',
      operation: 'mutation',
      name: { kind: 'Name', value: 'JudgeAlert' },
      variableDefinitions: [
        {
          kind: 'VariableDefinition',
          variable: { kind: 'Variable', name: { kind: 'Name', value: 'input' } },
          type: {
            kind: 'NonNullType',
            type: { kind: 'NamedType', name: { kind: 'Name', value: 'JudgeAlertInput' } },
          },
        },
      ],
      selectionSet: {
        kind: 'SelectionSet',
        selections: [
          {
            kind: 'Field',
            name: { kind: 'Name', value: 'judgeAlert' },
            arguments: [
              {
                kind: 'Argument',
                name: { kind: 'Name', value: 'input' },
                value: { kind: 'Variable', name: { kind: 'Name', value: 'input' } },
              },
            ],
            selectionSet: {
              kind: 'SelectionSet',
              selections: [
                { kind: 'Field', name: { kind: 'Name', value: '__typename' } },
                {
                  kind: 'InlineFragment',
                  typeCondition: { kind: 'NamedType', name: { kind: 'Name', value: 'Alert' } },
                  selectionSet: {
                    kind: 'SelectionSet',
                    selections: [{ kind: 'Field', name: { kind: 'Name', value: 'id' } }],
                  },
                },
                { kind: 'FragmentSpread', name: { kind: 'Name', value: 'RefusalFields' } },
              ],
            },
          },
        ],
      },
    },
    {
      kind: 'FragmentDefinition',
      name: { kind: 'Name', value: 'RefusalFields' },
      typeCondition: { kind: 'NamedType', name: { kind: 'Name', value: 'Refusal' } },
      selectionSet: {
        kind: 'SelectionSet',
        selections: [
          { kind: 'Field', name: { kind: 'Name', value: 'code' } },
          { kind: 'Field', name: { kind: 'Name', value: 'message' } },
          { kind: 'Field', name: { kind: 'Name', value: 'remedy' } },
          {
            kind: 'InlineFragment',
            typeCondition: { kind: 'NamedType', name: { kind: 'Name', value: 'InvalidInput' } },
            selectionSet: {
              kind: 'SelectionSet',
              selections: [{ kind: 'Field', name: { kind: 'Name', value: 'problems' } }],
            },
          },
          {
            kind: 'InlineFragment',
            typeCondition: { kind: 'NamedType', name: { kind: 'Name', value: 'WrongState' } },
            selectionSet: {
              kind: 'SelectionSet',
              selections: [{ kind: 'Field', name: { kind: 'Name', value: 'state' } }],
            },
          },
        ],
      },
    },
  ],
} as unknown as DocumentNode<JudgeAlertMutation, JudgeAlertMutationVariables>;
export const WatchRunAlertsDocument = {
  kind: 'Document',
  definitions: [
    {
      kind: 'OperationDefinition',
      operation: 'subscription',
      name: { kind: 'Name', value: 'WatchRunAlerts' },
      variableDefinitions: [
        {
          kind: 'VariableDefinition',
          variable: { kind: 'Variable', name: { kind: 'Name', value: 'runId' } },
          type: { kind: 'NamedType', name: { kind: 'Name', value: 'ID' } },
        },
      ],
      selectionSet: {
        kind: 'SelectionSet',
        selections: [
          {
            kind: 'Field',
            name: { kind: 'Name', value: 'alertChanged' },
            arguments: [
              {
                kind: 'Argument',
                name: { kind: 'Name', value: 'runId' },
                value: { kind: 'Variable', name: { kind: 'Name', value: 'runId' } },
              },
            ],
            selectionSet: {
              kind: 'SelectionSet',
              selections: [{ kind: 'Field', name: { kind: 'Name', value: 'id' } }],
            },
          },
        ],
      },
    },
  ],
} as unknown as DocumentNode<WatchRunAlertsSubscription, WatchRunAlertsSubscriptionVariables>;
export const SampleTrajectoriesDocument = {
  kind: 'Document',
  definitions: [
    {
      kind: 'OperationDefinition',
      operation: 'query',
      name: { kind: 'Name', value: 'SampleTrajectories' },
      variableDefinitions: [
        {
          kind: 'VariableDefinition',
          variable: { kind: 'Variable', name: { kind: 'Name', value: 'runId' } },
          type: { kind: 'NonNullType', type: { kind: 'NamedType', name: { kind: 'Name', value: 'ID' } } },
        },
        {
          kind: 'VariableDefinition',
          variable: { kind: 'Variable', name: { kind: 'Name', value: 'sample' } },
          type: {
            kind: 'NonNullType',
            type: { kind: 'NamedType', name: { kind: 'Name', value: 'TrajectorySampleInput' } },
          },
        },
      ],
      selectionSet: {
        kind: 'SelectionSet',
        selections: [
          {
            kind: 'Field',
            name: { kind: 'Name', value: 'trajectorySample' },
            arguments: [
              {
                kind: 'Argument',
                name: { kind: 'Name', value: 'runId' },
                value: { kind: 'Variable', name: { kind: 'Name', value: 'runId' } },
              },
              {
                kind: 'Argument',
                name: { kind: 'Name', value: 'sample' },
                value: { kind: 'Variable', name: { kind: 'Name', value: 'sample' } },
              },
            ],
            selectionSet: {
              kind: 'SelectionSet',
              selections: [
                { kind: 'Field', name: { kind: 'Name', value: 'available' } },
                { kind: 'Field', name: { kind: 'Name', value: 'seed' } },
                {
                  kind: 'Field',
                  name: { kind: 'Name', value: 'strata' },
                  selectionSet: {
                    kind: 'SelectionSet',
                    selections: [
                      { kind: 'Field', name: { kind: 'Name', value: 'success' } },
                      { kind: 'Field', name: { kind: 'Name', value: 'available' } },
                      { kind: 'Field', name: { kind: 'Name', value: 'taken' } },
                    ],
                  },
                },
                {
                  kind: 'Field',
                  name: { kind: 'Name', value: 'trajectories' },
                  selectionSet: {
                    kind: 'SelectionSet',
                    selections: [
                      { kind: 'FragmentSpread', name: { kind: 'Name', value: 'TrajectoryRowFields' } },
                    ],
                  },
                },
              ],
            },
          },
        ],
      },
    },
    {
      kind: 'FragmentDefinition',
      name: { kind: 'Name', value: 'TrajectoryRowFields' },
      typeCondition: { kind: 'NamedType', name: { kind: 'Name', value: 'Trajectory' } },
      selectionSet: {
        kind: 'SelectionSet',
        selections: [
          { kind: 'Field', name: { kind: 'Name', value: 'id' } },
          { kind: 'Field', name: { kind: 'Name', value: 'runId' } },
          { kind: 'Field', name: { kind: 'Name', value: 'attempt' } },
          { kind: 'Field', name: { kind: 'Name', value: 'step' } },
          { kind: 'Field', name: { kind: 'Name', value: 'environment' } },
          { kind: 'Field', name: { kind: 'Name', value: 'environmentTag' } },
          { kind: 'Field', name: { kind: 'Name', value: 'split' } },
          { kind: 'Field', name: { kind: 'Name', value: 'group' } },
          { kind: 'Field', name: { kind: 'Name', value: 'index' } },
          { kind: 'Field', name: { kind: 'Name', value: 'stateSeed' } },
          { kind: 'Field', name: { kind: 'Name', value: 'reward' } },
          { kind: 'Field', name: { kind: 'Name', value: 'environmentReward' } },
          { kind: 'Field', name: { kind: 'Name', value: 'success' } },
          { kind: 'Field', name: { kind: 'Name', value: 'stopReason' } },
          { kind: 'Field', name: { kind: 'Name', value: 'labels' } },
          { kind: 'Field', name: { kind: 'Name', value: 'turns' } },
          { kind: 'Field', name: { kind: 'Name', value: 'tokens' } },
          { kind: 'Field', name: { kind: 'Name', value: 'sampledTokens' } },
          { kind: 'Field', name: { kind: 'Name', value: 'kept' } },
          {
            kind: 'Field',
            name: { kind: 'Name', value: 'dropped' },
            selectionSet: {
              kind: 'SelectionSet',
              selections: [
                { kind: 'Field', name: { kind: 'Name', value: 'reason' } },
                { kind: 'Field', name: { kind: 'Name', value: 'numbers' } },
              ],
            },
          },
          { kind: 'Field', name: { kind: 'Name', value: 'outcome' } },
          { kind: 'Field', name: { kind: 'Name', value: 'lossTokens' } },
          { kind: 'Field', name: { kind: 'Name', value: 'clippedTokens' } },
          { kind: 'Field', name: { kind: 'Name', value: 'updateShare' } },
          { kind: 'Field', name: { kind: 'Name', value: 'error' } },
        ],
      },
    },
  ],
} as unknown as DocumentNode<SampleTrajectoriesQuery, SampleTrajectoriesQueryVariables>;
export const ReadAlertExamplesDocument = {
  kind: 'Document',
  definitions: [
    {
      kind: 'OperationDefinition',
      operation: 'query',
      name: { kind: 'Name', value: 'ReadAlertExamples' },
      variableDefinitions: [
        {
          kind: 'VariableDefinition',
          variable: { kind: 'Variable', name: { kind: 'Name', value: 'alertId' } },
          type: { kind: 'NonNullType', type: { kind: 'NamedType', name: { kind: 'Name', value: 'ID' } } },
        },
        {
          kind: 'VariableDefinition',
          variable: { kind: 'Variable', name: { kind: 'Name', value: 'examples' } },
          type: { kind: 'NamedType', name: { kind: 'Name', value: 'AlertExamplesInput' } },
        },
      ],
      selectionSet: {
        kind: 'SelectionSet',
        selections: [
          {
            kind: 'Field',
            name: { kind: 'Name', value: 'alertExamples' },
            arguments: [
              {
                kind: 'Argument',
                name: { kind: 'Name', value: 'alertId' },
                value: { kind: 'Variable', name: { kind: 'Name', value: 'alertId' } },
              },
              {
                kind: 'Argument',
                name: { kind: 'Name', value: 'examples' },
                value: { kind: 'Variable', name: { kind: 'Name', value: 'examples' } },
              },
            ],
            selectionSet: {
              kind: 'SelectionSet',
              selections: [
                { kind: 'Field', name: { kind: 'Name', value: 'rule' } },
                { kind: 'Field', name: { kind: 'Name', value: 'quantity' } },
                { kind: 'Field', name: { kind: 'Name', value: 'order' } },
                { kind: 'Field', name: { kind: 'Name', value: 'meaning' } },
                { kind: 'Field', name: { kind: 'Name', value: 'unit' } },
                { kind: 'Field', name: { kind: 'Name', value: 'fromStep' } },
                { kind: 'Field', name: { kind: 'Name', value: 'toStep' } },
                { kind: 'Field', name: { kind: 'Name', value: 'available' } },
                { kind: 'Field', name: { kind: 'Name', value: 'considered' } },
                {
                  kind: 'Field',
                  name: { kind: 'Name', value: 'examples' },
                  selectionSet: {
                    kind: 'SelectionSet',
                    selections: [
                      { kind: 'Field', name: { kind: 'Name', value: 'value' } },
                      {
                        kind: 'Field',
                        name: { kind: 'Name', value: 'trajectory' },
                        selectionSet: {
                          kind: 'SelectionSet',
                          selections: [
                            { kind: 'FragmentSpread', name: { kind: 'Name', value: 'TrajectoryRowFields' } },
                          ],
                        },
                      },
                    ],
                  },
                },
              ],
            },
          },
        ],
      },
    },
    {
      kind: 'FragmentDefinition',
      name: { kind: 'Name', value: 'TrajectoryRowFields' },
      typeCondition: { kind: 'NamedType', name: { kind: 'Name', value: 'Trajectory' } },
      selectionSet: {
        kind: 'SelectionSet',
        selections: [
          { kind: 'Field', name: { kind: 'Name', value: 'id' } },
          { kind: 'Field', name: { kind: 'Name', value: 'runId' } },
          { kind: 'Field', name: { kind: 'Name', value: 'attempt' } },
          { kind: 'Field', name: { kind: 'Name', value: 'step' } },
          { kind: 'Field', name: { kind: 'Name', value: 'environment' } },
          { kind: 'Field', name: { kind: 'Name', value: 'environmentTag' } },
          { kind: 'Field', name: { kind: 'Name', value: 'split' } },
          { kind: 'Field', name: { kind: 'Name', value: 'group' } },
          { kind: 'Field', name: { kind: 'Name', value: 'index' } },
          { kind: 'Field', name: { kind: 'Name', value: 'stateSeed' } },
          { kind: 'Field', name: { kind: 'Name', value: 'reward' } },
          { kind: 'Field', name: { kind: 'Name', value: 'environmentReward' } },
          { kind: 'Field', name: { kind: 'Name', value: 'success' } },
          { kind: 'Field', name: { kind: 'Name', value: 'stopReason' } },
          { kind: 'Field', name: { kind: 'Name', value: 'labels' } },
          { kind: 'Field', name: { kind: 'Name', value: 'turns' } },
          { kind: 'Field', name: { kind: 'Name', value: 'tokens' } },
          { kind: 'Field', name: { kind: 'Name', value: 'sampledTokens' } },
          { kind: 'Field', name: { kind: 'Name', value: 'kept' } },
          {
            kind: 'Field',
            name: { kind: 'Name', value: 'dropped' },
            selectionSet: {
              kind: 'SelectionSet',
              selections: [
                { kind: 'Field', name: { kind: 'Name', value: 'reason' } },
                { kind: 'Field', name: { kind: 'Name', value: 'numbers' } },
              ],
            },
          },
          { kind: 'Field', name: { kind: 'Name', value: 'outcome' } },
          { kind: 'Field', name: { kind: 'Name', value: 'lossTokens' } },
          { kind: 'Field', name: { kind: 'Name', value: 'clippedTokens' } },
          { kind: 'Field', name: { kind: 'Name', value: 'updateShare' } },
          { kind: 'Field', name: { kind: 'Name', value: 'error' } },
        ],
      },
    },
  ],
} as unknown as DocumentNode<ReadAlertExamplesQuery, ReadAlertExamplesQueryVariables>;
export const ListWorkersDocument = {
  kind: 'Document',
  definitions: [
    {
      kind: 'OperationDefinition',
      operation: 'query',
      name: { kind: 'Name', value: 'ListWorkers' },
      variableDefinitions: [
        {
          kind: 'VariableDefinition',
          variable: { kind: 'Variable', name: { kind: 'Name', value: 'first' } },
          type: { kind: 'NamedType', name: { kind: 'Name', value: 'Int' } },
        },
        {
          kind: 'VariableDefinition',
          variable: { kind: 'Variable', name: { kind: 'Name', value: 'after' } },
          type: { kind: 'NamedType', name: { kind: 'Name', value: 'String' } },
        },
        {
          kind: 'VariableDefinition',
          variable: { kind: 'Variable', name: { kind: 'Name', value: 'last' } },
          type: { kind: 'NamedType', name: { kind: 'Name', value: 'Int' } },
        },
        {
          kind: 'VariableDefinition',
          variable: { kind: 'Variable', name: { kind: 'Name', value: 'before' } },
          type: { kind: 'NamedType', name: { kind: 'Name', value: 'String' } },
        },
        {
          kind: 'VariableDefinition',
          variable: { kind: 'Variable', name: { kind: 'Name', value: 'orderBy' } },
          type: { kind: 'NamedType', name: { kind: 'Name', value: 'WorkerOrder' } },
        },
      ],
      selectionSet: {
        kind: 'SelectionSet',
        selections: [
          {
            kind: 'Field',
            name: { kind: 'Name', value: 'workers' },
            arguments: [
              {
                kind: 'Argument',
                name: { kind: 'Name', value: 'first' },
                value: { kind: 'Variable', name: { kind: 'Name', value: 'first' } },
              },
              {
                kind: 'Argument',
                name: { kind: 'Name', value: 'after' },
                value: { kind: 'Variable', name: { kind: 'Name', value: 'after' } },
              },
              {
                kind: 'Argument',
                name: { kind: 'Name', value: 'last' },
                value: { kind: 'Variable', name: { kind: 'Name', value: 'last' } },
              },
              {
                kind: 'Argument',
                name: { kind: 'Name', value: 'before' },
                value: { kind: 'Variable', name: { kind: 'Name', value: 'before' } },
              },
              {
                kind: 'Argument',
                name: { kind: 'Name', value: 'orderBy' },
                value: { kind: 'Variable', name: { kind: 'Name', value: 'orderBy' } },
              },
            ],
            selectionSet: {
              kind: 'SelectionSet',
              selections: [
                {
                  kind: 'Field',
                  name: { kind: 'Name', value: 'nodes' },
                  selectionSet: {
                    kind: 'SelectionSet',
                    selections: [{ kind: 'FragmentSpread', name: { kind: 'Name', value: 'WorkerFields' } }],
                  },
                },
                {
                  kind: 'Field',
                  name: { kind: 'Name', value: 'pageInfo' },
                  selectionSet: {
                    kind: 'SelectionSet',
                    selections: [{ kind: 'FragmentSpread', name: { kind: 'Name', value: 'PageFields' } }],
                  },
                },
              ],
            },
          },
        ],
      },
    },
    {
      kind: 'FragmentDefinition',
      name: { kind: 'Name', value: 'PluginFields' },
      typeCondition: { kind: 'NamedType', name: { kind: 'Name', value: 'PluginVersion' } },
      selectionSet: {
        kind: 'SelectionSet',
        selections: [
          { kind: 'Field', name: { kind: 'Name', value: 'kind' } },
          { kind: 'Field', name: { kind: 'Name', value: 'id' } },
          { kind: 'Field', name: { kind: 'Name', value: 'version' } },
          { kind: 'Field', name: { kind: 'Name', value: 'sha256' } },
          { kind: 'Field', name: { kind: 'Name', value: 'isExternal' } },
        ],
      },
    },
    {
      kind: 'FragmentDefinition',
      name: { kind: 'Name', value: 'WorkerFields' },
      typeCondition: { kind: 'NamedType', name: { kind: 'Name', value: 'Worker' } },
      selectionSet: {
        kind: 'SelectionSet',
        selections: [
          { kind: 'Field', name: { kind: 'Name', value: 'id' } },
          { kind: 'Field', name: { kind: 'Name', value: 'name' } },
          { kind: 'Field', name: { kind: 'Name', value: 'host' } },
          { kind: 'Field', name: { kind: 'Name', value: 'version' } },
          { kind: 'Field', name: { kind: 'Name', value: 'labels' } },
          {
            kind: 'Field',
            name: { kind: 'Name', value: 'plugins' },
            selectionSet: {
              kind: 'SelectionSet',
              selections: [{ kind: 'FragmentSpread', name: { kind: 'Name', value: 'PluginFields' } }],
            },
          },
          { kind: 'Field', name: { kind: 'Name', value: 'online' } },
          { kind: 'Field', name: { kind: 'Name', value: 'draining' } },
          { kind: 'Field', name: { kind: 'Name', value: 'connectedAt' } },
          { kind: 'Field', name: { kind: 'Name', value: 'lastSeenAt' } },
        ],
      },
    },
    {
      kind: 'FragmentDefinition',
      name: { kind: 'Name', value: 'PageFields' },
      typeCondition: { kind: 'NamedType', name: { kind: 'Name', value: 'PageInfo' } },
      selectionSet: {
        kind: 'SelectionSet',
        selections: [
          { kind: 'Field', name: { kind: 'Name', value: 'startCursor' } },
          { kind: 'Field', name: { kind: 'Name', value: 'endCursor' } },
          { kind: 'Field', name: { kind: 'Name', value: 'hasNextPage' } },
          { kind: 'Field', name: { kind: 'Name', value: 'hasPreviousPage' } },
        ],
      },
    },
  ],
} as unknown as DocumentNode<ListWorkersQuery, ListWorkersQueryVariables>;
export const ListDeviceHistoryDocument = {
  kind: 'Document',
  definitions: [
    {
      kind: 'OperationDefinition',
      operation: 'query',
      name: { kind: 'Name', value: 'ListDeviceHistory' },
      variableDefinitions: [
        {
          kind: 'VariableDefinition',
          variable: { kind: 'Variable', name: { kind: 'Name', value: 'id' } },
          type: { kind: 'NonNullType', type: { kind: 'NamedType', name: { kind: 'Name', value: 'ID' } } },
        },
        {
          kind: 'VariableDefinition',
          variable: { kind: 'Variable', name: { kind: 'Name', value: 'hours' } },
          type: { kind: 'NonNullType', type: { kind: 'NamedType', name: { kind: 'Name', value: 'Float' } } },
        },
        {
          kind: 'VariableDefinition',
          variable: { kind: 'Variable', name: { kind: 'Name', value: 'points' } },
          type: { kind: 'NonNullType', type: { kind: 'NamedType', name: { kind: 'Name', value: 'Int' } } },
        },
      ],
      selectionSet: {
        kind: 'SelectionSet',
        selections: [
          {
            kind: 'Field',
            name: { kind: 'Name', value: 'worker' },
            arguments: [
              {
                kind: 'Argument',
                name: { kind: 'Name', value: 'id' },
                value: { kind: 'Variable', name: { kind: 'Name', value: 'id' } },
              },
            ],
            selectionSet: {
              kind: 'SelectionSet',
              selections: [
                {
                  kind: 'Field',
                  name: { kind: 'Name', value: 'deviceHistory' },
                  arguments: [
                    {
                      kind: 'Argument',
                      name: { kind: 'Name', value: 'hours' },
                      value: { kind: 'Variable', name: { kind: 'Name', value: 'hours' } },
                    },
                    {
                      kind: 'Argument',
                      name: { kind: 'Name', value: 'points' },
                      value: { kind: 'Variable', name: { kind: 'Name', value: 'points' } },
                    },
                  ],
                  selectionSet: {
                    kind: 'SelectionSet',
                    selections: [
                      { kind: 'Field', name: { kind: 'Name', value: 'at' } },
                      {
                        kind: 'Field',
                        name: { kind: 'Name', value: 'devices' },
                        selectionSet: {
                          kind: 'SelectionSet',
                          selections: [
                            { kind: 'Field', name: { kind: 'Name', value: 'id' } },
                            { kind: 'Field', name: { kind: 'Name', value: 'utilisation' } },
                            { kind: 'Field', name: { kind: 'Name', value: 'freeMemoryMb' } },
                            { kind: 'Field', name: { kind: 'Name', value: 'powerWatts' } },
                            { kind: 'Field', name: { kind: 'Name', value: 'temperatureCelsius' } },
                          ],
                        },
                      },
                    ],
                  },
                },
              ],
            },
          },
        ],
      },
    },
  ],
} as unknown as DocumentNode<ListDeviceHistoryQuery, ListDeviceHistoryQueryVariables>;
export const ForgetWorkerDocument = {
  kind: 'Document',
  definitions: [
    {
      kind: 'OperationDefinition',
      operation: 'mutation',
      name: { kind: 'Name', value: 'ForgetWorker' },
      variableDefinitions: [
        {
          kind: 'VariableDefinition',
          variable: { kind: 'Variable', name: { kind: 'Name', value: 'input' } },
          type: {
            kind: 'NonNullType',
            type: { kind: 'NamedType', name: { kind: 'Name', value: 'ForgetWorkerInput' } },
          },
        },
      ],
      selectionSet: {
        kind: 'SelectionSet',
        selections: [
          {
            kind: 'Field',
            name: { kind: 'Name', value: 'forgetWorker' },
            arguments: [
              {
                kind: 'Argument',
                name: { kind: 'Name', value: 'input' },
                value: { kind: 'Variable', name: { kind: 'Name', value: 'input' } },
              },
            ],
            selectionSet: {
              kind: 'SelectionSet',
              selections: [
                { kind: 'Field', name: { kind: 'Name', value: '__typename' } },
                { kind: 'FragmentSpread', name: { kind: 'Name', value: 'WorkerFields' } },
                { kind: 'FragmentSpread', name: { kind: 'Name', value: 'RefusalFields' } },
              ],
            },
          },
        ],
      },
    },
    {
      kind: 'FragmentDefinition',
      name: { kind: 'Name', value: 'PluginFields' },
      typeCondition: { kind: 'NamedType', name: { kind: 'Name', value: 'PluginVersion' } },
      selectionSet: {
        kind: 'SelectionSet',
        selections: [
          { kind: 'Field', name: { kind: 'Name', value: 'kind' } },
          { kind: 'Field', name: { kind: 'Name', value: 'id' } },
          { kind: 'Field', name: { kind: 'Name', value: 'version' } },
          { kind: 'Field', name: { kind: 'Name', value: 'sha256' } },
          { kind: 'Field', name: { kind: 'Name', value: 'isExternal' } },
        ],
      },
    },
    {
      kind: 'FragmentDefinition',
      name: { kind: 'Name', value: 'WorkerFields' },
      typeCondition: { kind: 'NamedType', name: { kind: 'Name', value: 'Worker' } },
      selectionSet: {
        kind: 'SelectionSet',
        selections: [
          { kind: 'Field', name: { kind: 'Name', value: 'id' } },
          { kind: 'Field', name: { kind: 'Name', value: 'name' } },
          { kind: 'Field', name: { kind: 'Name', value: 'host' } },
          { kind: 'Field', name: { kind: 'Name', value: 'version' } },
          { kind: 'Field', name: { kind: 'Name', value: 'labels' } },
          {
            kind: 'Field',
            name: { kind: 'Name', value: 'plugins' },
            selectionSet: {
              kind: 'SelectionSet',
              selections: [{ kind: 'FragmentSpread', name: { kind: 'Name', value: 'PluginFields' } }],
            },
          },
          { kind: 'Field', name: { kind: 'Name', value: 'online' } },
          { kind: 'Field', name: { kind: 'Name', value: 'draining' } },
          { kind: 'Field', name: { kind: 'Name', value: 'connectedAt' } },
          { kind: 'Field', name: { kind: 'Name', value: 'lastSeenAt' } },
        ],
      },
    },
    {
      kind: 'FragmentDefinition',
      name: { kind: 'Name', value: 'RefusalFields' },
      typeCondition: { kind: 'NamedType', name: { kind: 'Name', value: 'Refusal' } },
      selectionSet: {
        kind: 'SelectionSet',
        selections: [
          { kind: 'Field', name: { kind: 'Name', value: 'code' } },
          { kind: 'Field', name: { kind: 'Name', value: 'message' } },
          { kind: 'Field', name: { kind: 'Name', value: 'remedy' } },
          {
            kind: 'InlineFragment',
            typeCondition: { kind: 'NamedType', name: { kind: 'Name', value: 'InvalidInput' } },
            selectionSet: {
              kind: 'SelectionSet',
              selections: [{ kind: 'Field', name: { kind: 'Name', value: 'problems' } }],
            },
          },
          {
            kind: 'InlineFragment',
            typeCondition: { kind: 'NamedType', name: { kind: 'Name', value: 'WrongState' } },
            selectionSet: {
              kind: 'SelectionSet',
              selections: [{ kind: 'Field', name: { kind: 'Name', value: 'state' } }],
            },
          },
        ],
      },
    },
  ],
} as unknown as DocumentNode<ForgetWorkerMutation, ForgetWorkerMutationVariables>;
export const DrainWorkerDocument = {
  kind: 'Document',
  definitions: [
    {
      kind: 'OperationDefinition',
      operation: 'mutation',
      name: { kind: 'Name', value: 'DrainWorker' },
      variableDefinitions: [
        {
          kind: 'VariableDefinition',
          variable: { kind: 'Variable', name: { kind: 'Name', value: 'input' } },
          type: {
            kind: 'NonNullType',
            type: { kind: 'NamedType', name: { kind: 'Name', value: 'DrainWorkerInput' } },
          },
        },
      ],
      selectionSet: {
        kind: 'SelectionSet',
        selections: [
          {
            kind: 'Field',
            name: { kind: 'Name', value: 'drainWorker' },
            arguments: [
              {
                kind: 'Argument',
                name: { kind: 'Name', value: 'input' },
                value: { kind: 'Variable', name: { kind: 'Name', value: 'input' } },
              },
            ],
            selectionSet: {
              kind: 'SelectionSet',
              selections: [
                { kind: 'Field', name: { kind: 'Name', value: '__typename' } },
                { kind: 'FragmentSpread', name: { kind: 'Name', value: 'WorkerFields' } },
                { kind: 'FragmentSpread', name: { kind: 'Name', value: 'RefusalFields' } },
              ],
            },
          },
        ],
      },
    },
    {
      kind: 'FragmentDefinition',
      name: { kind: 'Name', value: 'PluginFields' },
      typeCondition: { kind: 'NamedType', name: { kind: 'Name', value: 'PluginVersion' } },
      selectionSet: {
        kind: 'SelectionSet',
        selections: [
          { kind: 'Field', name: { kind: 'Name', value: 'kind' } },
          { kind: 'Field', name: { kind: 'Name', value: 'id' } },
          { kind: 'Field', name: { kind: 'Name', value: 'version' } },
          { kind: 'Field', name: { kind: 'Name', value: 'sha256' } },
          { kind: 'Field', name: { kind: 'Name', value: 'isExternal' } },
        ],
      },
    },
    {
      kind: 'FragmentDefinition',
      name: { kind: 'Name', value: 'WorkerFields' },
      typeCondition: { kind: 'NamedType', name: { kind: 'Name', value: 'Worker' } },
      selectionSet: {
        kind: 'SelectionSet',
        selections: [
          { kind: 'Field', name: { kind: 'Name', value: 'id' } },
          { kind: 'Field', name: { kind: 'Name', value: 'name' } },
          { kind: 'Field', name: { kind: 'Name', value: 'host' } },
          { kind: 'Field', name: { kind: 'Name', value: 'version' } },
          { kind: 'Field', name: { kind: 'Name', value: 'labels' } },
          {
            kind: 'Field',
            name: { kind: 'Name', value: 'plugins' },
            selectionSet: {
              kind: 'SelectionSet',
              selections: [{ kind: 'FragmentSpread', name: { kind: 'Name', value: 'PluginFields' } }],
            },
          },
          { kind: 'Field', name: { kind: 'Name', value: 'online' } },
          { kind: 'Field', name: { kind: 'Name', value: 'draining' } },
          { kind: 'Field', name: { kind: 'Name', value: 'connectedAt' } },
          { kind: 'Field', name: { kind: 'Name', value: 'lastSeenAt' } },
        ],
      },
    },
    {
      kind: 'FragmentDefinition',
      name: { kind: 'Name', value: 'RefusalFields' },
      typeCondition: { kind: 'NamedType', name: { kind: 'Name', value: 'Refusal' } },
      selectionSet: {
        kind: 'SelectionSet',
        selections: [
          { kind: 'Field', name: { kind: 'Name', value: 'code' } },
          { kind: 'Field', name: { kind: 'Name', value: 'message' } },
          { kind: 'Field', name: { kind: 'Name', value: 'remedy' } },
          {
            kind: 'InlineFragment',
            typeCondition: { kind: 'NamedType', name: { kind: 'Name', value: 'InvalidInput' } },
            selectionSet: {
              kind: 'SelectionSet',
              selections: [{ kind: 'Field', name: { kind: 'Name', value: 'problems' } }],
            },
          },
          {
            kind: 'InlineFragment',
            typeCondition: { kind: 'NamedType', name: { kind: 'Name', value: 'WrongState' } },
            selectionSet: {
              kind: 'SelectionSet',
              selections: [{ kind: 'Field', name: { kind: 'Name', value: 'state' } }],
            },
          },
        ],
      },
    },
  ],
} as unknown as DocumentNode<DrainWorkerMutation, DrainWorkerMutationVariables>;
export const UndrainWorkerDocument = {
  kind: 'Document',
  definitions: [
    {
      kind: 'OperationDefinition',
      operation: 'mutation',
      name: { kind: 'Name', value: 'UndrainWorker' },
      variableDefinitions: [
        {
          kind: 'VariableDefinition',
          variable: { kind: 'Variable', name: { kind: 'Name', value: 'input' } },
          type: {
            kind: 'NonNullType',
            type: { kind: 'NamedType', name: { kind: 'Name', value: 'UndrainWorkerInput' } },
          },
        },
      ],
      selectionSet: {
        kind: 'SelectionSet',
        selections: [
          {
            kind: 'Field',
            name: { kind: 'Name', value: 'undrainWorker' },
            arguments: [
              {
                kind: 'Argument',
                name: { kind: 'Name', value: 'input' },
                value: { kind: 'Variable', name: { kind: 'Name', value: 'input' } },
              },
            ],
            selectionSet: {
              kind: 'SelectionSet',
              selections: [
                { kind: 'Field', name: { kind: 'Name', value: '__typename' } },
                { kind: 'FragmentSpread', name: { kind: 'Name', value: 'WorkerFields' } },
                { kind: 'FragmentSpread', name: { kind: 'Name', value: 'RefusalFields' } },
              ],
            },
          },
        ],
      },
    },
    {
      kind: 'FragmentDefinition',
      name: { kind: 'Name', value: 'PluginFields' },
      typeCondition: { kind: 'NamedType', name: { kind: 'Name', value: 'PluginVersion' } },
      selectionSet: {
        kind: 'SelectionSet',
        selections: [
          { kind: 'Field', name: { kind: 'Name', value: 'kind' } },
          { kind: 'Field', name: { kind: 'Name', value: 'id' } },
          { kind: 'Field', name: { kind: 'Name', value: 'version' } },
          { kind: 'Field', name: { kind: 'Name', value: 'sha256' } },
          { kind: 'Field', name: { kind: 'Name', value: 'isExternal' } },
        ],
      },
    },
    {
      kind: 'FragmentDefinition',
      name: { kind: 'Name', value: 'WorkerFields' },
      typeCondition: { kind: 'NamedType', name: { kind: 'Name', value: 'Worker' } },
      selectionSet: {
        kind: 'SelectionSet',
        selections: [
          { kind: 'Field', name: { kind: 'Name', value: 'id' } },
          { kind: 'Field', name: { kind: 'Name', value: 'name' } },
          { kind: 'Field', name: { kind: 'Name', value: 'host' } },
          { kind: 'Field', name: { kind: 'Name', value: 'version' } },
          { kind: 'Field', name: { kind: 'Name', value: 'labels' } },
          {
            kind: 'Field',
            name: { kind: 'Name', value: 'plugins' },
            selectionSet: {
              kind: 'SelectionSet',
              selections: [{ kind: 'FragmentSpread', name: { kind: 'Name', value: 'PluginFields' } }],
            },
          },
          { kind: 'Field', name: { kind: 'Name', value: 'online' } },
          { kind: 'Field', name: { kind: 'Name', value: 'draining' } },
          { kind: 'Field', name: { kind: 'Name', value: 'connectedAt' } },
          { kind: 'Field', name: { kind: 'Name', value: 'lastSeenAt' } },
        ],
      },
    },
    {
      kind: 'FragmentDefinition',
      name: { kind: 'Name', value: 'RefusalFields' },
      typeCondition: { kind: 'NamedType', name: { kind: 'Name', value: 'Refusal' } },
      selectionSet: {
        kind: 'SelectionSet',
        selections: [
          { kind: 'Field', name: { kind: 'Name', value: 'code' } },
          { kind: 'Field', name: { kind: 'Name', value: 'message' } },
          { kind: 'Field', name: { kind: 'Name', value: 'remedy' } },
          {
            kind: 'InlineFragment',
            typeCondition: { kind: 'NamedType', name: { kind: 'Name', value: 'InvalidInput' } },
            selectionSet: {
              kind: 'SelectionSet',
              selections: [{ kind: 'Field', name: { kind: 'Name', value: 'problems' } }],
            },
          },
          {
            kind: 'InlineFragment',
            typeCondition: { kind: 'NamedType', name: { kind: 'Name', value: 'WrongState' } },
            selectionSet: {
              kind: 'SelectionSet',
              selections: [{ kind: 'Field', name: { kind: 'Name', value: 'state' } }],
            },
          },
        ],
      },
    },
  ],
} as unknown as DocumentNode<UndrainWorkerMutation, UndrainWorkerMutationVariables>;
/** Values of enums by their names in GraphQL. */
export const enumValues: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  AlertJudgement: { CONFIRMED: 'confirmed', FALSE_ALARM: 'false-alarm', UNCLEAR: 'unclear' },
  AlertOrderField: { SEVERITY: 'severity', TIME: 'time' },
  AlertSeverity: { ERROR: 'error', INFO: 'info', WARNING: 'warning' },
  ApiKeyOrderField: { CREATED_AT: 'createdAt', LAST_USED_AT: 'lastUsedAt', NAME: 'name' },
  AttemptState: { ASSIGNED: 'assigned', ENDED: 'ended', LOST: 'lost', RUNNING: 'running' },
  BulkAction: { CANCEL: 'cancel', DELETE: 'delete', PAUSE: 'pause', RESUME: 'resume', TAG: 'tag' },
  CurveAxis: { SECONDS: 'seconds', STEP: 'step', TOKENS: 'tokens' },
  DeviceKind: { CPU: 'cpu', GPU: 'gpu' },
  EnergySource: { ESTIMATED: 'estimated', MEASURED: 'measured', PARTLY_MEASURED: 'partly measured' },
  ExampleOrder: { LEAST: 'least', MOST: 'most' },
  ExampleQuantity: {
    CLIPPED: 'clipped',
    DISTINCT_2: 'distinct-2',
    ENTROPY: 'entropy',
    GROUP_DEVIATION: 'group-deviation',
    INVALID_FORMAT: 'invalid-format',
    REASONING: 'reasoning',
    REWARD: 'reward',
    SHARED_PHRASES: 'shared-phrases',
    SHARED_REASONING: 'shared-reasoning',
    UPDATE_SHARE: 'update-share',
  },
  ExitVerdict: {
    CRASHED: 'crashed',
    FAILED: 'failed',
    FINISHED: 'finished',
    REFUSED: 'refused',
    STOPPED: 'stopped',
  },
  FailureLabel: {
    BUDGET_EXHAUSTED: 'budget-exhausted',
    CYCLE: 'cycle',
    DEAD_END: 'dead-end',
    FORMAT_FAILURE: 'format-failure',
    INVALID_ACTION: 'invalid-action',
    MISPLANNING: 'misplanning',
    NO_OP_LOOP: 'no-op-loop',
    PREMATURE_STOP: 'premature-stop',
    REASONING_ACTION_MISMATCH: 'reasoning-action-mismatch',
    UNLUCKY_SLIP: 'unlucky-slip',
  },
  HealthLevel: { COLLAPSED: 'collapsed', WARNING: 'warning' },
  HealthRule: {
    DEVIATION_LOST: 'deviation-lost',
    ENTROPY_FALL: 'entropy-fall',
    ENTROPY_RISE: 'entropy-rise',
    FEW_PHRASES: 'few-phrases',
    GRADIENT_LOST: 'gradient-lost',
    GRADIENT_SPIKE: 'gradient-spike',
    INVALID_FORMAT: 'invalid-format',
    LONG_REASONING: 'long-reasoning',
    ONE_ANSWER_FOR_ALL: 'one-answer-for-all',
    POLICY_DRIFT: 'policy-drift',
    REWARD_DEVIATION: 'reward-deviation',
    SHORT_REASONING: 'short-reasoning',
    SUCCESS_DECLINE: 'success-decline',
    SUCCESS_DROP: 'success-drop',
    TEMPLATE_COLLAPSE: 'template-collapse',
    UPDATE_DRIFT: 'update-drift',
    VALIDATION_LOST: 'validation-lost',
  },
  HealthState: { COLLAPSED: 'collapsed', HEALTHY: 'healthy', WARNING: 'warning' },
  Isolation: { NONE: 'none', PROCESS: 'process' },
  JobKind: { CHAT: 'chat', EVALUATE: 'evaluate', TRAIN: 'train' },
  JobState: {
    ASSIGNED: 'assigned',
    CANCELLED: 'cancelled',
    CANCELLING: 'cancelling',
    FAILED: 'failed',
    FINISHED: 'finished',
    IMPORTING: 'importing',
    PAUSED: 'paused',
    PAUSING: 'pausing',
    QUEUED: 'queued',
    RUNNING: 'running',
  },
  LaunchState: {
    DRAINING: 'draining',
    ENDED: 'ended',
    ONLINE: 'online',
    PENDING: 'pending',
    RUNNING: 'running',
    STARTING: 'starting',
    STOPPING: 'stopping',
  },
  LauncherDriver: { KUBERNETES: 'kubernetes', LOCAL: 'local', SLURM: 'slurm', SSH: 'ssh' },
  LimitSide: { ABOVE: 'above', BELOW: 'below' },
  LogLineOrderField: { TIME: 'time' },
  MeasurementLevel: { INTERVAL: 'interval', NOMINAL: 'nominal', ORDINAL: 'ordinal' },
  MonitorAction: { ALERT: 'alert', PAUSE: 'pause', ROLL_BACK: 'rollBack', STOP: 'stop' },
  OrderDirection: { ASC: 'asc', DESC: 'desc' },
  Phase: { COLLECT: 'collect', CREDIT: 'credit', SAVE: 'save', UPDATE: 'update', VALIDATE: 'validate' },
  PluginHealth: { BROKEN: 'broken', OK: 'ok' },
  PluginKind: { ALGORITHM: 'algorithm', ENVIRONMENT: 'environment', MODEL: 'model', REWARD: 'reward' },
  PluginSource: { FOLDER: 'folder', PACKAGE: 'package' },
  RatingChoice: { A: 'a', B: 'b', TIE: 'tie' },
  RatingKind: { PAIRWISE: 'pairwise', RUBRIC: 'rubric' },
  RatingPairing: { ANY: 'any', SAME_STATE: 'same-state' },
  RatingScale: { ONE_TO_FIVE: 'one-to-five', YES_NO: 'yes-no' },
  Role: { ADMIN: 'admin', OPERATOR: 'operator', VIEWER: 'viewer', WORKER: 'worker' },
  RunEventKind: {
    ARTIFACT: 'artifact',
    CHECKPOINT: 'checkpoint',
    EVALUATED: 'evaluated',
    LEVEL: 'level',
    LOG: 'log',
    MONITOR: 'monitor',
    NOTE: 'note',
    PROCESS_ENDED: 'process-ended',
    PROCESS_STARTED: 'process-started',
    RUN_ENDED: 'run-ended',
    RUN_STARTED: 'run-started',
    STATE: 'state',
    TRAJECTORY: 'trajectory',
    WARNING: 'warning',
  },
  RunEventOrderField: { CURSOR: 'cursor' },
  RunOrderField: { CREATED_AT: 'createdAt', ENDED_AT: 'endedAt', NAME: 'name', STARTED_AT: 'startedAt' },
  RunOutcome: {
    COLLAPSED: 'collapsed',
    FAILED: 'failed',
    FINISHED: 'finished',
    INTERRUPTED: 'interrupted',
    NO_SIGNAL: 'no-signal',
    PAUSED: 'paused',
  },
  RunPhase: {
    COLLECT: 'collect',
    CREDIT: 'credit',
    MONITOR: 'monitor',
    REPORT: 'report',
    SAVE: 'save',
    SELECT: 'select',
    UPDATE: 'update',
    VALIDATE: 'validate',
  },
  SampleStop: { CONTEXT: 'context', LENGTH: 'length', STOP: 'stop' },
  ShownChoice: { LEFT: 'left', RIGHT: 'right', TIE: 'tie' },
  SpanKind: {
    ANSWER: 'answer',
    CONTROL: 'control',
    OBSERVATION: 'observation',
    TEMPLATE: 'template',
    THINK: 'think',
  },
  Split: { TEST: 'test', TRAIN: 'train', VALIDATION: 'validation' },
  StopReason: {
    ACTIONS: 'actions',
    CANCELLED: 'cancelled',
    CONTEXT: 'context',
    ERROR: 'error',
    FAILURE: 'failure',
    SUCCESS: 'success',
    TIMEOUT: 'timeout',
    TURNS: 'turns',
  },
  TestMethod: {
    MCNEMAR_EXACT: 'mcnemar-exact',
    SIGN_FLIP_DRAWN: 'sign-flip-drawn',
    SIGN_FLIP_EXACT: 'sign-flip-exact',
  },
  TicketPurpose: { DOWNLOAD: 'download', GRAPHQL: 'graphql', STREAM: 'stream' },
  TrajectoryOrderField: { REWARD: 'reward', STEP: 'step', STORED: 'stored' },
  TurnPhase: { ACTING: 'acting', OVER: 'over', SAMPLING: 'sampling' },
  TwinState: { AGREES: 'agrees', DIFFERS: 'differs', WAITING: 'waiting' },
  UpdateOutcome: {
    CRITIC_ONLY: 'critic-only',
    DROPPED: 'dropped',
    FAILED: 'failed',
    GREEDY_BASELINE: 'greedy-baseline',
    NO_LOSS_TOKENS: 'no-loss-tokens',
    NO_SIGNAL: 'no-signal',
    TRAINED: 'trained',
  },
  ValueSource: {
    DEFAULT: 'default',
    DERIVED: 'derived',
    FILE: 'file',
    FILE_NAME: 'file name',
    MEMORY: 'memory',
    PARENT: 'parent',
    PLUGIN_DEFAULT: 'plugin default',
    PRESET: 'preset',
    SET: '--set',
  },
  VersionedKind: {
    ALGORITHM: 'algorithm',
    ENVIRONMENT: 'environment',
    MODEL: 'model',
    PACKAGE: 'package',
    REWARD: 'reward',
  },
  WorkerOrderField: { CONNECTED_AT: 'connectedAt', NAME: 'name' },
};

interface EnumPlaces {
  readonly variables: object;
  readonly data: object;
}

/** Where enums are in the variables and the data of each operation. */
export const enumPlaces: ReadonlyMap<unknown, EnumPlaces> = new Map<unknown, EnumPlaces>([
  [
    ListAlertsDocument,
    {
      variables: {
        filter: { rule: 'HealthRule', severity: 'AlertSeverity' },
        orderBy: { direction: 'OrderDirection', field: 'AlertOrderField' },
      },
      data: { alerts: { nodes: { severity: 'AlertSeverity', rules: 'HealthRule' } } },
    },
  ],
  [AcknowledgeAlertDocument, { variables: {}, data: { acknowledgeAlert: { state: 'JobState' } } }],
  [AcknowledgeAlertsDocument, { variables: {}, data: { acknowledgeAlerts: { state: 'JobState' } } }],
  [ListAssigneesDocument, { variables: {}, data: { assignees: { role: 'Role' } } }],
  [AssignAlertDocument, { variables: {}, data: { assignAlert: { state: 'JobState' } } }],
  [ReadChatDocument, { variables: {}, data: { chat: { state: 'JobState' } } }],
  [StartChatDocument, { variables: {}, data: { startChat: { state: 'JobState' } } }],
  [EndChatDocument, { variables: {}, data: { endChat: { state: 'JobState' } } }],
  [
    ListKeysDocument,
    {
      variables: { orderBy: { direction: 'OrderDirection', field: 'ApiKeyOrderField' } },
      data: { keys: { nodes: { role: 'Role' } } },
    },
  ],
  [
    CreateKeyDocument,
    {
      variables: { input: { role: 'Role' } },
      data: { createKey: { key: { role: 'Role' }, state: 'JobState' } },
    },
  ],
  [RevokeKeyDocument, { variables: {}, data: { revokeKey: { role: 'Role', state: 'JobState' } } }],
  [
    ListLaunchersDocument,
    { variables: {}, data: { launchers: { driver: 'LauncherDriver', deviceKind: 'DeviceKind' } } },
  ],
  [
    ListLaunchedWorkersDocument,
    { variables: {}, data: { launchedWorkers: { nodes: { state: 'LaunchState' } } } },
  ],
  [StopLaunchedWorkerDocument, { variables: {}, data: { stopLaunchedWorker: { state: 'LaunchState' } } }],
  [WatchMetricsDocument, { variables: {}, data: {} }],
  [
    WatchEventsDocument,
    {
      variables: { kinds: 'RunEventKind' },
      data: {
        runEvents: {
          records: {
            kind: 'RunEventKind',
            body: {
              stateBefore: 'JobState',
              stateNow: 'JobState',
              job: 'JobKind',
              health: 'HealthState',
              healthBefore: 'HealthState',
              action: 'MonitorAction',
              findings: { rule: 'HealthRule', level: 'HealthLevel' },
              outcome: 'RunOutcome',
            },
          },
        },
      },
    },
  ],
  [
    WatchTrajectoriesDocument,
    {
      variables: {},
      data: {
        trajectoryAdded: {
          trajectories: {
            split: 'Split',
            stopReason: 'StopReason',
            labels: 'FailureLabel',
            outcome: 'UpdateOutcome',
          },
        },
      },
    },
  ],
  [
    ListInFlightDocument,
    {
      variables: {},
      data: {
        trajectoriesInFlight: { phase: 'TurnPhase', ended: 'StopReason', turns: { phase: 'TurnPhase' } },
      },
    },
  ],
  [
    WatchInFlightDocument,
    {
      variables: {},
      data: {
        trajectoriesInFlight: { phase: 'TurnPhase', ended: 'StopReason', turns: { phase: 'TurnPhase' } },
      },
    },
  ],
  [
    WatchInFlightSummariesDocument,
    { variables: {}, data: { trajectoriesInFlight: { phase: 'TurnPhase', ended: 'StopReason' } } },
  ],
  [
    WatchAlertsDocument,
    { variables: {}, data: { alertChanged: { severity: 'AlertSeverity', rules: 'HealthRule' } } },
  ],
  [WatchProgressDocument, { variables: {}, data: { progress: { phase: 'Phase' } } }],
  [WatchWorkersDocument, { variables: {}, data: {} }],
  [WatchJobsDocument, { variables: {}, data: {} }],
  [ShowMeDocument, { variables: {}, data: { me: { role: 'Role' } } }],
  [ListProjectsDocument, { variables: {}, data: { projects: { nodes: { states: { state: 'JobState' } } } } }],
  [ShowViewDocument, { variables: {}, data: { showView: { state: 'JobState' } } }],
  [WatchShownViewsDocument, { variables: {}, data: {} }],
  [MetricHistoryDocument, { variables: {}, data: {} }],
  [MetricNamesDocument, { variables: {}, data: {} }],
  [
    ListRunRowsDocument,
    {
      variables: {
        filter: { states: 'JobState' },
        orderBy: { direction: 'OrderDirection', field: 'RunOrderField' },
      },
      data: {
        runs: {
          nodes: {
            state: 'JobState',
            health: 'HealthState',
            attempts: { nodes: { hardware: { kind: 'DeviceKind' } } },
          },
        },
      },
    },
  ],
  [
    ListWorkerRowsDocument,
    {
      variables: {},
      data: {
        workers: {
          nodes: {
            plugins: { kind: 'VersionedKind' },
            devices: { kind: 'DeviceKind' },
            jobs: { nodes: { kind: 'JobKind', state: 'JobState' } },
          },
        },
      },
    },
  ],
  [
    ListJobRowsDocument,
    {
      variables: { states: 'JobState' },
      data: { jobs: { nodes: { kind: 'JobKind', state: 'JobState', needs: { kind: 'DeviceKind' } } } },
    },
  ],
  [
    ListPluginsDocument,
    {
      variables: {},
      data: {
        plugins: {
          kind: 'PluginKind',
          source: 'PluginSource',
          health: 'PluginHealth',
          isolation: 'Isolation',
        },
      },
    },
  ],
  [ListRecipesDocument, { variables: {}, data: {} }],
  [ShowServerDocument, { variables: {}, data: {} }],
  [
    ListRatingSetsDocument,
    {
      variables: {},
      data: { ratingSets: { nodes: { kind: 'RatingKind', criteria: { scale: 'RatingScale' } } } },
    },
  ],
  [
    ReadRatingSetDocument,
    {
      variables: {},
      data: {
        ratingSet: {
          kind: 'RatingKind',
          criteria: { scale: 'RatingScale' },
          task: { items: { choice: 'ShownChoice' } },
          results: {
            agreements: { level: 'MeasurementLevel' },
            items: { ratings: { choice: 'RatingChoice' } },
          },
        },
      },
    },
  ],
  [ReadRatingItemDocument, { variables: {}, data: {} }],
  [ListRubricsDocument, { variables: {}, data: { rubrics: { criteria: { scale: 'RatingScale' } } } }],
  [
    CreateRatingSetDocument,
    {
      variables: {
        input: {
          criteria: { scale: 'RatingScale' },
          kind: 'RatingKind',
          pairing: 'RatingPairing',
          sources: { split: 'Split' },
        },
      },
      data: {
        createRatingSet: { kind: 'RatingKind', criteria: { scale: 'RatingScale' }, state: 'JobState' },
      },
    },
  ],
  [
    RateItemDocument,
    {
      variables: { input: { choice: 'ShownChoice' } },
      data: { rateItem: { choice: 'ShownChoice', state: 'JobState' } },
    },
  ],
  [UndoRatingDocument, { variables: {}, data: { undoRating: { choice: 'ShownChoice', state: 'JobState' } } }],
  [
    FinishRatingDocument,
    {
      variables: {},
      data: { finishRating: { kind: 'RatingKind', criteria: { scale: 'RatingScale' }, state: 'JobState' } },
    },
  ],
  [
    CloseRatingSetDocument,
    {
      variables: {},
      data: { closeRatingSet: { kind: 'RatingKind', criteria: { scale: 'RatingScale' }, state: 'JobState' } },
    },
  ],
  [
    DeleteRatingSetDocument,
    {
      variables: {},
      data: {
        deleteRatingSet: { kind: 'RatingKind', criteria: { scale: 'RatingScale' }, state: 'JobState' },
      },
    },
  ],
  [WatchRatingSetsDocument, { variables: {}, data: {} }],
  [
    ListRunsDocument,
    {
      variables: {
        filter: { states: 'JobState' },
        orderBy: { direction: 'OrderDirection', field: 'RunOrderField' },
      },
      data: { runs: { nodes: { state: 'JobState', health: 'HealthState' } } },
    },
  ],
  [ReadTwinDocument, { variables: {}, data: { run: { twin: { state: 'TwinState' } } } }],
  [
    ShowRunDocument,
    {
      variables: {},
      data: {
        run: {
          state: 'JobState',
          health: 'HealthState',
          plugins: { kind: 'VersionedKind' },
          jobs: {
            nodes: {
              kind: 'JobKind',
              state: 'JobState',
              needs: { kind: 'DeviceKind' },
              result: { outcomes: { stopReason: 'StopReason' } },
            },
          },
          attempts: {
            nodes: { state: 'AttemptState', hardware: { kind: 'DeviceKind' }, verdict: 'ExitVerdict' },
          },
        },
      },
    },
  ],
  [
    ListJobsOfRunDocument,
    {
      variables: {},
      data: {
        run: {
          jobs: {
            nodes: {
              kind: 'JobKind',
              state: 'JobState',
              needs: { kind: 'DeviceKind' },
              result: { outcomes: { stopReason: 'StopReason' } },
            },
          },
        },
      },
    },
  ],
  [
    ListAttemptsOfRunDocument,
    {
      variables: {},
      data: {
        run: {
          attempts: {
            nodes: { state: 'AttemptState', hardware: { kind: 'DeviceKind' }, verdict: 'ExitVerdict' },
          },
        },
      },
    },
  ],
  [
    CreateRunDocument,
    {
      variables: { input: { needs: { kind: 'DeviceKind' } } },
      data: { createRun: { state: 'JobState', health: 'HealthState' } },
    },
  ],
  [
    PlanRunDocument,
    {
      variables: { input: { needs: { kind: 'DeviceKind' } } },
      data: {
        planRun: {
          sources: { source: 'ValueSource' },
          needs: { kind: 'DeviceKind' },
          plugins: { kind: 'VersionedKind' },
          state: 'JobState',
        },
      },
    },
  ],
  [PauseRunDocument, { variables: {}, data: { pauseRun: { state: 'JobState', health: 'HealthState' } } }],
  [ResumeRunDocument, { variables: {}, data: { resumeRun: { state: 'JobState', health: 'HealthState' } } }],
  [CancelRunDocument, { variables: {}, data: { cancelRun: { state: 'JobState', health: 'HealthState' } } }],
  [
    ForkRunDocument,
    {
      variables: { input: { needs: { kind: 'DeviceKind' } } },
      data: { forkRun: { state: 'JobState', health: 'HealthState' } },
    },
  ],
  [
    PlanForkDocument,
    {
      variables: { input: { needs: { kind: 'DeviceKind' } } },
      data: {
        planFork: {
          sources: { source: 'ValueSource' },
          needs: { kind: 'DeviceKind' },
          plugins: { kind: 'VersionedKind' },
          state: 'JobState',
        },
      },
    },
  ],
  [
    EvaluateRunDocument,
    {
      variables: { input: { split: 'Split' } },
      data: {
        evaluateRun: {
          kind: 'JobKind',
          state: 'JobState',
          needs: { kind: 'DeviceKind' },
          result: { outcomes: { stopReason: 'StopReason' } },
        },
      },
    },
  ],
  [DeleteRunDocument, { variables: {}, data: { deleteRun: { state: 'JobState', health: 'HealthState' } } }],
  [ListCheckpointsDocument, { variables: {}, data: {} }],
  [
    ListEvaluationsDocument,
    { variables: {}, data: { run: { evaluations: { nodes: { state: 'JobState', split: 'Split' } } } } },
  ],
  [
    ListRunEventsDocument,
    {
      variables: {
        filter: { kinds: 'RunEventKind' },
        orderBy: { direction: 'OrderDirection', field: 'RunEventOrderField' },
      },
      data: {
        runEvents: {
          nodes: {
            kind: 'RunEventKind',
            body: {
              stateBefore: 'JobState',
              stateNow: 'JobState',
              job: 'JobKind',
              health: 'HealthState',
              healthBefore: 'HealthState',
              action: 'MonitorAction',
              findings: { rule: 'HealthRule', level: 'HealthLevel' },
              outcome: 'RunOutcome',
            },
          },
        },
      },
    },
  ],
  [
    CountRunEventsDocument,
    {
      variables: { filter: { kinds: 'RunEventKind' } },
      data: { runEventCounts: { counts: { kind: 'RunEventKind' } } },
    },
  ],
  [
    ListLogLinesDocument,
    { variables: { orderBy: { direction: 'OrderDirection', field: 'LogLineOrderField' } }, data: {} },
  ],
  [ReadEtaDocument, { variables: {}, data: {} }],
  [
    BulkRunsDocument,
    {
      variables: { input: { action: 'BulkAction' } },
      data: {
        bulkRuns: { results: { result: { state: 'JobState', health: 'HealthState' } }, state: 'JobState' },
      },
    },
  ],
  [EditRunDocument, { variables: {}, data: { editRun: { state: 'JobState', health: 'HealthState' } } }],
  [ListCommentsDocument, { variables: {}, data: {} }],
  [AddRunCommentDocument, { variables: {}, data: { addRunComment: { state: 'JobState' } } }],
  [EditRunCommentDocument, { variables: {}, data: { editRunComment: { state: 'JobState' } } }],
  [WatchCommentsDocument, { variables: {}, data: {} }],
  [DeleteRunCommentDocument, { variables: {}, data: { deleteRunComment: { state: 'JobState' } } }],
  [WatchRunsDocument, { variables: {}, data: { runChanged: { state: 'JobState', health: 'HealthState' } } }],
  [
    CompareRunsDocument,
    {
      variables: { axis: 'CurveAxis' },
      data: {
        compareRuns: {
          runs: { state: 'JobState', health: 'HealthState' },
          ledgers: { energySource: 'EnergySource', phases: { phase: 'RunPhase' } },
        },
      },
    },
  ],
  [TestGroupsDocument, { variables: {}, data: { testGroups: { tests: { method: 'TestMethod' } } } }],
  [
    ReadContinuationDocument,
    { variables: {}, data: { job: { result: { continued: { outcomes: { stopReason: 'StopReason' } } } } } },
  ],
  [ReadRescoringDocument, { variables: {}, data: {} }],
  [
    CreateTicketDocument,
    { variables: { input: { purpose: 'TicketPurpose' } }, data: { createTicket: { state: 'JobState' } } },
  ],
  [
    TotalAlertsDocument,
    { variables: { filter: { rule: 'HealthRule', severity: 'AlertSeverity' } }, data: {} },
  ],
  [TotalJobsDocument, { variables: { states: 'JobState' }, data: {} }],
  [TotalKeysDocument, { variables: {}, data: {} }],
  [TotalRatingSetsDocument, { variables: {}, data: {} }],
  [TotalRunsDocument, { variables: { filter: { states: 'JobState' } }, data: {} }],
  [
    TotalTrajectoriesDocument,
    {
      variables: {
        filter: { label: 'FailureLabel', outcome: 'UpdateOutcome', split: 'Split', stopReason: 'StopReason' },
      },
      data: {},
    },
  ],
  [TotalWorkersDocument, { variables: {}, data: {} }],
  [
    ListTrajectoriesDocument,
    {
      variables: {
        filter: { label: 'FailureLabel', outcome: 'UpdateOutcome', split: 'Split', stopReason: 'StopReason' },
        orderBy: { direction: 'OrderDirection', field: 'TrajectoryOrderField' },
      },
      data: {
        trajectories: {
          nodes: {
            split: 'Split',
            stopReason: 'StopReason',
            labels: 'FailureLabel',
            outcome: 'UpdateOutcome',
          },
        },
      },
    },
  ],
  [
    ShowTrajectoryDocument,
    {
      variables: {},
      data: {
        trajectory: {
          row: { split: 'Split', stopReason: 'StopReason', labels: 'FailureLabel', outcome: 'UpdateOutcome' },
          spans: { kind: 'SpanKind' },
          turns: { sampleStop: 'SampleStop' },
          labels: { name: 'FailureLabel' },
          update: { outcome: 'UpdateOutcome' },
        },
      },
    },
  ],
  [
    OpenTrajectoryDocument,
    {
      variables: {},
      data: {
        trajectory: {
          row: { split: 'Split', stopReason: 'StopReason', labels: 'FailureLabel', outcome: 'UpdateOutcome' },
          spans: { kind: 'SpanKind' },
          turns: { sampleStop: 'SampleStop' },
          labels: { name: 'FailureLabel' },
          update: { outcome: 'UpdateOutcome' },
        },
      },
    },
  ],
  [ReadAtifDocument, { variables: {}, data: {} }],
  [ReadTokensDocument, { variables: {}, data: {} }],
  [
    CountTrajectoriesDocument,
    {
      variables: {
        filter: { label: 'FailureLabel', outcome: 'UpdateOutcome', split: 'Split', stopReason: 'StopReason' },
      },
      data: {},
    },
  ],
  [PlayTrajectoryDocument, { variables: {}, data: { playTrajectory: { ended: 'StopReason' } } }],
  [PlayEnvironmentDocument, { variables: {}, data: { playEnvironment: { ended: 'StopReason' } } }],
  [
    ListAlarmsDocument,
    {
      variables: { filter: { rule: 'HealthRule', severity: 'AlertSeverity' } },
      data: {
        alerts: {
          nodes: {
            severity: 'AlertSeverity',
            findings: { rule: 'HealthRule', level: 'HealthLevel', side: 'LimitSide' },
            verdicts: { judgement: 'AlertJudgement' },
          },
        },
      },
    },
  ],
  [ReadAlertRecordDocument, { variables: {}, data: {} }],
  [
    JudgeAlertDocument,
    { variables: { input: { judgement: 'AlertJudgement' } }, data: { judgeAlert: { state: 'JobState' } } },
  ],
  [WatchRunAlertsDocument, { variables: {}, data: {} }],
  [
    SampleTrajectoriesDocument,
    {
      variables: { sample: { split: 'Split' } },
      data: {
        trajectorySample: {
          trajectories: {
            split: 'Split',
            stopReason: 'StopReason',
            labels: 'FailureLabel',
            outcome: 'UpdateOutcome',
          },
        },
      },
    },
  ],
  [
    ReadAlertExamplesDocument,
    {
      variables: { examples: { rule: 'HealthRule' } },
      data: {
        alertExamples: {
          rule: 'HealthRule',
          quantity: 'ExampleQuantity',
          order: 'ExampleOrder',
          examples: {
            trajectory: {
              split: 'Split',
              stopReason: 'StopReason',
              labels: 'FailureLabel',
              outcome: 'UpdateOutcome',
            },
          },
        },
      },
    },
  ],
  [
    ListWorkersDocument,
    {
      variables: { orderBy: { direction: 'OrderDirection', field: 'WorkerOrderField' } },
      data: { workers: { nodes: { plugins: { kind: 'VersionedKind' } } } },
    },
  ],
  [ListDeviceHistoryDocument, { variables: {}, data: {} }],
  [
    ForgetWorkerDocument,
    { variables: {}, data: { forgetWorker: { plugins: { kind: 'VersionedKind' }, state: 'JobState' } } },
  ],
  [
    DrainWorkerDocument,
    { variables: {}, data: { drainWorker: { plugins: { kind: 'VersionedKind' }, state: 'JobState' } } },
  ],
  [
    UndrainWorkerDocument,
    { variables: {}, data: { undrainWorker: { plugins: { kind: 'VersionedKind' }, state: 'JobState' } } },
  ],
]);
