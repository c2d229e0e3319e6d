/**
 * @file Writes think-blocks/generated.yaml: think blocks about real states of environments, whose labels follow from how
 * each sentence was made (a true value, or another one). Run `node test/rewards/generate-blocks.mjs` after a build.
 */
import { writeFileSync } from 'node:fs';
import bandit from '@espalier/environment-bandit';
import countdown from '@espalier/environment-countdown';
import frozenLake from '@espalier/environment-frozen-lake';
import sokoban from '@espalier/environment-sokoban';
import { createStream } from '@espalier/plugin-kit';
import { stringify } from 'yaml';

const stream = createStream(20);
const pick = (list) => list[stream.int(list.length)];

async function factsOf(definition, seed) {
  const instance = definition.create(definition.params.parse({}));
  await instance.reset({ state: seed, noise: seed });
  const facts = structuredClone(instance.facts());
  await instance.close?.();
  return facts;
}

const vertical = (rows) => (rows > 0 ? pick(['below', 'down', 'south']) : pick(['above', 'up', 'north']));
const horizontal = (columns) =>
  columns > 0 ? pick(['to the right', 'right', 'east']) : pick(['to the left', 'left', 'west']);

/** One sentence about the offset of a thing from the player, or about its cell, and the kind of claim that it is. */
function placeSentence(name, player, cell, isTrue) {
  const [row, column] = cell;
  const [rows, columns] = [row - player[0], column - player[1]];
  const kind = stream.int(4);
  if (kind === 0 || (rows === 0 && columns === 0)) {
    const shown = isTrue ? [row, column] : [row + 1, column + 2];
    const text = pick([
      `The ${name} is at (${shown[0]}, ${shown[1]}).`,
      `I can see the ${name} at row ${shown[0]}, column ${shown[1]}.`,
      `${name}: (${shown[0]}, ${shown[1]}).`,
    ]);
    return { text, claim: 'position' };
  }
  return { text: directionSentence(name, kind, [rows, columns], isTrue), claim: 'direction' };
}

function directionSentence(name, kind, [rows, columns], isTrue) {
  const sign = isTrue ? 1 : -1;
  if (kind === 1 && rows !== 0)
    return `The ${name} is ${vertical(sign * rows)} me.`.replace(/(down|up|south|north) me/, '$1 of me');
  if (kind === 2 && columns !== 0) return `The ${name} is ${horizontal(sign * columns)} of me.`;
  const more = isTrue ? 0 : 1;
  const parts = [];
  if (rows !== 0) parts.push(`${Math.abs(rows) + more} ${rows > 0 ? 'down' : 'up'}`);
  if (columns !== 0) parts.push(`${Math.abs(columns)} ${columns > 0 ? 'right' : 'left'}`);
  if (rows === 0 && !isTrue) parts[0] = `${Math.abs(columns) + 1} ${columns > 0 ? 'right' : 'left'}`;
  return `${pick(['The ', ''])}${name} ${pick(['is ', ''])}${parts.join(pick([' ', ' and ', ', ']))}.`;
}

const fillers = ['', 'Let me think. ', 'Okay. ', 'I look at the map. ', 'Hmm, this is tricky. '];
const asides = [
  ['', ''],
  ['', ''],
  [' If I went the other way, the goal would be at (0, 0).', ''],
  [' The other player says the box is at (9, 9).', ''],
  [' Is the goal at (7, 7)?', ''],
  [' I go down.', 'down'],
  [' So I move up twice.', 'up up'],
  [' Then I push right.', 'right'],
  [' I will not go left.', ''],
];

function gridBlock(facts, things) {
  const count = 1 + stream.int(3);
  const truths = [];
  const lies = [];
  let think = pick(fillers);
  for (let index = 0; index < count; index++) {
    const [name, cells] = pick(things);
    const isTrue = stream.int(2) === 0;
    const { text, claim } = placeSentence(name, facts.player, cells[0], isTrue);
    (isTrue ? truths : lies).push(claim);
    think += `${index > 0 ? ' ' : ''}${text}`;
  }
  const [aside, plan] = pick(asides);
  return { think: think + aside, true: truths.join(' '), false: lies.join(' '), plan };
}

function countdownBlock({ numbers, target }) {
  const isTarget = stream.int(2) === 0;
  const isSum = stream.int(2) === 0;
  const [a, b] = numbers;
  const think =
    pick(fillers) +
    pick([
      `The target is ${isTarget ? target : target + 3}.`,
      `I need to reach ${isTarget ? target : target + 3}.`,
    ]) +
    ` ${a} + ${b} ${pick(['=', 'is', 'gives'])} ${isSum ? a + b : a + b + 1}.`;
  const said = (isTrue) => [isTarget, isSum].flatMap((one) => (one === isTrue ? 'number' : [])).join(' ');
  return { think, true: said(true), false: said(false), plan: '' };
}

function banditBlock({ arms, better }) {
  const isTrue = stream.int(2) === 0;
  const worse = arms.find((arm) => arm !== better);
  const [first, second] = isTrue ? [better, worse] : [worse, better];
  const think = pick([
    `${first} is better than ${second}.`,
    `${second} pays less than ${first}.`,
    `I believe in numbers, not names. ${first} has the higher reward.`,
    `${first} is the best arm.`,
  ]);
  return { think, true: isTrue ? 'name' : '', false: isTrue ? '' : 'name', plan: '' };
}

/** The blocks; the same every time. */
const blocks = [];
for (let seed = 0; seed < 60; seed++) {
  const facts = await factsOf(frozenLake, seed);
  const things = [['goal', [facts.goal]], ...(facts.holes.length === 1 ? [['hole', facts.holes]] : [])];
  blocks.push({ style: 'generated', facts, ...gridBlock(facts, things) });
}
for (let seed = 0; seed < 45; seed++) {
  const facts = await factsOf(sokoban, seed);
  blocks.push({
    style: 'generated',
    facts,
    ...gridBlock(facts, [
      ['box', facts.boxes],
      ['target', facts.targets],
    ]),
  });
}
for (let seed = 0; seed < 30; seed++) {
  const facts = await factsOf(countdown, seed);
  blocks.push({ style: 'generated', facts, ...countdownBlock(facts) });
}
for (let seed = 0; seed < 20; seed++) {
  const facts = await factsOf(bandit, seed);
  blocks.push({ style: 'generated', facts, ...banditBlock(facts) });
}
const head =
  '# Written by test/rewards/generate-blocks.mjs; see frozen-lake.yaml for what the labels mean.\n';
writeFileSync(
  new URL('think-blocks/generated.yaml', import.meta.url),
  head + stringify({ blocks }, { lineWidth: 0, aliasDuplicateObjects: false }),
);
