/**
 * @file The enums of the API. GraphQL spells values in capitals; everywhere else they are spelled as on the wire:
 * `NO_SIGNAL` is `no-signal`.
 */
import {
  type Phase,
  type RunOutcome,
  type SampleStop,
  type SpanKind,
  type Split,
  stopReasons,
} from '@espalier/contracts';
import { turnPhases } from '@espalier/contracts/in-flight';
import { type HealthState, type MonitorAction, ruleMeanings } from '@espalier/contracts/health';
import { updateOutcomes } from '@espalier/contracts/update-record';
import { failureLabels } from '@espalier/contracts/failure-labels';
import {
  type ArtifactKind,
  type AttemptEvent,
  exitVerdicts,
  type JobKind,
  jobStates,
  type PluginVersion,
  roles,
} from '@espalier/protocol';
import { registerEnumType } from '@nestjs/graphql';
import type { Alert } from '../../core/database/entities/alert.js';
import { launchStates } from '../../core/database/entities/launched-worker.js';
import type { AttemptState } from '../../core/database/entities/attempt.js';
import type { CataloguedPlugin } from '../../core/plugins/catalogue-messages.js';
import { ticketPurposes } from '../../core/access/tickets.js';
import type { RecordKind } from '../../core/history/records/record-bodies.js';
import type { TwinState } from '../../core/runs/run-twins.service.js';
import type { PlannedSource } from '../../core/runs/create/run-plan.js';
import { bulkActions, curveAxes } from '../../core/runs/run-request.js';
import type { GroupTests, RunLedger } from '../../core/runs/compare/comparison.js';

/** Registers an enum. @param values descriptions by value */
export function enumOf<K extends string>(
  name: string,
  description: string,
  values: Readonly<Record<K, string>>,
): Readonly<Record<string, K>> {
  const entries = Object.entries<string>(values).map(([value, text]) => ({
    name: value
      .replace(/^-+/, '')
      .replaceAll(/[- ]/g, '_')
      .replaceAll(/[A-Z]/g, (letter) => `_${letter}`)
      .toUpperCase(),
    value: value as K,
    text,
  }));
  const members = Object.fromEntries(entries.map((entry) => [entry.name, entry.value]));
  const valuesMap = Object.fromEntries(entries.map((entry) => [entry.name, { description: entry.text }]));
  registerEnumType(members, { name, description, valuesMap });
  return members;
}

export const JobStateEnum = enumOf(
  'JobState',
  'The state of a job. A run has the state of its training job.',
  jobStates,
);
export const LaunchStateEnum = enumOf('LaunchState', 'Where a launched worker is.', launchStates);
export const LauncherDriverEnum = enumOf('LauncherDriver', 'Where the workers of a launcher run.', {
  local: 'Processes on the machine of the server.',
  ssh: 'Processes on other machines.',
  slurm: 'Jobs of a Slurm cluster.',
  kubernetes: 'Jobs of a Kubernetes cluster.',
});
export const RoleEnum = enumOf('Role', 'What a key may do.', roles);
export const BulkActionEnum = enumOf('BulkAction', 'What to do to several runs.', bulkActions);
export const TicketPurposeEnum = enumOf('TicketPurpose', 'What a ticket may be used for.', ticketPurposes);
export const StopReasonEnum = enumOf('StopReason', 'Why a trajectory ended.', stopReasons);
export const TurnPhaseEnum = enumOf('TurnPhase', 'What a turn in flight is at.', turnPhases);
export const UpdateOutcomeEnum = enumOf(
  'UpdateOutcome',
  'What became of a trajectory in the update of its step.',
  updateOutcomes,
);
export const FailureLabelEnum = enumOf('FailureLabel', 'What went wrong in an episode.', failureLabels);
export const ExitVerdictEnum = enumOf('ExitVerdict', 'How the process of an attempt ended.', exitVerdicts);

export const JobKindEnum = enumOf<JobKind>('JobKind', 'What a job does.', {
  train: 'trains the run',
  evaluate: 'evaluates a checkpoint of the run',
  chat: 'lets a checkpoint of the run reply to people',
});

export const AttemptStateEnum = enumOf<AttemptState>('AttemptState', 'The state of an attempt.', {
  assigned: 'given to a worker',
  running: 'its process runs',
  ended: 'its process ended',
  lost: 'its worker went silent',
});

export const DeviceKindEnum = enumOf<'cpu' | 'gpu'>('DeviceKind', 'The kind of a device.', {
  cpu: 'processor threads',
  gpu: 'a graphics processor',
});

export const AlertSeverityEnum = enumOf<Alert['severity']>('AlertSeverity', 'How severe an alert is.', {
  info: 'worth knowing',
  warning: 'may go wrong',
  error: 'went wrong',
});

export const ArtifactKindEnum = enumOf<ArtifactKind>('ArtifactKind', 'What a stored file holds.', {
  checkpoint: 'a part of a checkpoint',
  trajectories: 'the trajectories of a step',
  spec: 'the resolved spec',
  log: 'what the process printed',
  evaluation: 'the result of an evaluation',
});

export const SplitEnum = enumOf<Split>('Split', 'Which initial states a trajectory is sampled from.', {
  train: 'those of training',
  validation: 'those of validation during training',
  test: 'those kept for evaluations',
});

export const SpanKindEnum = enumOf<SpanKind>('SpanKind', 'The kind of a range of tokens.', {
  template: 'markup, written by the prompt format',
  observation: 'from the environment',
  think: 'sampled reasoning',
  answer: 'sampled answer',
  control: 'sampled end of turn',
});

export const SampleStopEnum = enumOf<SampleStop>('SampleStop', 'Why sampling of a turn stopped.', {
  stop: 'a stop sequence or the end-of-turn token was sampled',
  length: 'the longest response was reached',
  context: 'the context length was reached',
});

export const PluginKindEnum = enumOf<'environment' | 'reward' | 'algorithm' | 'model'>(
  'PluginKind',
  'The kind of a plugin.',
  {
    environment: 'what the agent acts in',
    reward: 'scores trajectories',
    algorithm: 'how the policy learns',
    model: 'a family of models',
  },
);

export const VersionedKindEnum = enumOf<PluginVersion['kind']>('VersionedKind', 'What a version is of.', {
  environment: 'an environment',
  reward: 'a reward',
  algorithm: 'an algorithm',
  model: 'a family of models',
  package: 'a package that config/plugins.yaml names, whatever plugins are inside',
});

export const PluginSourceEnum = enumOf<CataloguedPlugin['source']>(
  'PluginSource',
  'Where a plugin comes from.',
  {
    folder: 'a folder under plugins/',
    package: 'a package named in config/plugins.yaml',
  },
);

export const PluginHealthEnum = enumOf<CataloguedPlugin['health']>(
  'PluginHealth',
  'Whether a plugin can be used.',
  {
    ok: 'it can be used',
    broken: 'it could not be loaded',
  },
);

export const IsolationEnum = enumOf<'none' | 'process'>('Isolation', 'Where a plugin runs.', {
  none: 'in the training process',
  process: 'in a process of its own',
});

export const CurveAxisEnum = enumOf('CurveAxis', 'What curves of groups of runs are along.', curveAxes);

export const RunPhaseEnum = enumOf<RunLedger['phases'][number]['phase']>(
  'RunPhase',
  'A part of an iteration, by what the run does there.',
  {
    collect: 'plays episodes',
    select: 'chooses the groups that are learned from',
    credit: 'computes rewards, advantages and log-probabilities',
    update: 'makes optimizer steps',
    report: 'writes what happened',
    monitor: 'looks for collapse',
    validate: 'plays validation episodes',
    save: 'writes a checkpoint',
  },
);

export const EnergySourceEnum = enumOf<NonNullable<RunLedger['energySource']>>(
  'EnergySource',
  'Where an energy is from.',
  {
    measured: 'counters of the machine',
    estimated: 'time and watts',
    'partly measured': 'counters in some attempts, steps or devices, an estimate in others',
  },
);

export const TestMethodEnum = enumOf<GroupTests['tests'][number]['method']>(
  'TestMethod',
  'How two groups of runs were tested.',
  {
    'mcnemar-exact': "McNemar's test, exact: every state was won or lost",
    'sign-flip-exact': "Fisher's randomization test, all changes of signs",
    'sign-flip-drawn': "Fisher's randomization test, 10,000 changes of signs",
  },
);

export const TwinStateEnum = enumOf<TwinState>(
  'TwinState',
  'Whether an unchanged fork that continues repeats its parent.',
  {
    waiting: 'there is no step yet that both have',
    agrees: 'everything that both have is equal, bit for bit',
    differs: 'something differs',
  },
);

export const HealthStateEnum = enumOf<HealthState>(
  'HealthState',
  'The health of a run, as its collapse monitor sees it.',
  {
    healthy: 'no rule has fired for a while',
    warning: 'a rule fires',
    collapsed: 'a rule says that the run has collapsed',
  },
);

export const MonitorActionEnum = enumOf<MonitorAction>(
  'MonitorAction',
  'What a collapse monitor does when the health of its run gets worse.',
  {
    alert: 'only says so',
    pause: 'saves and ends the run, which can be resumed',
    stop: 'saves and ends the run',
    rollBack: 'returns to the last healthy checkpoint and may change settings',
  },
);

export const HealthLevelEnum = enumOf<'warning' | 'collapsed'>(
  'HealthLevel',
  'How far a rule of the collapse monitor went.',
  { warning: 'beyond its limit of a warning', collapsed: 'beyond its limit of a collapse' },
);

export const HealthRuleEnum = enumOf('HealthRule', 'A rule of the collapse monitor.', ruleMeanings);

export const RunOutcomeEnum = enumOf<RunOutcome>('RunOutcome', 'How training ended.', {
  finished: 'it did all its steps',
  'no-signal': 'early, because no group gave a learning signal',
  collapsed: 'early, because its collapse monitor stopped it',
  paused: 'early, because its collapse monitor paused it; it can be resumed',
  interrupted: 'it was stopped',
  failed: 'with an error',
});

export const PhaseEnum = enumOf<Phase>('Phase', 'What a run does at the moment.', {
  collect: 'plays the episodes of a step',
  credit: 'estimates the advantages of their tokens',
  update: 'computes gradients and updates the models',
  validate: 'plays the states of validation',
  save: 'writes a checkpoint',
});

export const ValueSourceEnum = enumOf<PlannedSource>(
  'ValueSource',
  'Where the value of an option comes from.',
  {
    '--set': 'an override',
    file: 'the spec that was sent',
    parent: 'the run that is forked',
    default: 'the default of Espalier',
    preset: 'the preset of an environment',
    'plugin default': 'the default of a plugin',
    derived: 'other values',
    'file name': 'the name of the configuration file',
    memory: 'other values, lowered because of the memory of the machine',
  },
);

type Asked = NonNullable<Extract<AttemptEvent, { kind: 'process-ended' }>['asked']>;
export const AskedEnum = enumOf<Asked>('AttemptRequest', 'What a worker asks of the process of an attempt.', {
  pause: 'to save and stop',
  cancel: 'to save and stop for good',
  kill: 'to end at once',
  drain: 'to save and stop, because the worker drains',
});

export const RunEventKindEnum = enumOf<RecordKind>(
  'RunEventKind',
  'The kind of a record in the history of a run.',
  {
    state: 'its state, or that of an evaluation, changed',
    'run-started': 'training began or resumed',
    'run-ended': 'training ended',
    'process-started': 'the process of an attempt started',
    'process-ended': 'the process of an attempt ended',
    trajectory: 'a trajectory was sampled',
    checkpoint: 'a checkpoint was saved',
    artifact: 'a file was stored',
    evaluated: 'an evaluation has its result',
    level: 'a curriculum was promoted or demoted',
    warning: 'something may go wrong',
    monitor: 'the collapse monitor changed the health of the run',
    log: 'its process printed a line',
    note: 'its title, tags or note changed',
  },
);
