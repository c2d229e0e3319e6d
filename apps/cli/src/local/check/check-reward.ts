/** @file Whether a reward can be earned without solving the task. */
import type { Turn } from '@espalier/contracts';
import type { RewardDefinition, UnscoredTrajectory } from '@espalier/plugin-kit';
import { type Finding, problem, show } from './finding.js';

interface Reply {
  readonly think: string;
  readonly answer: string;
  /** what the environment pays */
  readonly reward?: number;
}

const observation = 'Row 0: _ P\nRow 1: G _\nP is you, G the goal.';
const up: Reply = { think: 'I am above the goal, so I go up.', answer: 'Up' };

/** Two turns of each policy; only the oracle's solve the task. */
const panel: Readonly<Record<string, readonly Reply[]>> = {
  empty: [{ think: '', answer: '' }],
  constant: [up, up],
  repeated: [1, 2].map(() => ({ think: 'the goal is down. '.repeat(40).trim(), answer: 'Down' })),
  'format-only': [1, 2].map(() => ({ think: ' ', answer: ' ' })),
  'prompt-echo': [1, 2].map(() => ({ think: observation, answer: observation })),
  length: [1, 2].map(() => ({ think: 'so '.repeat(4000).trim(), answer: 'Up' })),
};
const oracle: readonly Reply[] = [
  { think: 'The goal is one row down and one column left. I go down.', answer: 'Down' },
  { think: 'The goal is one column left. I go left.', answer: 'Left', reward: 1 },
];

/** Scores what each policy would say. @throws plugin.timeout, plugin.failed */
export async function checkReward(
  definition: RewardDefinition<unknown>,
  params: unknown,
): Promise<Finding[]> {
  const score = async (name: string, replies: readonly Reply[]): Promise<number> => {
    const { perTurn } = await definition.score(buildTrajectory(name, replies), params);
    return perTurn.reduce((sum, value) => sum + value, 0);
  };
  const best = 1 + (await score('oracle', oracle));
  const findings: Finding[] = [];
  for (const [name, replies] of Object.entries(panel)) {
    const earned = await score(name, replies);
    const check = `${name} policy`;
    if (earned > 1e-9)
      findings.push(
        problem(
          check,
          `earns ${show(earned)} without solving anything`,
          'pay for what was achieved, or take for what is missing: at most 0 here',
        ),
      );
    if (earned >= best)
      findings.push(
        problem(
          check,
          `earns ${show(earned)}, and the oracle ${show(best)} with the environment's 1`,
          'let the reward stay below what success pays, at weight 1',
        ),
      );
  }
  return findings;
}

const turnTokens = 8;

function buildTrajectory(id: string, replies: readonly Reply[]): UnscoredTrajectory {
  const length = replies.length * turnTokens;
  const success = replies.at(-1)?.reward === 1;
  const turns = replies.map(buildTurn);
  return {
    id: `train/1/0/${id}`,
    environment: 'check',
    split: 'train',
    step: 1,
    group: 0,
    index: 0,
    seeds: { state: 1, noise: 2, sampling: 3 },
    tokens: new Int32Array(length),
    logprobs: new Float32Array(length),
    entropies: new Float32Array(length),
    textEnds: Int32Array.from(turns.flatMap(({ response }) => textEndsOf(response))),
    spans: replies.flatMap((_reply, turn) => spansOf(turn)),
    turns,
    stopReason: success ? 'success' : 'turns',
    success,
    labels: [],
    timings: { totalMs: 2 },
  };
}

/** Three tokens of observation, two of reasoning, two of the answer, and the end of the turn. */
function textEndsOf(response: string): number[] {
  const think = response.indexOf('</answer>') < 0 ? 0 : response.indexOf('<answer>');
  const middle = Math.floor((think + response.length) / 2);
  return [0, 0, 0, Math.floor(think / 2), think, middle, response.length, response.length];
}

function spansOf(turn: number): UnscoredTrajectory['spans'] {
  const start = turn * turnTokens;
  return [
    { kind: 'observation', start, end: start + 3, turn },
    { kind: 'think', start: start + 3, end: start + 5, turn },
    { kind: 'answer', start: start + 5, end: start + 7, turn },
    { kind: 'control', start: start + 7, end: start + 8, turn },
  ];
}

function buildTurn({ think, answer, reward = 0 }: Reply, index: number): Turn {
  const isAction = ['Up', 'Down', 'Left', 'Right'].includes(answer);
  return {
    index,
    observation,
    stateKey: `state ${index}`,
    render: observation,
    facts: { player: [0, 1], goal: [1, 0] },
    response: think === '' && answer === '' ? '' : `<think>${think}</think><answer>${answer}</answer>`,
    think,
    answer,
    formatValid: answer !== '',
    parsedActions: isAction ? [answer] : [],
    actions: isAction ? [{ text: answer, valid: true, effective: true, reward, metrics: {} }] : [],
    reward,
    formatPenalty: isAction ? 0 : -0.1,
    sampleStop: 'stop',
    sampled: { start: index * turnTokens + 3, end: (index + 1) * turnTokens },
    policyVersion: 0,
    timings: { sampleMs: 1, environmentMs: 1 },
  };
}
