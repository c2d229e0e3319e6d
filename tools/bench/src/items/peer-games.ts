/** Games of TextArena that are ours too: what theirs is called, our options that come nearest, and what differs. */
export const textArenaGames: Readonly<Record<string, PeerGame>> = {
  bandit: {
    theirs: 'Bandit-v0-raw',
    options: {},
    play: 'random',
    notes:
      'both draw arms for every episode; ours is over after one pull, so each of its steps seeds a generator as NumPy does where theirs draws once in 21 steps',
  },
  countdown: {
    theirs: 'Countdown-v0-raw',
    options: { variant: 'steps', count: [6, 6], operators: 'all', target: [100, 999] },
    play: 'random',
    notes:
      'both draw six numbers and a target for every episode; ours makes the target from the numbers, four drawings for one in range, theirs does not look whether it can be reached',
  },
  'frozen-lake': {
    theirs: 'FrozenLake-v0-raw',
    options: {},
    play: 'random',
    notes: 'both draw a 4×4 lake for every episode; ours is slippery',
  },
  'game-2048': {
    theirs: '2048-v0-raw',
    options: {},
    play: 'random',
    notes: 'theirs ends after two moves in a row that move nothing',
  },
  sokoban: {
    theirs: 'Sokoban-v0-raw',
    options: { boxes: 3 },
    play: 'random',
    notes: 'both draw a 6×6 room with three boxes for every episode',
  },
  sudoku: {
    theirs: 'Sudoku-v0-raw',
    options: { size: 9, empty: 0.26 },
    play: 'oracle',
    notes: 'both draw a 9×9 grid with one solution and 21 empty cells for every episode, and fill it',
  },
};

/** What RAGEN wraps, without the wrapper: its texts cost more, so the ratios are the smallest that RAGEN's users would see. */
export const wrappedGames: Readonly<
  Record<'gymnasium/frozen-lake' | 'gym-sokoban/sokoban', PeerGame & { readonly imports: readonly string[] }>
> = {
  'gymnasium/frozen-lake': {
    theirs: 'FrozenLake',
    imports: ['gymnasium'],
    options: {},
    play: 'random',
    notes: 'both draw a slippery 4×4 lake for every episode; theirs shows the number of a cell, ours text',
  },
  'gym-sokoban/sokoban': {
    theirs: 'Sokoban',
    imports: ['gym_sokoban.envs.sokoban_env'],
    options: {},
    play: 'random',
    notes:
      'both draw a 6×6 room with one box for every episode; theirs shows its smallest picture, ours text',
  },
};

export interface PeerGame {
  readonly theirs: string;
  readonly options: Readonly<Record<string, unknown>>;
  readonly play: 'random' | 'oracle';
  /** what the two do not have in common */
  readonly notes: string;
}
