/** @file The words in which cells, things on them and directions are spoken of. */
import { wordSet } from './clauses.js';

export const directions: Readonly<Record<string, readonly [number, number]>> = {
  up: [-1, 0],
  above: [-1, 0],
  north: [-1, 0],
  upper: [-1, 0],
  higher: [-1, 0],
  down: [1, 0],
  below: [1, 0],
  under: [1, 0],
  underneath: [1, 0],
  beneath: [1, 0],
  south: [1, 0],
  lower: [1, 0],
  left: [0, -1],
  west: [0, -1],
  right: [0, 1],
  east: [0, 1],
};
export const names = new Map(
  Object.entries({
    i: 'player',
    "i'm": 'player',
    "i'll": 'player',
    position: 'player',
    me: 'player',
    my: 'player',
    agent: 'player',
    myself: 'player',
    player: 'player',
    goal: 'goal',
    gift: 'goal',
    present: 'goal',
    hole: 'hole',
    holes: 'hole',
    box: 'box',
    boxes: 'box',
    crate: 'box',
    crates: 'box',
    target: 'target',
    targets: 'target',
    wall: 'wall',
    walls: 'wall',
  }),
);
export const copulas = wordSet("is are am lies lie sits sit stands stand i'm it's that's there's : at be");
export const motions = wordSet(
  'go move step walk head push slide try take choose pick press answer play moving going pushing stepping walking heading turn run',
);
export const wishes = wordSet('have need want has needs wants try trying order');
export const units = wordSet(
  'step steps cell cells row rows column columns square squares tile tiles space spaces block blocks',
);
export const fillers = wordSet(
  'the a an my to of on in and , - one directly straight just exactly immediately right',
);
export const nearWords = wordSet('adjacent beside touching neighbouring neighboring');
