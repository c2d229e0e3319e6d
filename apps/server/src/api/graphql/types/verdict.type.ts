/** @file What people say of alerts, and the evidence for it. */
import { Float, ID, Int } from '@nestjs/graphql';
import { alertJudgements, AlertVerdict } from '../../../core/database/entities/alert-verdict.js';
import { TrajectoryEntity } from '../../../core/database/entities/trajectory.js';
import { AlertFinding, AlertPrecision, AlertRecord } from '../../../core/verdicts/alert-verdicts.service.js';
import { AlertExample, AlertExamples } from '../../../core/verdicts/alert-examples.service.js';
import {
  exampleOrders,
  exampleQuantities,
  type ExampleQuantity,
} from '../../../core/verdicts/example-quantities.js';
import { SampledStratum } from '../../../core/verdicts/draw-sample.js';
import { TrajectorySample } from '../../../core/verdicts/trajectory-sampler.service.js';
import { enumOf, HealthLevelEnum, HealthRuleEnum } from '../enums.js';
import { messageCost } from '../limits/field-costs.js';
import { DateTimeScalar, NumbersScalar } from '../scalars.js';
import { describeType } from './describe-type.js';

export const AlertJudgementEnum = enumOf('AlertJudgement', 'What a user says of an alert.', alertJudgements);
const LimitSideEnum = enumOf('LimitSide', 'On which side of its limit a rule fires.', {
  below: 'a value below the limit fires',
  above: 'a value above the limit fires',
});

describeType(
  AlertVerdict,
  { description: 'What a user says of an alert.' },
  {
    alertId: [() => ID, { description: 'The alert.' }],
    keyId: [() => ID, { description: 'The key that says it.' }],
    createdBy: [() => String, { description: 'Name of that key.' }],
    judgement: [() => AlertJudgementEnum, { description: 'The word.' }],
    reason: [() => String, { description: 'Why; may be empty.', complexity: messageCost }],
    time: [() => DateTimeScalar, { description: 'When.' }],
  },
);

describeType(
  AlertFinding,
  { description: 'A rule that fired when an alert was raised, with where its limit is on its metric.' },
  {
    rule: [() => HealthRuleEnum, { description: 'The rule.' }],
    meaning: [() => String, { description: 'What it looks for.' }],
    level: [() => HealthLevelEnum, { description: 'How far it went.' }],
    input: [() => String, { description: 'What it looks at.' }],
    metrics: [() => [String], { description: 'The metric of that: the first of these that the run has.' }],
    measure: [() => Float, { description: 'What the limit is about.' }],
    limit: [() => Float, { description: 'The limit that it passed.' }],
    value: [() => Float, { description: 'The value of the input, averaged as the rule says.' }],
    baseline: [() => Float, { nullable: true, description: 'What it was compared with; null: nothing.' }],
    since: [() => Int, { description: 'Step of the first check in a row at which it fired.' }],
    history: [() => NumbersScalar, { description: 'The latest values of the input, oldest first.' }],
    metricLimit: [
      () => Float,
      {
        nullable: true,
        description:
          'The limit in the unit of the metric, to be drawn over it; null: the rule measures something else, such as a sum of shortfalls.',
      },
    ],
    side: [() => LimitSideEnum, { description: 'On which side of its limit the rule fires.' }],
  },
);

describeType(
  AlertPrecision,
  { description: 'How often alerts of a kind were right, by the majority of those who judged each.' },
  {
    name: [() => String, { description: 'Code of the alerts, or rule of the collapse monitor.' }],
    isRule: [
      () => Boolean,
      { description: 'It is a rule; its judged alerts are also counted by their code.' },
    ],
    alerts: [() => Int, { description: 'Alerts raised; of a rule only judged ones.' }],
    confirmed: [() => Int, { description: 'Those that were right.' }],
    falseAlarms: [() => Int, { description: 'Those that were wrong.' }],
    undecided: [() => Int, { description: 'Judged, but unclear, or with as many words for as against.' }],
    precision: [
      () => Float,
      { nullable: true, description: 'confirmed / (confirmed + falseAlarms); null: none is decided.' },
    ],
    low: [() => Float, { description: 'Lower end of its 95 % Wilson interval.' }],
    high: [() => Float, { description: 'Upper end.' }],
  },
);

describeType(
  AlertRecord,
  { description: 'Alerts as users judged them.' },
  {
    kinds: [() => [AlertPrecision], { description: 'By code, then by rule.' }],
    alpha: [
      () => Float,
      {
        nullable: true,
        description: 'Krippendorff’s alpha of the users, nominal, over alerts that several judged.',
      },
    ],
    judgedBySeveral: [() => Int, { description: 'Alerts that several users judged.' }],
  },
);

export const ExampleQuantityEnum = enumOf(
  'ExampleQuantity',
  'What trajectories that show an alert are chosen by.',
  Object.fromEntries(Object.entries(exampleQuantities).map(([name, [meaning]]) => [name, meaning])) as Record<
    ExampleQuantity,
    string
  >,
);
const ExampleOrderEnum = enumOf('ExampleOrder', 'Which of them show an alert.', exampleOrders);

describeType(
  AlertExample,
  { description: 'A trajectory that shows an alert.' },
  {
    trajectory: [() => TrajectoryEntity, { description: 'The trajectory.' }],
    value: [() => Float, { description: 'Its value of the quantity.' }],
  },
);

describeType(
  AlertExamples,
  { description: 'The trajectories that show an alert best, and how they were chosen.' },
  {
    rule: [() => HealthRuleEnum, { nullable: true, description: 'The rule they show; null: none fired.' }],
    quantity: [() => ExampleQuantityEnum, { description: 'What they were chosen by.' }],
    order: [() => ExampleOrderEnum, { description: 'Whether the least or the most of it shows the alert.' }],
    meaning: [() => String, { description: 'How the quantity is computed.' }],
    unit: [() => String, { description: 'Its unit, as metrics name them.' }],
    fromStep: [() => Int, { description: 'First step that was looked at.' }],
    toStep: [() => Int, { description: 'Last step.' }],
    available: [() => Int, { description: 'Trajectories stored in these steps.' }],
    considered: [() => Int, { description: 'Those of them whose quantity was looked at.' }],
    examples: [() => [AlertExample], { description: 'The ones that show it best first.' }],
  },
);

describeType(
  SampledStratum,
  { description: 'A stratum of a sample.' },
  {
    success: [() => Boolean, { description: 'Those that succeeded, or those that did not.' }],
    available: [() => Int, { description: 'Trajectories of it in the range.' }],
    taken: [() => Int, { description: 'Those drawn.' }],
  },
);

describeType(
  TrajectorySample,
  { description: 'Trajectories drawn from a range of steps: by outcome in proportion, spread over groups.' },
  {
    available: [() => Int, { description: 'Trajectories in the range.' }],
    seed: [() => Int, { description: 'The same seed draws the same ones.' }],
    strata: [() => [SampledStratum], { description: 'By outcome.' }],
    trajectories: [() => [TrajectoryEntity], { description: 'The ones drawn.' }],
  },
);
