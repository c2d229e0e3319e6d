/**
 * @file The settings of the corpus. Each family is trained from several seeds; a cause that occurs twice has one family in each
 * half, with other numbers, another algorithm or another environment. What became of a run is measured, not assumed.
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

const families: readonly Family[] = [
  // settings that somebody would choose
  family('bandit-grpo', 'tuning', bandit, 'optimizer.learningRate=2e-4'),
  family('bandit-starpo-s', 'held-back', 'config/runs/bandit-starpo-s.yaml'),
  family('bandit-dr-grpo', 'tuning', 'config/runs/bandit-dr-grpo.yaml'),
  family('bandit-slow', 'held-back', bandit, 'optimizer.learningRate=3e-5'),
  family('lake-grpo', 'tuning', lake),
  family('lake-starpo-s', 'held-back', 'config/runs/frozen-lake-starpo-s.yaml'),
  family('lake-kl', 'tuning', lake, 'algorithm.klCoefficient=0.02'),
  family('lake-two-epochs', 'held-back', lake, 'update.epochs=2', 'optimizer.learningRate=1e-4'),
  family('bandit-two-epochs', 'tuning', bandit, 'update.epochs=2', 'optimizer.learningRate=1e-4'),
  family('bandit-rloo', 'held-back', bandit, 'algorithm={use: rloo}'),
  family('lake-slow', 'tuning', lake, 'optimizer.learningRate=3e-5'),
  family('bandit-entropy', 'held-back', bandit, 'algorithm.entropyCoefficient=0.003'),
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
    'held-back',
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
    'held-back',
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
    'held-back',
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
    'held-back',
    lake,
    'optimizer.learningRate=3e-4',
    pays('{use: repetition, words: 2, weight: -3}'),
  ),
  family('entropy-bonus-lake', 'tuning', lake, 'algorithm.entropyCoefficient=0.1'),
  family('entropy-bonus-bandit', 'held-back', bandit, 'algorithm.entropyCoefficient=0.1'),
  family(
    'pays-length-bandit',
    'held-back',
    bandit,
    'optimizer.learningRate=3e-4',
    pays('{use: length, limit: 60, buffer: 60, weight: -3}'),
  ),
  family('growing-rate-half', 'held-back', bandit, ...growing(2e-3, 60)),
  family('growing-rate-starpo-s', 'held-back', starpoS, ...growing(4e-3, 80)),
  family('growing-rate-late', 'tuning', bandit, ...growing(6e-3, 120)),
  family('high-rate', 'tuning', bandit, 'optimizer.learningRate=6e-4'),
  family('high-rate-starpo-s', 'held-back', starpoS, 'optimizer.learningRate=8e-4'),
  family('epochs-slow', 'tuning', bandit, ...unclipped(4, 4, 1e-4)),
  family('epochs-slower', 'held-back', bandit, ...unclipped(8, 2, 1e-4)),
  family('shared-noise-slower', 'tuning', bandit, ...shared(3e-5)),
  family('shared-noise-slowest', 'held-back', bandit, ...shared(2e-5)),
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
    'held-back',
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
  family('growing-rate-slow-starpo-s', 'held-back', starpoS, ...growing(3e-3, 80)),
  family('entropy-bonus-low', 'tuning', bandit, 'algorithm.entropyCoefficient=0.03'),
  family('entropy-bonus-lower', 'held-back', bandit, 'algorithm.entropyCoefficient=0.02'),
  family(
    'pays-length-slow',
    'tuning',
    bandit,
    'optimizer.learningRate=1.5e-4',
    pays('{use: length, limit: 60, buffer: 60, weight: -3}'),
  ),
  family(
    'pays-length-dr-grpo',
    'held-back',
    'config/runs/bandit-dr-grpo.yaml',
    'optimizer.learningRate=2e-4',
    pays('{use: length, limit: 60, buffer: 60, weight: -3}'),
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
      .map(({ name, ...rest }) => ({ ...rest, family: name, seed: index + 1 })),
  ).flat();
}
