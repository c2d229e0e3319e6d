/** @file What the rules about the form of replies find, beside what a person marked. */
import { readFileSync } from 'node:fs';
import formatShaping from '@espalier/reward-format-shaping';
import length from '@espalier/reward-length';
import repetition from '@espalier/reward-repetition';
import type { RewardResult } from '@espalier/plugin-kit';
import { wordsOf } from '@espalier/plugin-kit/reasoning';
import { sampleReply, sampleTrajectoryOf } from '@espalier/plugin-kit/testing';
import { parse } from 'yaml';
import type { Count } from './figures.js';

/** Reads the labelled replies of a file. */
const read = <Reply>(name: string): Reply[] =>
  (parse(readFileSync(new URL(`replies/${name}.yaml`, import.meta.url), 'utf8')) as { blocks: Reply[] })
    .blocks;

const hit = (isFound: boolean, isMarked: boolean): Count => ({
  found: Number(isFound),
  marked: Number(isMarked),
  both: Number(isFound && isMarked),
});

const add = (counts: readonly Count[]): Count => ({
  found: counts.reduce((sum, { found }) => sum + found, 0),
  marked: counts.reduce((sum, { marked }) => sum + marked, 0),
  both: counts.reduce((sum, { both }) => sum + both, 0),
});

/** Words in [[ and ]] are marked, those whose tokens lose something are found. */
function repeatedWords(given: string): Count {
  const think = given.replaceAll(/\[\[|\]\]/g, '');
  const isMarked = new Uint8Array(think.length);
  let at = 0;
  let inside = 0;
  for (const piece of given.split(/(\[\[|\]\])/)) {
    if (piece === '[[' || piece === ']]') inside = piece === '[[' ? 1 : 0;
    else isMarked.fill(inside, at, (at += piece.length));
  }
  const trajectory = sampleTrajectoryOf([sampleReply(think, 'Down')]);
  const { evidence } = repetition.score(trajectory, repetition.params.parse({})) as Required<RewardResult>;
  const start = '<think>'.length;
  const found = evidence.map((one) => ({
    from: (trajectory.textEnds[one.start - 1] ?? 0) - start,
    to: (trajectory.textEnds[one.end - 1] ?? 0) - start,
  }));
  return add(
    wordsOf(think, 0).map((word) =>
      hit(
        found.some(({ from, to }) => word.start >= from && word.end <= to),
        isMarked[word.start] === 1,
      ),
    ),
  );
}

interface LongReply {
  readonly is: 'fits' | 'idle' | 'silent';
  readonly words: number;
  readonly think: string;
}

/** The limit of the README's example, in words and signs. */
const limited = length.params.parse({ limit: 64, buffer: 32 });

/** What may be said without a loss. */
const free = 64 - 32;

function lengthVerdict({ think }: LongReply): 'fits' | 'long' | 'silent' {
  const trajectory = sampleTrajectoryOf([sampleReply(think, 'Down')]);
  const { perTurn, metrics } = length.score(trajectory, limited) as Required<RewardResult>;
  return metrics['over'] === 1 ? 'long' : perTurn[0] === -1 ? 'silent' : 'fits';
}

interface FormedReply {
  /** the parts that are as demanded */
  readonly has: string;
  readonly reply: string;
}

const partOf =
  (part: string) =>
  ({ has, reply }: FormedReply): Count => {
    const score = formatShaping.score(sampleTrajectoryOf([reply]), formatShaping.params.parse({}));
    const { metrics } = score as Required<RewardResult>;
    return hit(metrics[part] === 1, has.split(' ').includes(part));
  };

interface ReplyRule {
  readonly name: string;
  /** texts in order; every third is held out */
  readonly counts: readonly Count[];
}

const rulesOf = <Reply>(
  replies: readonly Reply[],
  rules: Readonly<Record<string, (reply: Reply) => Count>>,
): ReplyRule[] => Object.entries(rules).map(([name, rule]) => ({ name, counts: replies.map(rule) }));

/** The rules of each reward, with what they find in its labelled replies. */
export const replyRules: Readonly<Record<string, readonly ReplyRule[]>> = {
  repetition: rulesOf(read<string>('repetition'), { 'repeated words': repeatedWords }),
  length: rulesOf(read<LongReply>('length'), {
    'longer than asked': (reply) => hit(lengthVerdict(reply) === 'long', reply.words > free),
    'idle talk (not its claim)': (reply) => hit(lengthVerdict(reply) === 'long', reply.is === 'idle'),
    'no thought': (reply) => hit(lengthVerdict(reply) === 'silent', reply.is === 'silent'),
  }),
  'format-shaping': rulesOf(
    read<FormedReply>('format'),
    Object.fromEntries(['present', 'closed', 'order', 'alone'].map((part) => [`\`${part}\``, partOf(part)])),
  ),
};
