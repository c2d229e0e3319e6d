/**
 * @file Names of arms. The paper and its script disagree on orientation (see README.md), so every set here says
 * outright which name is the low arm and which the high one.
 */

/** [low, high]: the first is the safe arm, the second the better one. */
export type ArmPair = readonly [low: string, high: string];

/** Sets with one pair. */
export const namedPairs = {
  /** RAGEN's training pair */
  'phoenix-dragon': ['Phoenix', 'Dragon'],
  /** RAGEN's test pair as its script has it */
  'trader-librarian': ['Trader', 'Librarian'],
  /** training pair of the paper's generalisation study */
  'teacher-engineer': ['Teacher', 'Engineer'],
  /** test pair of the paper's generalisation study */
  'librarian-trader': ['Librarian', 'Trader'],
} as const satisfies Record<string, ArmPair>;

/** RAGEN-2's pairs of occupations, one drawn per seed. */
export const professions: Readonly<Record<'train' | 'test', readonly ArmPair[]>> = {
  train: [
    ['Teacher', 'Trader'],
    ['Nurse', 'StartupFounder'],
    ['Librarian', 'Investor'],
    ['Accountant', 'StockBroker'],
    ['Engineer', 'RealEstateAgent'],
    ['Pharmacist', 'Musician'],
    ['Clerk', 'Freelancer'],
    ['Technician', 'Youtuber'],
    ['Planner', 'Artist'],
    ['Postman', 'Pilot'],
    ['Banker', 'VentureCapitalist'],
    ['Gardener', 'Cryptominer'],
  ],
  test: [
    ['Receptionist', 'Explorer'],
    ['Archivist', 'Filmmaker'],
    ['Bookkeeper', 'Consultant'],
    ['SocialWorker', 'Photographer'],
    ['Mechanic', 'GameDesigner'],
    ['Secretary', 'Entrepreneur'],
    ['Cashier', 'DataScientist'],
    ['CivilServant', 'StartupAccelerator'],
  ],
};
