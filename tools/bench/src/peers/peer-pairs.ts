/** @file Pairs of our figures and those of peer programs, with target ratios. */
import { shapeOf, type ShapeName } from '../items/shapes.js';
import type { PeerFigure } from './parse-peer-output.js';

export interface PeerProgram {
  readonly file: string;
  readonly args: readonly (string | number)[];
  /** Python packages it imports, by the names they are installed under */
  readonly packages: readonly string[];
  /** what PyTorch makes weights and activations in; default: float32 */
  readonly weights?: 'bfloat16';
}

export interface PeerPair {
  /** name of the row; also the row of ours, where `ours` is absent */
  readonly row: string;
  /** item that gives our figure */
  readonly item: string;
  readonly ours?: string;
  readonly program: PeerProgram;
  readonly peer: string;
  readonly figure: PeerFigure;
  readonly unit: string;
  readonly lessIsBetter?: true;
  readonly goal?: number;
  readonly notes?: string;
}

const read =
  (name: string) =>
  (numbers: Readonly<Record<string, number>>): number | undefined =>
    numbers[name];

/** All pairs in the order they are measured: ours and the peer's figure of a row follow each other. */
export function listPeerPairs(short: boolean): PeerPair[] {
  return [
    ...trainSteps(short),
    ...decodes('decode/5m', 'decode5m', [1, 16, 128], 128, short),
    ...decodes('decode/135m', 'decode135m', [1, 16], 32, short),
    iterationPair(short),
    ...environments,
  ];
}

function trainSteps(short: boolean): PeerPair[] {
  const modes = [
    { mode: 'f32', name: 'PyTorch float32' },
    { mode: 'bf16', name: 'PyTorch bf16 autocast', notes: 'ours in bf16 by OpenVINO' },
    { mode: 'compile', name: 'PyTorch float32, torch.compile' },
  ];
  const small = modes.map((mode) => stepPair('train-step/5m', 'train5m', [16, 512, 5], mode, short));
  const large = modes
    .slice(0, 2)
    .map((mode) => stepPair('train-step/135m', 'train135m', [4, 512, 3], mode, short));
  const [first] = large as [PeerPair];
  const memory: PeerPair = {
    ...first,
    row: 'train-step/135m/memory',
    ours: 'train-step/135m/memory',
    figure: { what: 'torch-', read: read('rssGB') },
    unit: 'GB',
    lessIsBetter: true,
    goal: 1,
    notes: 'highest resident memory of the process, from its start',
  };
  return [...small, ...large, memory].map((pair) => ({ ...pair, ...goalOf(pair.row) }));
}

function goalOf(row: string): { goal?: number } {
  const goals: Readonly<Record<string, number>> = {
    'train-step/5m': 1.2,
    'train-step/135m': 1.2,
    'train-step/5m/bf16': 1.25,
    'train-step/135m/bf16': 1.25,
  };
  return goals[row] === undefined ? {} : { goal: goals[row] };
}

function stepPair(
  item: string,
  name: ShapeName,
  [batch, length, repeats]: readonly [number, number, number],
  { mode, name: peer, notes }: { readonly mode: string; readonly name: string; readonly notes?: string },
  short: boolean,
): PeerPair {
  const { width, layers, heads, feedForward, vocabulary } = shapeOf(name, short);
  const sizes = short ? [1, 64, 1] : [batch, length, repeats];
  const ours = mode === 'bf16' ? item.replace('train-step', 'train-step-bf16') : item;
  return {
    row: mode === 'f32' ? item : `${item}/${mode}`,
    item: ours,
    ours,
    program: {
      file: 'torch_step.py',
      args: [width, layers, heads, feedForward, vocabulary, ...sizes, ...(mode === 'f32' ? [] : [mode])],
      packages: ['torch'],
    },
    peer,
    // in short mode the work is so small that the printed GFLOP/s round to nothing
    figure: { what: 'torch-', read: ({ gflops, seconds }) => (short ? 1 / (seconds ?? 0) : gflops) },
    unit: 'GFLOP/s',
    ...(notes === undefined ? {} : { notes }),
  };
}

function decodes(
  prefix: string,
  name: ShapeName,
  batches: readonly number[],
  newTokens: number,
  short: boolean,
): PeerPair[] {
  const { width, layers, heads, keyValueHeads, feedForward, vocabulary } = shapeOf(name, short);
  const shape = [width, layers, heads, keyValueHeads, feedForward, vocabulary];
  return batches.flatMap((batch) => {
    const row = `${prefix}/${batch}`;
    const program = {
      file: 'hf_generate.py',
      args: [...shape, 128, short ? 4 : newTokens, batch],
      packages: ['torch', 'transformers'],
    };
    const common = {
      figure: { what: 'hf-generate', where: { batch }, read: read('tokens_per_s') },
      unit: 'tokens/s',
      ...(row === 'decode/135m/1' ? {} : { goal: 3 }),
    };
    const bf16 = row.replace('decode', 'decode-bf16');
    return [
      { ...common, row, item: row, program, peer: 'transformers generate, float32' },
      {
        ...common,
        row: `${row}/bf16`,
        item: bf16,
        ours: `${bf16}/clock`,
        program: { ...program, weights: 'bfloat16' as const },
        peer: 'transformers generate, bf16',
        notes: 'ours in bf16 by OpenVINO',
      },
    ];
  });
}

function iterationPair(short: boolean): PeerPair {
  const { width, layers, heads, feedForward, vocabulary } = shapeOf('decode5m', short);
  return {
    row: 'iteration/trl-shape',
    item: 'iteration/trl-shape',
    program: {
      file: 'trl_grpo.py',
      args: [width, layers, heads, feedForward, vocabulary],
      packages: ['torch', 'transformers', 'tokenizers', 'datasets', 'accelerate', 'trl'],
    },
    peer: 'TRL GRPOTrainer',
    figure: { what: 'trl-grpo-iteration', read: read('seconds') },
    unit: 's',
    lessIsBetter: true,
    goal: 5,
    notes: '8 prompts × 16 completions, 128 + 64 tokens, one update',
  };
}

const playing: PeerProgram = {
  file: 'envs.py',
  args: [],
  packages: ['gymnasium', 'gym', 'gym-sokoban'],
};

const environments: readonly PeerPair[] = [
  {
    row: 'env/frozen-lake',
    item: 'env/frozen-lake',
    program: playing,
    peer: 'Gymnasium FrozenLake, unwrapped',
    figure: { what: 'gymnasium FrozenLake (unwrapped)', read: read('steps_per_s') },
    unit: 'steps/s',
    goal: 5,
  },
  {
    row: 'env/frozen-lake/wrapped',
    item: 'env/frozen-lake',
    ours: 'env/frozen-lake',
    program: playing,
    peer: 'Gymnasium FrozenLake, as gymnasium.make gives it',
    figure: { what: 'gymnasium FrozenLake (with wrappers)', read: read('steps_per_s') },
    unit: 'steps/s',
  },
  {
    row: 'env/sokoban',
    item: 'env/sokoban',
    program: playing,
    peer: 'gym_sokoban step',
    figure: { what: 'gym_sokoban step', read: read('steps_per_s') },
    unit: 'steps/s',
    notes: 'the peer draws its picture at every step, ours writes text',
  },
  {
    row: 'levels/sokoban',
    item: 'levels/sokoban',
    program: playing,
    peer: 'gym_sokoban generate_room',
    figure: { what: 'gym_sokoban generate_room', read: read('levels_per_s') },
    unit: 'levels/s',
    notes: 'both 6×6 with one box',
  },
];
