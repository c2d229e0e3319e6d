/**
 * @file The settings of the corpus. Each family is trained from several seeds; those of the half held back were chosen and
 * trained after the rules had been fixed, with other numbers, algorithms and seeds. What became of a run is measured, not assumed.
 */
import type { Half } from './record.js';

interface Family {
  readonly name: string;
  readonly half: Half;
  readonly config: string;
  readonly set: readonly string[];
}

export interface PlannedRun extends Omit<Family, 'name'> {
  readonly family: string;
  readonly seed: number;
}

/** Small batches, no validation, and both measurements by the policy at every check, so that any cadence can be replayed. */
const short = [
  'steps=40',
  'rollout.promptsPerStep=8',
  'rollout.groupSize=8',
  'validation.every=0',
  'validation.atStart=false',
  'validation.atEnd=false',
  'checkpoint.every=0',
  'update.maxSkipped=0',
  'monitor.mutualInformation.every=1',
  'monitor.probes.every=1',
  'device.threads=1',
];
/** Several turns take several times as long. */
const smaller = ['rollout.promptsPerStep=6', 'rollout.groupSize=6'];
const bandit = 'config/runs/bandit-grpo.yaml';
const starpoS = 'config/runs/bandit-starpo-s.yaml';
const lake = 'config/runs/frozen-lake-grpo.yaml';

const isLake = ({ config }: { readonly config: string }): boolean => config.includes('frozen-lake');

const family = (name: string, half: Half, config: string, ...set: string[]): Family => ({
  name,
  half,
  config,
  set: [...short, ...(isLake({ config }) ? smaller : []), ...set],
});

const pays = (reward: string): string =>
  `rewards=[{use: environment-return, weight: 1}, {use: format, weight: 1}, ${reward}]`;

const growing = (rate: number, warmupSteps: number): string[] => [
  `optimizer.learningRate=${rate}`,
  `optimizer.schedule.warmupSteps=${warmupSteps}`,
];

/** Many optimizer steps on one rollout, with a ratio that nothing bounds. */
const unclipped = (epochs: number, miniBatches: number, rate: number): string[] => [
  `update.epochs=${epochs}`,
  `update.miniBatches=${miniBatches}`,
  `optimizer.learningRate=${rate}`,
  'algorithm.clipHigh=10',
  'algorithm.clipLow=0.99',
];

/** Groups that share the environment's noise, each divided by its own deviation. */
const shared = (rate: number): string[] => [
  'algorithm.normalization=group',
  'rollout.noiseSeed=per-group',
  `optimizer.learningRate=${rate}`,
];

/** The half held back has seeds of its own: equal seeds play equal states. */
const firstSeed: Readonly<Record<Half, number>> = { tuning: 1, 'held-back': 21 };

const families: readonly Family[] = [
  // settings that somebody would choose
  family('bandit-grpo', 'tuning', bandit, 'optimizer.learningRate=2e-4'),
  family('bandit-starpo-s', 'tuning', 'config/runs/bandit-starpo-s.yaml'),
  family('bandit-dr-grpo', 'tuning', 'config/runs/bandit-dr-grpo.yaml'),
  family('bandit-slow', 'tuning', bandit, 'optimizer.learningRate=3e-5'),
  family('lake-grpo', 'tuning', lake),
  family('lake-starpo-s', 'tuning', 'config/runs/frozen-lake-starpo-s.yaml'),
  family('lake-kl', 'tuning', lake, 'algorithm.klCoefficient=0.02'),
  family('lake-two-epochs', 'tuning', lake, 'update.epochs=2', 'optimizer.learningRate=1e-4'),
  family('bandit-two-epochs', 'tuning', bandit, 'update.epochs=2', 'optimizer.learningRate=1e-4'),
  family('bandit-rloo', 'tuning', bandit, 'algorithm={use: rloo}'),
  family('lake-slow', 'tuning', lake, 'optimizer.learningRate=3e-5'),
  family('bandit-entropy', 'tuning', bandit, 'algorithm.entropyCoefficient=0.003'),
  // settings that destroy a policy
  family(
    'growing-rate-bandit',
    'tuning',
    bandit,
    'optimizer.learningRate=4e-3',
    'optimizer.schedule.warmupSteps=60',
  ),
  family(
    'growing-rate-lake',
    'tuning',
    lake,
    'optimizer.learningRate=4e-3',
    'optimizer.schedule.warmupSteps=60',
  ),
  family(
    'epochs-lake',
    'tuning',
    lake,
    'update.epochs=3',
    'update.miniBatches=4',
    'optimizer.learningRate=5e-4',
    'algorithm.clipHigh=10',
    'algorithm.clipLow=0.99',
  ),
  family(
    'epochs-bandit',
    'tuning',
    bandit,
    'update.epochs=4',
    'update.miniBatches=4',
    'optimizer.learningRate=5e-4',
    'algorithm.clipHigh=10',
    'algorithm.clipLow=0.99',
  ),
  family(
    'shared-noise',
    'tuning',
    bandit,
    'algorithm.normalization=group',
    'rollout.noiseSeed=per-group',
    'optimizer.learningRate=3e-4',
  ),
  family(
    'shared-noise-slow',
    'tuning',
    bandit,
    'algorithm.normalization=group',
    'rollout.noiseSeed=per-group',
    'optimizer.learningRate=1e-4',
  ),
  family(
    'pays-repetition-bandit',
    'tuning',
    bandit,
    'optimizer.learningRate=3e-4',
    pays('{use: repetition, words: 2, weight: -3}'),
  ),
  family(
    'pays-repetition-lake',
    'tuning',
    lake,
    'optimizer.learningRate=3e-4',
    pays('{use: repetition, words: 2, weight: -3}'),
  ),
  family('entropy-bonus-lake', 'tuning', lake, 'algorithm.entropyCoefficient=0.1'),
  family('entropy-bonus-bandit', 'tuning', bandit, 'algorithm.entropyCoefficient=0.1'),
  family(
    'pays-length-bandit',
    'tuning',
    bandit,
    'optimizer.learningRate=3e-4',
    pays('{use: length, limit: 60, buffer: 60, weight: -3}'),
  ),
  family('growing-rate-half', 'tuning', bandit, ...growing(2e-3, 60)),
  family('growing-rate-starpo-s', 'tuning', starpoS, ...growing(4e-3, 80)),
  family('growing-rate-late', 'tuning', bandit, ...growing(6e-3, 120)),
  family('high-rate', 'tuning', bandit, 'optimizer.learningRate=6e-4'),
  family('high-rate-starpo-s', 'tuning', starpoS, 'optimizer.learningRate=8e-4'),
  family('epochs-slow', 'tuning', bandit, ...unclipped(4, 4, 1e-4)),
  family('epochs-slower', 'tuning', bandit, ...unclipped(8, 2, 1e-4)),
  family('shared-noise-slower', 'tuning', bandit, ...shared(3e-5)),
  family('shared-noise-slowest', 'tuning', bandit, ...shared(2e-5)),
  family('entropy-bonus-half', 'tuning', bandit, 'algorithm.entropyCoefficient=0.05'),
  family('entropy-bonus-high', 'tuning', bandit, 'algorithm.entropyCoefficient=0.3'),
  family(
    'pays-repetition-more',
    'tuning',
    bandit,
    'optimizer.learningRate=3e-4',
    pays('{use: repetition, words: 2, weight: -10}'),
  ),
  family(
    'pays-repetition-only',
    'tuning',
    bandit,
    'optimizer.learningRate=3e-4',
    'rewards=[{use: repetition, words: 2, weight: -1}]',
  ),
  family(
    'pays-length-more',
    'tuning',
    bandit,
    'optimizer.learningRate=3e-4',
    pays('{use: length, limit: 40, buffer: 40, weight: -10}'),
  ),
  family('growing-rate-slow', 'tuning', bandit, ...growing(3e-3, 80)),
  family('growing-rate-slow-starpo-s', 'tuning', starpoS, ...growing(3e-3, 80)),
  family('entropy-bonus-low', 'tuning', bandit, 'algorithm.entropyCoefficient=0.03'),
  family('entropy-bonus-lower', 'tuning', bandit, 'algorithm.entropyCoefficient=0.02'),
  family(
    'pays-length-slow',
    'tuning',
    bandit,
    'optimizer.learningRate=1.5e-4',
    pays('{use: length, limit: 60, buffer: 60, weight: -3}'),
  ),
  family(
    'pays-length-dr-grpo',
    'tuning',
    'config/runs/bandit-dr-grpo.yaml',
    'optimizer.learningRate=2e-4',
    pays('{use: length, limit: 60, buffer: 60, weight: -3}'),
  ),
  // Held back: trained after the rules were fixed, with other seeds.
  // settings that somebody would choose
  family('bandit-medium', 'held-back', bandit, 'optimizer.learningRate=1.5e-4'),
  family('bandit-starpo-s-slow', 'held-back', starpoS, 'optimizer.learningRate=1e-4'),
  family('bandit-starpo-s-strict', 'held-back', starpoS, 'algorithm.keepRatio=0.25'),
  family('bandit-gspo', 'held-back', bandit, 'algorithm={use: gspo}', 'optimizer.learningRate=1e-4'),
  family('bandit-cispo', 'held-back', bandit, 'algorithm={use: cispo}', 'optimizer.learningRate=1e-4'),
  family(
    'bandit-reinforce',
    'held-back',
    bandit,
    'algorithm={use: reinforce-plus-plus}',
    'optimizer.learningRate=1e-4',
  ),
  family('bandit-kl', 'held-back', bandit, 'algorithm.klCoefficient=0.01', 'optimizer.learningRate=1e-4'),
  family(
    'bandit-large-groups',
    'held-back',
    bandit,
    'rollout.promptsPerStep=4',
    'rollout.groupSize=16',
    'optimizer.learningRate=1e-4',
  ),
  family('bandit-mini-batches', 'held-back', bandit, 'update.miniBatches=2', 'optimizer.learningRate=5e-5'),
  family('bandit-dapo', 'held-back', bandit, 'algorithm={use: dapo}', 'optimizer.learningRate=1e-4'),
  family('lake-rloo', 'held-back', lake, 'algorithm={use: rloo}', 'optimizer.learningRate=1e-4'),
  family(
    'lake-starpo-s-strict',
    'held-back',
    'config/runs/frozen-lake-starpo-s.yaml',
    'algorithm.keepRatio=0.25',
  ),
  family('lake-mini-batches', 'held-back', lake, 'update.miniBatches=2', 'optimizer.learningRate=5e-5'),
  // settings that destroy a policy
  family('growing-rate-slower', 'held-back', bandit, ...growing(2.5e-3, 70)),
  family('growing-rate-dr-grpo', 'held-back', 'config/runs/bandit-dr-grpo.yaml', ...growing(4e-3, 80)),
  family('growing-rate-lake-slow', 'held-back', lake, ...growing(3e-3, 60)),
  family('growing-epochs', 'held-back', bandit, 'update.epochs=2', ...growing(2e-3, 80)),
  family('unclipped-slow', 'held-back', bandit, ...unclipped(4, 2, 5e-5)),
  family('unclipped-lake', 'held-back', lake, ...unclipped(4, 2, 1e-4)),
  family('noise-shared', 'held-back', bandit, ...shared(1.5e-5)),
  family('noise-shared-starpo-s', 'held-back', starpoS, ...shared(2e-5)),
  family('entropy-bonus-medium', 'held-back', bandit, 'algorithm.entropyCoefficient=0.04'),
  family('entropy-bonus-starpo-s', 'held-back', starpoS, 'algorithm.entropyCoefficient=0.05'),
  family('entropy-bonus-lake-low', 'held-back', lake, 'algorithm.entropyCoefficient=0.07'),
  family(
    'length-paid',
    'held-back',
    bandit,
    'optimizer.learningRate=2e-4',
    pays('{use: length, limit: 50, buffer: 50, weight: -5}'),
  ),
  family(
    'length-paid-lake',
    'held-back',
    lake,
    'optimizer.learningRate=3e-4',
    pays('{use: length, limit: 50, buffer: 50, weight: -5}'),
  ),
  family(
    'repetition-paid',
    'held-back',
    bandit,
    'optimizer.learningRate=4e-4',
    pays('{use: repetition, words: 2, weight: -20}'),
  ),
];

/**
 * Plans the runs, one seed of every family before the next, so that a part of the corpus is balanced. FrozenLake takes minutes
 * where the bandit takes seconds, so it has one seed.
 */
export function planRuns(seeds: number, only: readonly string[] = []): PlannedRun[] {
  const isChosen = ({ name }: Family): boolean =>
    only.length === 0 || only.some((start) => name.startsWith(start));
  return Array.from({ length: seeds }, (_, index) =>
    families
      .filter((one) => isChosen(one) && (index === 0 || !isLake(one)))
      .map(({ name, ...rest }) => ({ ...rest, family: name, seed: index + firstSeed[rest.half] })),
  ).flat();
}
