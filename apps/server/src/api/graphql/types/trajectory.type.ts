import { Float, ID, Int } from '@nestjs/graphql';
import { TrajectoryEntity } from '../../../core/database/entities/trajectory.js';
import {
  DroppedGroup,
  RewardEvidence,
  RewardScore,
  RolloutSeeds,
  TokenRange,
  TokenWindow,
  TrajectoryAction,
  TrajectoryCounts,
  TrajectoryDetail,
  TrajectoryLabel,
  TrajectoryScore,
  TrajectorySpan,
  TrajectoryTurn,
  TrajectoryUpdate,
  TurnTimings,
} from '../../../core/history/trajectories/trajectory.types.js';
import {
  FailureLabelEnum,
  SampleStopEnum,
  SpanKindEnum,
  SplitEnum,
  StopReasonEnum,
  UpdateOutcomeEnum,
} from '../enums.js';
import { JsonScalar, NumberMapScalar, NumbersScalar, SafeIntScalar } from '../scalars.js';
import { describeType } from './describe-type.js';

describeType(
  TrajectoryEntity,
  {
    name: 'Trajectory',
    description: 'One rollout from an initial state, as in lists.',
  },
  {
    runId: [() => ID, { description: 'The run it belongs to.' }],
    cursor: [() => SafeIntScalar, { description: 'Its position in the history of the run.' }],
    id: [() => ID, { description: 'Unique within the run: split/step/group/index.' }],
    attempt: [() => Int, { description: 'Attempt that sampled it.' }],
    step: [() => Int, { description: 'Step it was sampled for: completed iterations, from 1 in training.' }],
    environment: [() => String, { description: 'Environment it was played in.' }],
    environmentTag: [
      () => String,
      { nullable: true, description: 'Its tag in a run of several environments; null: there is only one.' },
    ],
    split: [() => SplitEnum, { description: 'Which states it was sampled from.' }],
    group: [() => Int, { description: 'Its group: the trajectories of one initial state.' }],
    index: [() => Int, { description: 'Index within the group.' }],
    stateSeed: [() => SafeIntScalar, { description: 'Seed of the initial state.' }],
    reward: [
      () => Float,
      {
        nullable: true,
        description: 'Total score: rewards with their weights, and format penalties.',
      },
    ],
    environmentReward: [() => Float, { nullable: true, description: 'Sum of the environment’s rewards.' }],
    success: [() => Boolean, { description: 'The environment reports success.' }],
    stopReason: [() => StopReasonEnum, { description: 'Why it ended.' }],
    labels: [() => [FailureLabelEnum], { description: 'What went wrong; successes have labels too.' }],
    turns: [() => Int, { description: 'Turns played.' }],
    tokens: [() => Int, { description: 'Tokens in all.' }],
    sampledTokens: [() => Int, { description: 'Tokens the model wrote.' }],
    kept: [() => Boolean, { description: 'It entered the batch.' }],
    dropped: [
      () => DroppedGroup,
      {
        nullable: true,
        description: 'Why its group did not enter the batch; null: it did, or was never to.',
      },
    ],
    outcome: [
      () => UpdateOutcomeEnum,
      {
        nullable: true,
        description: 'What became of it in the update of its step; null: it was never to be trained on.',
      },
    ],
    lossTokens: [
      () => Int,
      { nullable: true, description: 'Sampled tokens that the loss mask covers; null: as `outcome`.' },
    ],
    clippedTokens: [
      () => Int,
      {
        nullable: true,
        description:
          'Loss tokens that were clipped at the last optimizer pass; null: not trained, or not recorded.',
      },
    ],
    updateShare: [
      () => Float,
      {
        nullable: true,
        description:
          'Its share of the update of its step, in 0..1: Σ over passes and tokens of |weight · ∂loss/∂log-probability|. Null: not trained, or not recorded.',
      },
    ],
    error: [() => String, { nullable: true, description: 'What failed, where something did.' }],
    superseded: [
      () => Boolean,
      {
        description: 'A later attempt did this step again; lists leave it out by default.',
      },
    ],
  },
);

describeType(
  TrajectoryCounts,
  { description: 'Trajectories per step; entry i of every column is steps[i].' },
  {
    steps: [() => NumbersScalar, { description: 'Steps that have trajectories, ascending.' }],
    matching: [() => NumbersScalar, { description: 'How many match.' }],
    all: [() => NumbersScalar, { description: 'How many there are without the condition on text.' }],
  },
);

describeType(
  DroppedGroup,
  { description: 'Why a group did not enter the batch.' },
  {
    reason: [() => String, { description: 'A short code.' }],
    numbers: [() => NumberMapScalar, { description: 'What decided, such as its deviation and its rank.' }],
  },
);

describeType(
  TrajectorySpan,
  { description: 'A range of tokens [start, end) of one kind.' },
  {
    kind: [() => SpanKindEnum, { description: 'What they are.' }],
    start: [() => Int, { description: 'First token.' }],
    end: [() => Int, { description: 'Token after the last.' }],
    turn: [() => Int, { description: 'Turn, from 0.' }],
  },
);

describeType(
  TokenWindow,
  {
    description:
      'A part of the tokens that the model saw as a sequence of its own; it reaches to the start of the next one.',
  },
  {
    start: [() => Int, { description: 'First token.' }],
    firstTurn: [() => Int, { description: 'The oldest turn in its prompts, from 0.' }],
  },
);

describeType(
  TrajectoryAction,
  { description: 'An action and its outcome in the environment.' },
  {
    text: [() => String, { description: 'Its name.' }],
    valid: [() => Boolean, { description: 'It is legal in this environment.' }],
    effective: [() => Boolean, { description: 'It changed the state.' }],
    slipped: [
      () => Boolean,
      { nullable: true, description: 'Chance changed what it does; null: the environment does not tell.' },
    ],
    reward: [() => Float, { description: 'The environment’s reward for it.' }],
    metrics: [() => NumberMapScalar, { description: 'What the environment measured.' }],
  },
);

describeType(
  TokenRange,
  { description: 'A range of tokens [start, end).' },
  {
    start: [() => Int, { description: 'First token.' }],
    end: [() => Int, { description: 'Token after the last.' }],
  },
);

describeType(
  TurnTimings,
  { description: 'How long a turn took, ms.' },
  {
    sampleMs: [() => Float, { description: 'Sampling.' }],
    environmentMs: [() => Float, { description: 'The environment.' }],
  },
);

describeType(
  RolloutSeeds,
  { description: 'Seeds of a rollout; random streams are derived from these by name.' },
  {
    state: [() => SafeIntScalar, { description: 'Of the initial state; shared by a group.' }],
    noise: [() => SafeIntScalar, { description: 'Of the environment noise.' }],
    sampling: [() => SafeIntScalar, { description: 'Of sampling.' }],
  },
);

describeType(
  RewardScore,
  { description: 'The value of a reward plugin.' },
  {
    name: [() => String, { description: 'Its name in the spec.' }],
    value: [() => Float, { description: 'Its value.' }],
    weight: [() => Float, { description: 'Its weight in the total.' }],
  },
);

describeType(
  RewardEvidence,
  { description: 'Tokens [start, end) that earned or lost a part of their turn’s reward.' },
  {
    reward: [() => String, { description: 'Name of the reward in the spec.' }],
    turn: [() => Int, { description: 'Turn, from 0.' }],
    start: [() => Int, { description: 'First token.' }],
    end: [() => Int, { description: 'Token after the last.' }],
    value: [() => Float, { description: 'What they earned together, unweighted.' }],
    note: [() => String, { description: 'Why.' }],
  },
);

describeType(
  TrajectoryTurn,
  { description: 'One turn: what the model saw, what it wrote, and the result.' },
  {
    index: [() => Int, { description: 'From 0.' }],
    observation: [() => String, { description: 'The state as shown to the model.' }],
    stateKey: [
      () => String,
      { description: 'Key of the state before the actions: equal keys of an environment are equal states.' },
    ],
    render: [() => String, { description: 'Rendering of the state for humans, if the environment has one.' }],
    image: [
      () => String,
      {
        nullable: true,
        description: 'Picture of the state, base64 of a PNG of at most 65,536 bytes; null: not recorded.',
      },
    ],
    plan: [
      () => [String],
      {
        nullable: true,
        description: 'Actions from this state to success, by the oracle; empty: none; null: not recorded.',
      },
    ],
    response: [() => String, { description: 'What the model wrote.' }],
    think: [() => String, { description: 'Its reasoning.' }],
    answer: [() => String, { description: 'Its answer.' }],
    formatValid: [() => Boolean, { description: 'The response has the required format.' }],
    parsedActions: [() => [String], { description: 'Parts of the answer, before look-up.' }],
    actions: [() => [TrajectoryAction], { description: 'Actions that reached the environment.' }],
    reward: [() => Float, { description: 'Sum of the environment’s rewards.' }],
    formatPenalty: [() => Float, { description: 'Format penalty, not above 0.' }],
    sampleStop: [() => SampleStopEnum, { description: 'Why sampling stopped.' }],
    sampled: [() => TokenRange, { description: 'The tokens that were sampled.' }],
    policyVersion: [
      () => Int,
      {
        nullable: true,
        description:
          'Optimizer steps of the weights that sampled it. Null: not known, as another program did.',
      },
    ],
    facts: [() => JsonScalar, { description: 'Facts about the state before the actions.' }],
    timings: [() => TurnTimings, { description: 'How long it took.' }],
  },
);

describeType(
  TrajectoryLabel,
  { description: 'Something that went wrong.' },
  {
    name: [() => FailureLabelEnum, { description: 'What went wrong.' }],
    turn: [() => Int, { description: 'First turn it is about, from 0.' }],
  },
);

describeType(
  TrajectoryScore,
  { description: 'The score of a trajectory.' },
  {
    environment: [() => Float, { description: 'Sum of the environment’s rewards.' }],
    formatPenalty: [() => Float, { description: 'Sum of format penalties, not above 0.' }],
    rewards: [() => [RewardScore], { description: 'The value of each reward plugin.' }],
    perTurn: [() => NumbersScalar, { description: 'What each turn is credited with; sums to the total.' }],
    evidence: [() => [RewardEvidence], { description: 'Which tokens earned or lost what of it.' }],
    total: [() => Float, { description: 'Σ weight · value.' }],
  },
);

describeType(
  TrajectoryDetail,
  { description: 'A trajectory with all its tokens, turns and scores.' },
  {
    id: [() => ID, { description: 'Unique within the run: split/step/group/index.' }],
    row: [() => TrajectoryEntity, { description: 'Its row in lists.' }],
    previousId: [() => ID, { nullable: true, description: 'The trajectory before it, by step; null: none.' }],
    nextId: [() => ID, { nullable: true, description: 'The trajectory after it, by step; null: none.' }],
    level: [
      () => Int,
      {
        nullable: true,
        description: 'Level of the curriculum that it was played at, from 1; null: no curriculum.',
      },
    ],
    tokens: [() => NumbersScalar, { description: 'Token ids.' }],
    logprobs: [
      () => NumbersScalar,
      {
        description: 'Log-probability of each token that was sampled, nats; null elsewhere.',
      },
    ],
    entropies: [
      () => NumbersScalar,
      { description: 'Entropy at each token that was sampled, nats; null elsewhere.' },
    ],
    textEnds: [
      () => NumbersScalar,
      {
        nullable: true,
        description:
          'For each token that was sampled, the character of its turn’s response at which it ends, in UTF-16 units; 0 elsewhere. Null: not recorded.',
      },
    ],
    spans: [() => [TrajectorySpan], { description: 'What each range of tokens is.' }],
    windows: [
      () => [TokenWindow],
      { description: 'Where prompts left out earlier turns; one window where they never did.' },
    ],
    turns: [() => [TrajectoryTurn], { description: 'Turn by turn.' }],
    labels: [() => [TrajectoryLabel], { description: 'What went wrong, and where it began.' }],
    score: [() => TrajectoryScore, { description: 'Its score.' }],
    seeds: [() => RolloutSeeds, { description: 'The seeds of its random streams.' }],
    totalMs: [() => Float, { description: 'How long it took, ms.' }],
    update: [
      () => TrajectoryUpdate,
      {
        nullable: true,
        description:
          'What the update of its step did to it; null: validation, or stored by an older version.',
      },
    ],
  },
);

describeType(
  TrajectoryUpdate,
  { description: 'What the update of a step did to a trajectory.' },
  {
    outcome: [() => UpdateOutcomeEnum, { description: 'What became of it.' }],
    lossTokens: [() => Int, { description: 'Sampled tokens that the loss mask covers.' }],
    clippedTokens: [
      () => Int,
      {
        nullable: true,
        description: 'Of these clipped at the last pass; null: not trained, or not recorded.',
      },
    ],
    share: [
      () => Float,
      { nullable: true, description: 'Its share of the update; null: not trained, or not recorded.' },
    ],
    policyVersion: [
      () => Int,
      {
        nullable: true,
        description:
          'Optimizer steps of the weights that the update began with; less those of a turn, how stale the turn was. Null: not recorded.',
      },
    ],
    hasTokens: [
      () => Boolean,
      {
        description:
          'Values of its tokens are stored; else none was assigned, or it is beyond `update.tokenRecords`.',
      },
    ],
    firstPassSteps: [
      () => Int,
      {
        nullable: true,
        description:
          'Optimizer steps of the iteration before the pass of `trainerLogprobs`; 0: the weights that sampled. Null: not trained.',
      },
    ],
    lastPassSteps: [
      () => Int,
      {
        nullable: true,
        description: 'The same before the pass of ratios, losses, gradients and clipping. Null: not trained.',
      },
    ],
  },
);
