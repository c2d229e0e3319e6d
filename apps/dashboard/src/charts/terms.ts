/** @file What numbers are that no metric of a run says: how each is computed, its unit, and its key in the API. */
type Entry = readonly [formula: string, unit: string | null];

const entries = {
  'Run.latest[rollout/success_rate]': ['successes / trajectories of the newest step', 'probability'],
  'Run.latest[rollout/reward_mean]': ['mean of the totals of the newest step', '1'],
  'Run.latest[rollout/entropy]': ['mean entropy of the sampling distributions over sampled tokens', 'nats'],
  'Run.eta.seconds': ['time that is left, estimated from the newest steps', 'seconds'],
  'RunComparison.groups.mean': ['mean over the runs of a group of the statistic that is chosen', null],
  'RunComparison.groups.low, high': ['95 % interval of that mean, by Student’s t over runs', null],
  'RunComparison.groups.min, max': ['least and greatest value of the runs of a group', null],
  'GroupTest.difference': [
    'success of A − success of B, on the states that all their runs completed',
    'points',
  ],
  'GroupTest.adjusted': ['two-sided p-value, after Holm’s correction over the environments', 'probability'],
  'RunLedger.wallSeconds': [
    'Σ over steps and phases of time/<phase>_seconds, validations included',
    'seconds',
  ],
  'RunLedger.processorSeconds': ['Σ of time/<phase>_cpu_seconds, of all threads', 'seconds'],
  'RunLedger.energyJoules': [
    'Σ of energy/<phase>_joules, in Wh; measured by counters of the machine, or estimated from time and watts',
    'joules',
  ],
  'RunLedger.sampledTokens, trainedTokens': ['the newest totals of training', 'tokens'],
  'RunLedger.environmentSteps': ['actions that reached environments in training', 'actions'],
  'RunLedger.optimizerSteps': ['steps of the optimizers of policy and critic', 'steps'],
  'RunLedger.successPoints': ['100 · (success of the newest validation − that of the first)', 'points'],
  'RunLedger.perMillionTokens': ['success points / millions of tokens, sampled and trained', null],
  'RunLedger.perThousandInteractions': ['success points / thousands of interactions', null],
  'RunLedger.perDeviceHour': ['success points / hours of wall time', null],
  'RunLedger.price': ['Σ of time/price: wall time × device.pricePerHour, in its currency', null],
  'RunLedger.perPrice': ['success points / price', null],
  'RunComparison.runs.value': ['the statistic that is chosen, of one run; a setting as the run has it', null],
  'TrajectoryTokens.logprobs': ['log of the probability with which the token was sampled', 'nats'],
  'TrajectoryTokens.entropies': ['entropy of the distribution that it was sampled from', 'nats'],
  'TrajectoryTokens.trainerLogprobs': ['log-probability under the trainer at its first pass', 'nats'],
  'TrajectoryTokens.referenceLogprobs': ['log-probability under the reference policy', 'nats'],
  'TrajectoryTokens.advantages': ['advantage, as the loss read it', '1'],
  'TrajectoryTokens.returns': ['return, which the critic learns to predict', '1'],
  'TrajectoryTokens.ratios': [
    'probability under the trainer / old probability at the last pass, as the loss computes it',
    '1',
  ],
  'TrajectoryTokens.samplerWeights': ['weight of the correction between sampler and trainer', '1'],
  'TrajectoryTokens.losses': ['loss of the token at the last pass, before its weight', '1'],
  'TrajectoryTokens.gradientWeights': [
    '−∂(weighted loss)/∂(log-probability) at the last pass; above 0 makes the token more likely',
    '1',
  ],
  'TrajectoryTokens.trainerLogprobs − logprobs': [
    'how far the trainer is from the sampler at the token',
    'nats',
  ],
  'TrajectoryTokens.logprobs − referenceLogprobs': [
    'how far the sampler is from the reference policy at the token',
    'nats',
  ],
  'TrajectoryTokens.clipped': ['the bound at which the loss cut the ratio, at the last pass', null],
  'Trajectory.score.evidence.value': [
    'what a reward says the token was worth; the reward sets its scale',
    null,
  ],
  'Turn.plan.length': ['actions from this state to success, by the oracle of the environment', 'actions'],
  'Continuation.successRate': ['successes / continuations from the turn', 'probability'],
  'Continuation.low, high': ['95 % Wilson interval of that rate', 'probability'],
  'Continuation.rewardMean': ['mean total of the continuations from the turn', '1'],
  'RescoredRewards.meanStored, meanRescored': [
    'mean total of the trajectories, stored and scored again',
    '1',
  ],
  'RescoredRewards.differingStored, differingRescored': [
    'groups of two or more whose totals differ / such groups',
    'probability',
  ],
  'RescoredRewards.reversed': [
    'pairs within groups that are told apart the other way now / pairs that were told apart',
    'probability',
  ],
  'RescoredRewards.correlation': ['Pearson’s correlation of stored and new totals', '1'],
  'RescoredTotals.stored, rescored': [
    'total of one trajectory, as it was stored and as it is scored now',
    '1',
  ],
  'Evaluation.metrics[reward/…]': ['mean of one reward over the trajectories, before its weight', '1'],
  'RescoredTokens.logprob, entropy, kl': [
    'means over sampled tokens; KL of the sampler from the checkpoint',
    'nats',
  ],
  'RatingResults.preference.winRate': [
    'pairs that A won / decided pairs, by the majority of raters',
    'probability',
  ],
  'RatingResults.criteria.mean': ['mean over items of the mean of their raters; bootstrap interval', '1'],
  'RatingResults.agreements.alpha': [
    'Krippendorff’s α: 1 − observed / expected disagreement; interval by bootstrap over items',
    '1',
  ],
  'RatingResults.agreements.units': ['items that two raters or more have rated', 'items'],
  'RatingResults.items.disagreement': ['pairs of raters of an item who differ / such pairs', 'probability'],
  'AlertRecord.precision': ['confirmed / (confirmed + false alarms); 95 % Wilson interval', 'probability'],
  'AlertRecord.alpha': ['Krippendorff’s α, nominal, over alerts that several users judged', '1'],
  'AlertFinding.value': ['the input of the rule, averaged over as many values as the rule says', null],
  'AlertFinding.baseline': ['what the value is compared with: the start of the run, or its best', null],
  'AlertFinding.measure, limit': ['what the rule makes of both, and the bound that it has passed', null],
  'AlertCount.unacknowledged': [
    'alerts that nobody has acknowledged, of the runs that this key sees',
    'alerts',
  ],
  'Alert.step': ['completed iterations when it was raised', 'steps'],
  'Device.freeMemoryMb, memoryMb': ['as the worker reported it last', 'MiB'],
  'Device.utilisation': [
    'share of the time that the device was busy, as the worker reported it last',
    'probability',
  ],
  'Device.threads': ['threads of the processor that one job there gets', 'threads'],
  'Device.temperatureCelsius': ['of the board, as the worker reported it last', '°C'],
  'Job.needs.count': ['devices of that kind that the job must have', 'devices'],
  'Job.priority': ['jobs of a higher one are started first; 0 is usual', '1'],
  'Trajectory.step': ['the step that it was sampled for; 0 is validation before training', 'steps'],
  'TrajectoryDetail.level': ['level of the curriculum that it was played at, 1 is the easiest', 'levels'],
  'Trajectory.reward': ['weighted sum of the rewards', '1'],
  'Trajectory.turns': ['replies of the model', 'turns'],
  'Trajectory.tokens, sampledTokens': ['tokens in all, and those that the model wrote', 'tokens'],
  'Trajectory.totalMs': ['from the first state to the end of the episode', 'seconds'],
  'Trajectory.seeds.state': ['seed of the initial state; the same one gives the same state', null],
  'Trajectory.updateShare': [
    'Σ over passes and tokens of |weight · ∂loss/∂log-probability| / that sum over its step',
    'probability',
  ],
  'Run.step, steps': ['iterations that are complete, of those that are planned', 'steps'],
  'RunPlan.needs.count': ['devices that a worker must have free', 'devices'],
  'RunPlan.steps': ['iterations of collecting and updating', 'steps'],
  'RunPlan.derived.trajectoriesPerStep': ['prompts per step × group size', 'trajectories'],
  'RunPlan.derived.optimizerSteps': ['steps × epochs × mini-batches, where all groups are kept', 'steps'],
  'RunPlan.estimate.expected.peakBytes': ['most memory at once, estimated', 'bytes'],
  'RunPlan.estimate.expected.secondsPerStep': ['expected seconds of a step on the server × steps', 'seconds'],
} as const satisfies Readonly<Record<string, Entry>>;

export type TermKey = keyof typeof entries;

/** By key of the API. */
export const terms: ReadonlyMap<
  string,
  { readonly name: string; readonly formula: string; readonly unit: string | null }
> = new Map(Object.entries(entries).map(([name, [formula, unit]]) => [name, { name, formula, unit }]));
