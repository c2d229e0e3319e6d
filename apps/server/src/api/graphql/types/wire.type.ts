/** @file Object types made from schemas of the wire: devices, needs, plugins and results of evaluations. */
import {
  changedSetting,
  continuedTurn,
  deviceErrors,
  deviceSchema,
  evaluationResult,
  healthFinding,
  healthSummary,
  jobNeeds,
  pluginVersion,
  tagEvaluation,
} from '@espalier/protocol';
import { Field, type FieldMiddleware, Float, Int, ObjectType } from '@nestjs/graphql';
import {
  DeviceKindEnum,
  HealthLevelEnum,
  HealthRuleEnum,
  HealthStateEnum,
  StopReasonEnum,
  VersionedKindEnum,
} from '../enums.js';
import { NumberMapScalar } from '../scalars.js';
import { typeOfSchema } from './from-schema.js';

export const PluginVersionType = typeOfSchema(
  'PluginVersion',
  'A state of a plugin: its version and the hash of its files.',
  pluginVersion,
  { kind: VersionedKindEnum },
);

export const JobNeedsType = typeOfSchema('JobNeeds', 'What a job requests of a worker.', jobNeeds, {
  kind: DeviceKindEnum,
});

const DeviceErrorsType = typeOfSchema(
  'DeviceErrors',
  'What a GPU counts and remembers of its errors; null: it does not report it.',
  deviceErrors,
);

export const DeviceType = typeOfSchema(
  'Device',
  'A device of a worker: a GPU, or a slot of its processors.',
  deviceSchema,
  { kind: DeviceKindEnum, errors: DeviceErrorsType },
);

const EpisodeOutcomeType = typeOfSchema(
  'EpisodeOutcome',
  'The outcome of one episode.',
  evaluationResult.shape.outcomes.unwrap().out.element,
  { stopReason: StopReasonEnum },
);

const ContinuedTurnType = typeOfSchema(
  'ContinuedTurn',
  'What came of the continuations of a trajectory from one of its turns.',
  continuedTurn,
  { outcomes: EpisodeOutcomeType },
);

const parts = evaluationResult.shape;

export const EvaluationResultType = typeOfSchema(
  'EvaluationResult',
  'The result of an evaluation: rates with their intervals, and the outcome of each episode.',
  evaluationResult,
  {
    metrics: NumberMapScalar,
    outcomes: EpisodeOutcomeType,
    continued: ContinuedTurnType,
    rescoredTrajectory: typeOfSchema(
      'RescoredTrajectory',
      'What a checkpoint thinks of each sampled token of a single stored trajectory.',
      parts.rescoredTrajectory.unwrap(),
      { positions: Int, logprobs: Float, entropies: Float },
      { logprobs: { nullable: 'items' }, entropies: { nullable: 'items' } },
    ),
    rescoredRewards: typeOfSchema(
      'RescoredRewards',
      'Totals of stored trajectories under other rewards, beside those they were trained with.',
      parts.rescoredRewards.unwrap(),
    ),
    rescoredTotals: typeOfSchema(
      'RescoredTotal',
      'The total of a stored trajectory under other rewards.',
      parts.rescoredTotals.unwrap().out.element,
    ),
    rescoredTokens: typeOfSchema(
      'RescoredTokens',
      'What a checkpoint thinks of the tokens that were sampled in a step.',
      parts.rescoredTokens.unwrap().out.element,
    ),
    tags: typeOfSchema('TagEvaluation', 'The success in one environment of a run of several.', tagEvaluation),
  },
);

export const HealthFindingType = typeOfSchema(
  'HealthFinding',
  'A rule of the collapse monitor that fires, and what it was computed from.',
  healthFinding,
  { rule: HealthRuleEnum, level: HealthLevelEnum },
);

export const HealthSummaryType = typeOfSchema(
  'HealthSummary',
  'The health of a run in short.',
  healthSummary,
  { state: HealthStateEnum },
);

export const ChangedSettingType = typeOfSchema(
  'ChangedSetting',
  'A setting that a roll-back of the collapse monitor has changed.',
  changedSetting,
);

@ObjectType({ description: 'The version of a library.' })
export class LibraryVersion {
  @Field(() => String, { description: 'Its name.' })
  name!: string;

  @Field(() => String, { description: 'Its version.' })
  version!: string;
}

/** Versions are stored by name. */
export const toVersions = (versions: Readonly<Record<string, string>>): LibraryVersion[] =>
  Object.entries(versions).map(([name, version]) => ({ name, version }));

export const listVersions: FieldMiddleware = async (_context, next) => {
  const versions = (await next()) as Record<string, string> | null | undefined;
  return versions === null || versions === undefined ? null : toVersions(versions);
};
