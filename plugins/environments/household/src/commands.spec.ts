/** @file Every command, worked by hand in a house of six receptacles. */
import { describe, expect, it } from 'vitest';
import { act, actionsOf, write } from './commands.js';
import { buildHouse, today } from './house.js';
import { answer, introduce } from './texts.js';

const place = (kind: string, at: number): readonly string[] => [
  `receptacletype ${kind}_bar_1 ${kind}type`,
  `receptacleatlocation ${kind}_bar_1 loc_bar_${at}`,
];
const thing = (id: string, where: string, at: number, ...able: readonly string[]): readonly string[] => [
  `objecttype ${id} ${id.split('_')[0]}type`,
  `inreceptacle ${id} ${where}_bar_1`,
  `objectatlocation ${id} loc_bar_${at}`,
  ...able.map((trait) => `${trait} ${id}`),
];
const facts = [
  'atlocation agent1 loc_bar_0',
  ...place('cabinet', 1),
  ...place('countertop', 2),
  ...place('sink_bar_1_bar_sinkbasin', 3).map((fact) =>
    fact.replaceAll('sink_bar_1_bar_sinkbasin_bar_1', 'sink_bar_1_bar_sinkbasin'),
  ),
  ...place('microwave', 4),
  ...place('fridge', 5),
  ...place('desk', 6),
  'openable cabinet_bar_1',
  'openable microwave_bar_1',
  'openable fridge_bar_1',
  ...thing(
    'mug_bar_1',
    'cabinet',
    1,
    'pickupable',
    'cleanable',
    'heatable',
    'coolable',
    'isreceptacleobject',
  ),
  ...thing('mug_bar_2', 'cabinet', 1, 'pickupable'),
  ...thing('apple_bar_1', 'countertop', 2, 'pickupable', 'cleanable', 'heatable', 'coolable', 'sliceable'),
  ...thing('knife_bar_1', 'countertop', 2, 'pickupable', 'cleanable'),
  ...thing('desklamp_bar_1', 'desk', 6, 'toggleable'),
  'cancontain countertoptype appletype',
  'cancontain countertoptype knifetype',
  'cancontain fridgetype appletype',
  'cancontain cabinettype mugtype',
  'cancontain desktype mugtype',
].map((fact) => {
  const [name = '', ...args] = fact.replace('sink_bar_1_bar_sinkbasintype', 'sinkbasintype').split(' ');
  return { name, args };
});

/** The answers to commands, one after the other. */
function talk(...commands: readonly string[]): readonly string[] {
  const { house, start } = buildHouse(facts, 'agent1', today);
  let state = start;
  return commands.map((command) => {
    const action = [...actionsOf(house, state)].find((one) => write(house, one) === command);
    if (action === undefined) return 'Nothing happens.';
    state = act(house, state, action);
    return answer(house, state, action);
  });
}

describe('commands', () => {
  it('begin in the middle of the room', () => {
    const { house, start } = buildHouse(facts, 'agent1', today);
    expect(introduce(house, start, 'Your task is to: rest.')).toBe(
      '-= Welcome to TextWorld, ALFRED! =-\n\nYou are in the middle of a room. Looking quickly around you, you see a cabinet 1, a countertop 1, a desk 1, a fridge 1, a microwave 1, and a sinkbasin 1.\n\nYour task is to: rest.',
    );
    expect(talk('look')).toEqual([
      'You are in the middle of a room. Looking quickly around you, you see nothing.',
    ]);
  });

  it.each<readonly [string, readonly (readonly [command: string, answer: string])[]]>([
    [
      'go',
      [
        ['go to cabinet 2', 'Nothing happens.'],
        ['go to cabinet 1', 'You arrive at cabinet 1. The cabinet 1 is closed.'],
        ['go to cabinet 1', 'Nothing happens.'],
        ['go to sinkbasin 1', 'You arrive at sinkbasin 1. On the sinkbasin 1, you see nothing.'],
        [
          'go to countertop 1',
          'You arrive at countertop 1. On the countertop 1, you see a apple 1, and a knife 1.',
        ],
      ],
    ],
    [
      'open, close and examine',
      [
        ['open cabinet 1', 'Nothing happens.'],
        ['examine cabinet 1', 'Nothing happens.'],
        ['go to cabinet 1', 'You arrive at cabinet 1. The cabinet 1 is closed.'],
        ['close cabinet 1', 'Nothing happens.'],
        ['take mug 1 from cabinet 1', 'Nothing happens.'],
        [
          'open cabinet 1',
          'You open the cabinet 1. The cabinet 1 is open. In it, you see a mug 2, and a mug 1.',
        ],
        ['open cabinet 1', 'Nothing happens.'],
        ['close cabinet 1', 'You close the cabinet 1.'],
        ['examine cabinet 1', 'The cabinet 1 is closed.'],
        [
          'go to countertop 1',
          'You arrive at countertop 1. On the countertop 1, you see a apple 1, and a knife 1.',
        ],
        ['open countertop 1', 'Nothing happens.'],
        ['examine countertop 1', 'On the countertop 1, you see a apple 1, and a knife 1.'],
        ['examine apple 1', 'Nothing happens.'],
      ],
    ],
    [
      'take, move and inventory',
      [
        ['inventory', 'You are not carrying anything.'],
        [
          'go to countertop 1',
          'You arrive at countertop 1. On the countertop 1, you see a apple 1, and a knife 1.',
        ],
        ['move apple 1 to countertop 1', 'Nothing happens.'],
        ['take apple 1 from countertop 1', 'You pick up the apple 1 from the countertop 1.'],
        ['take knife 1 from countertop 1', 'Nothing happens.'],
        ['inventory', 'You are carrying: a apple 1.'],
        ['examine apple 1', "There's nothing special about apple 1."],
        ['look', 'You are facing the countertop 1. Next to it, you see nothing.'],
        ['go to desk 1', 'You arrive at desk 1. On the desk 1, you see a desklamp 1.'],
        ['move apple 1 to desk 1', 'Nothing happens.'],
        ['take desklamp 1 from desk 1', 'Nothing happens.'],
        ['go to fridge 1', 'You arrive at fridge 1. The fridge 1 is closed.'],
        ['move apple 1 to fridge 1', 'Nothing happens.'],
        ['open fridge 1', 'You open the fridge 1. The fridge 1 is open. In it, you see nothing.'],
        ['move apple 1 to fridge 1', 'You move the apple 1 to the fridge 1.'],
        ['examine fridge 1', 'The fridge 1 is open. In it, you see a apple 1.'],
      ],
    ],
    [
      'clean, heat and cool',
      [
        [
          'go to countertop 1',
          'You arrive at countertop 1. On the countertop 1, you see a apple 1, and a knife 1.',
        ],
        ['take apple 1 from countertop 1', 'You pick up the apple 1 from the countertop 1.'],
        ['heat apple 1 with microwave 1', 'Nothing happens.'],
        ['go to microwave 1', 'You arrive at microwave 1. The microwave 1 is closed.'],
        ['cool apple 1 with microwave 1', 'Nothing happens.'],
        ['heat apple 1 with microwave 1', 'You heat the apple 1 using the microwave 1.'],
        ['examine apple 1', 'This is a hot apple 1.'],
        ['go to fridge 1', 'You arrive at fridge 1. The fridge 1 is closed.'],
        ['cool apple 1 with fridge 1', 'You cool the apple 1 using the fridge 1.'],
        ['examine apple 1', 'This is a cold apple 1.'],
        ['go to sinkbasin 1', 'You arrive at sinkbasin 1. On the sinkbasin 1, you see nothing.'],
        ['clean apple 1 with sinkbasin 1', 'You clean the apple 1 using the sinkbasin 1.'],
        ['examine apple 1', 'This is a cool and clean apple 1.'],
      ],
    ],
    [
      'clean what cannot be heated',
      [
        [
          'go to countertop 1',
          'You arrive at countertop 1. On the countertop 1, you see a apple 1, and a knife 1.',
        ],
        ['take knife 1 from countertop 1', 'You pick up the knife 1 from the countertop 1.'],
        ['slice apple 1 with knife 1', 'You sliced the apple 1 with the knife 1.'],
        ['go to microwave 1', 'You arrive at microwave 1. The microwave 1 is closed.'],
        ['heat knife 1 with microwave 1', 'Nothing happens.'],
        ['slice apple 1 with knife 1', 'Nothing happens.'],
        ['go to sinkbasin 1', 'You arrive at sinkbasin 1. On the sinkbasin 1, you see nothing.'],
        ['clean knife 1 with sinkbasin 1', 'You clean the knife 1 using the sinkbasin 1.'],
        ['examine knife 1', 'This is a clean knife 1.'],
      ],
    ],
    [
      'use, and examine a vessel',
      [
        ['use desklamp 1', 'Nothing happens.'],
        ['go to desk 1', 'You arrive at desk 1. On the desk 1, you see a desklamp 1.'],
        ['use desklamp 1', 'You turn on the desklamp 1.'],
        ['use desklamp 1', 'You turn on the desklamp 1.'],
        ['use mug 1', 'Nothing happens.'],
        ['go to cabinet 1', 'You arrive at cabinet 1. The cabinet 1 is closed.'],
        [
          'open cabinet 1',
          'You open the cabinet 1. The cabinet 1 is open. In it, you see a mug 2, and a mug 1.',
        ],
        // the first identifier has the highest number
        ['take mug 2 from cabinet 1', 'You pick up the mug 2 from the cabinet 1.'],
        ['examine mug 2', 'This is a normal mug 2. In it, you see nothing.'],
        ['examine mug 1', 'Nothing happens.'],
      ],
    ],
  ])('%s', (_, conversation) => {
    expect(talk(...conversation.map(([command]) => command))).toEqual(conversation.map(([, text]) => text));
  });
});
