/** @file What the rules that read think blocks find, beside what a person marked. */
import faithfulness from '@espalier/reward-faithfulness';
import planConsistency from '@espalier/reward-plan-consistency';
import prediction from '@espalier/reward-prediction';
import type { RewardResult, UnscoredTrajectory } from '@espalier/plugin-kit';
import { type ClaimKind, judgeClaim, readStatements } from '@espalier/plugin-kit/reasoning';
import { sampleReply, sampleTrajectoryOf } from '@espalier/plugin-kit/testing';
import type { Count } from './figures.js';
import type { LabelledBlock } from './think-blocks.js';

const count = (found: number, marked: number): Count => ({ found, marked, both: Math.min(found, marked) });

function trajectoryOf(block: LabelledBlock): UnscoredTrajectory {
  const { plan, others, facts, next, think } = block;
  const replies = [
    sampleReply(think, plan.join(' || ')),
    ...(next === undefined ? [] : ['<answer>ok</answer>']),
  ];
  if (others.length > 0) replies.push(`<answer>${others.join(' || ')}</answer>`);
  return sampleTrajectoryOf(replies, (index) => {
    const made = index === 0 ? plan : index === replies.length - 1 ? others : [];
    return {
      stateKey: `${index}`,
      facts: index === 0 ? facts : (next ?? {}),
      think: index === 0 ? think : '',
      actions: made.map((text) => ({ text, valid: true, effective: true, reward: 0, metrics: {} })),
      parsedActions: made,
    };
  });
}

function claimsOf(block: LabelledBlock): { right: number; wrong: number } {
  const { next: _, ...now } = block;
  const score = faithfulness.score(trajectoryOf({ ...now, others: [] }), faithfulness.params.parse({}));
  const { metrics } = score as Required<RewardResult>;
  const all = Math.round(metrics['claims'] ?? 0);
  const right = Math.round((metrics['precision'] ?? 0) * all);
  return { right, wrong: all - right };
}

interface Found {
  readonly kind: ClaimKind;
  readonly holds: boolean | undefined;
}

const statements = new Map<LabelledBlock, readonly Found[]>();

/** What a block is found to state, read once. */
function statementsOf(block: LabelledBlock): readonly Found[] {
  const known = statements.get(block);
  if (known !== undefined) return known;
  const [turn] = trajectoryOf({ ...block, others: [] }).turns;
  const found = readStatements(turn!).map((claim) => ({
    kind: claim.kind,
    holds: judgeClaim(claim, block.facts).holds,
  }));
  statements.set(block, found);
  return found;
}

/** Claims of a kind; a find counts where the block has a mark of this kind that is as true or as false. */
const claimsOfKind =
  (kind: ClaimKind) =>
  (block: LabelledBlock): Count => {
    const found = statementsOf(block).filter((one) => one.kind === kind);
    const counts = [true, false].map((holds) =>
      count(
        found.filter((one) => one.holds === holds).length,
        (holds ? block.true : block.false).filter((one) => one === kind).length,
      ),
    );
    return {
      found: counts.reduce((sum, one) => sum + one.found, 0),
      marked: counts.reduce((sum, one) => sum + one.marked, 0),
      both: counts.reduce((sum, one) => sum + one.both, 0),
    };
  };

function predictionsOf(block: LabelledBlock): { right: number; wrong: number } {
  if (block.next === undefined) return { right: 0, wrong: 0 };
  const score = prediction.score(trajectoryOf({ ...block, others: [] }), prediction.params.parse({}));
  const { metrics } = score as Required<RewardResult>;
  const all = Math.round((metrics['predictions'] ?? 0) * 2);
  const right = Math.round((metrics['right'] ?? 0) * all);
  return { right, wrong: all - right };
}

type BlockRule = (block: LabelledBlock) => Count;

/** The rules of each reward, by what they find. */
export const blockRules: Readonly<Record<string, Readonly<Record<string, BlockRule>>>> = {
  faithfulness: {
    'true claims': (block) => count(claimsOf(block).right, block.true.length),
    'false claims': (block) => count(claimsOf(block).wrong, block.false.length),
    positions: claimsOfKind('position'),
    'directions, distances': claimsOfKind('direction'),
    adjacency: claimsOfKind('adjacency'),
    'numbers, calculations': claimsOfKind('number'),
    prices: claimsOfKind('price'),
    'grids of numbers': claimsOfKind('grid'),
    'which arm is better': claimsOfKind('name'),
    'things of a house': claimsOfKind('house'),
  },
  'plan-consistency': {
    'planned moves': (block) => {
      const trajectory = trajectoryOf(block);
      const { metrics } = planConsistency.score(trajectory, {}) as Required<RewardResult>;
      return {
        found: Math.round((metrics['planned'] ?? 0) * trajectory.turns.length),
        marked: block.plan.length,
        both: Math.round((metrics['covered'] ?? 0) * (block.plan.length + block.others.length)),
      };
    },
  },
  prediction: {
    'right predictions': (block) => count(predictionsOf(block).right, block.right),
    'wrong predictions': (block) => count(predictionsOf(block).wrong, block.wrong),
  },
};
