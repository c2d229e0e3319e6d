import { defineEnvironment } from '@espalier/plugin-kit';
import { z } from 'zod';
import { roomKinds } from './floor-plans.js';
import { fewestCommands, fewestReceptacles, playableTasks } from './generate.js';
import { createHousehold } from './household.js';
import { type TaskType, taskTypes } from './task.js';

const generated = z
  .strictObject({
    source: z.literal('generated'),
    tasks: z
      .array(z.enum(taskTypes))
      .min(1)
      .default([...taskTypes])
      .describe('types of tasks to draw from'),
    rooms: z
      .array(z.enum(roomKinds))
      .min(1)
      .default([...roomKinds])
      .describe('kinds of rooms to draw from'),
    floorPlans: z
      .enum(['by-split', 'all'])
      .default('by-split')
      .describe(
        '`by-split`: test levels are in rooms that no other level is in, as ALFWorld’s unseen rooms; `all`: any of the 120 rooms',
      ),
    receptacles: z
      .int()
      .min(2)
      .max(100)
      .optional()
      .describe(
        'most receptacles in a room, at least 3 to clean, heat or cool; all of the floor plan by default',
      ),
    things: z
      .int()
      .min(1)
      .max(200)
      .optional()
      .describe(
        'most things in a room, but always as many as the task wants; all of the floor plan by default',
      ),
    copies: z
      .int()
      .min(1)
      .max(8)
      .default(3)
      .describe('most things of a kind; two at least where a task wants two'),
  })
  .describe('rooms of ALFWorld’s floor plans, filled by seed');

const files = z
  .strictObject({
    source: z.literal('files'),
    train: z
      .string()
      .min(1)
      .optional()
      .describe('a game.tw-pddl of ALFWorld, or a folder with such files, to train on'),
    validation: z.string().min(1).optional().describe('the same for validation, such as valid_seen'),
    test: z.string().min(1).optional().describe('the same for tests, such as valid_unseen'),
  })
  .describe('games of ALFWorld, read from files');

interface Given {
  readonly games:
    | { readonly source: 'files' }
    | (z.infer<typeof generated> & { readonly source: 'generated' });
  readonly maxSteps: number;
}

/** Types of tasks that are asked for but have no level, by what a level of them needs. */
function tasksWithout({ games }: Given, isMissing: (type: TaskType) => boolean): readonly TaskType[] {
  if (games.source === 'files') return [];
  return playableTasks(games.tasks, games.rooms)
    .map(([type]) => type)
    .filter(isMissing);
}

const tooFewReceptacles = (given: Given): readonly TaskType[] =>
  tasksWithout(
    given,
    (type) =>
      given.games.source === 'generated' && (given.games.receptacles ?? Infinity) < fewestReceptacles(type),
  );

const tooFewSteps = (given: Given): readonly TaskType[] =>
  tasksWithout(given, (type) => given.maxSteps < fewestCommands[type]);

const params = z
  .strictObject({
    games: z
      .discriminatedUnion('source', [generated, files])
      .prefault({ source: 'generated' })
      .describe('where the games come from'),
    split: z
      .enum(['seed', 'train', 'validation', 'test'])
      .default('seed')
      .describe('games to play: those of the split that a seed belongs to, or always those of one split'),
    version: z
      .enum(['r1', 'r2'])
      .default('r2')
      .describe(
        'whose rewards: `r1` pays 0.1 for each well-formed command and 2.1 for the last, `r2` 10 for success',
      ),
    commands: z
      .enum(['shown', 'hidden'])
      .default('shown')
      .describe('whether an observation lists the admissible commands'),
    task: z
      .enum(['first', 'always'])
      .default('first')
      .describe('observations that state the task: the first, as in ALFWorld, or every one'),
    maxSteps: z.int().min(1).max(1000).default(50).describe('an episode ends after this many commands'),
  })
  .refine(({ games }) => games.source === 'files' || playableTasks(games.tasks, games.rooms).length > 0, {
    path: ['games', 'rooms'],
    message:
      'none of these tasks is done in these rooms: heating and cooling need a kitchen, cleaning a kitchen or bathroom, light a living room or bedroom',
  })
  .refine((given) => tooFewReceptacles(given).length === 0, {
    path: ['games', 'receptacles'],
    error: ({ input }) =>
      `2 are too few for ${tooFewReceptacles(input as Given).join(', ')}; allow at least 3, or leave these out of \`tasks\``,
  })
  .refine((given) => tooFewSteps(given).length === 0, {
    path: ['maxSteps'],
    error: ({ input }) =>
      tooFewSteps(input as Given)
        .map((type) => `${type} takes at least ${fewestCommands[type]} commands`)
        .join(', ') + '; allow as many, or leave it out of `tasks`',
  })
  .refine(({ games }) => games.source === 'generated' || (games.train ?? games.validation ?? games.test), {
    path: ['games', 'train'],
    message: 'no games are given; set the path of a game.tw-pddl or of a folder with such files',
  });

export default defineEnvironment({
  id: 'household',
  summary: 'Find, clean, heat, cool and bring things in a house, by text commands as in ALFWorld.',
  params,
  presets: {
    r1: {
      options: { version: 'r1', commands: 'hidden', maxSteps: 50 },
      limits: { maxActionsPerTurn: 5 },
    },
    r2: {
      options: { version: 'r2', commands: 'shown', maxSteps: 50 },
      limits: { maxActionsPerTurn: 2 },
    },
  },
  instruction: ({ games }) =>
    [
      'You are in a room of a house and have a task. Things are in or on receptacles; you carry one thing at a time.',
      'An action is one command, such as go to cabinet 1, open cabinet 1, take mug 1 from cabinet 1, move mug 1 to desk 1,',
      'examine mug 1, use desklamp 1, clean mug 1 with sinkbasin 1, heat mug 1 with microwave 1, cool mug 1 with fridge 1,',
      `look or inventory.${games.source === 'files' ? ' Some houses say put mug 1 in/on desk 1 instead of move mug 1 to desk 1.' : ''}`,
      'Example answer: <answer>go to cabinet 1</answer>',
    ].join(' '),
  limits: ({ maxSteps }) => ({ maxTurns: maxSteps, maxActions: maxSteps, maxActionsPerTurn: 1 }),
  reads: ({ maxSteps }) => ({ noise: false, actions: maxSteps }),
  create: ({ games, split, version, commands, task, maxSteps }) =>
    createHousehold({
      games,
      split,
      version,
      showsCommands: commands === 'shown',
      showsTask: task,
      maxSteps,
    }),
});
