/**
 * @file The stickers of a 2×2 cube and how turns move them, derived from where they lie in space. Faces U L F R B D, four
 * stickers each in reading order of the unfolded cube.
 */

type Vector = readonly [x: number, y: number, z: number];

/** 24 letters, the colour of each sticker. */
export type Cube = string;

export const solvedCube: Cube = 'WWWWOOOOGGGGRRRRBBBBYYYY';

export const turnNames = ['U', "U'", 'D', "D'", 'L', "L'", 'R', "R'", 'F', "F'", 'B', "B'"] as const;

interface Face {
  /** out of the cube; x points right, y up, z to the front */
  readonly normal: Vector;
  /** reading direction, and the direction of the next line */
  readonly right: Vector;
  readonly down: Vector;
}

const faceLetters = 'ULFRBD';
const faces: readonly Face[] = [
  { normal: [0, 1, 0], right: [1, 0, 0], down: [0, 0, 1] },
  { normal: [-1, 0, 0], right: [0, 0, 1], down: [0, -1, 0] },
  { normal: [0, 0, 1], right: [1, 0, 0], down: [0, -1, 0] },
  { normal: [1, 0, 0], right: [0, 0, -1], down: [0, -1, 0] },
  { normal: [0, 0, -1], right: [-1, 0, 0], down: [0, -1, 0] },
  { normal: [0, -1, 0], right: [1, 0, 0], down: [0, 0, -1] },
];

interface Sticker {
  readonly corner: Vector;
  readonly normal: Vector;
}

const stickers: readonly Sticker[] = faces.flatMap(({ normal, right, down }) =>
  [0, 1, 2, 3].map((place): Sticker => {
    const across = place % 2 === 0 ? -1 : 1;
    const along = place < 2 ? -1 : 1;
    const at = (axis: 0 | 1 | 2): number => normal[axis] + across * right[axis] + along * down[axis];
    return { corner: [at(0), at(1), at(2)], normal };
  }),
);

const dot = (a: Vector, b: Vector): number => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];

/** A quarter turn clockwise, seen from outside, around an axis of length 1. */
function rotate(vector: Vector, axis: Vector): Vector {
  const along = dot(vector, axis);
  return [
    axis[0] * along - (axis[1] * vector[2] - axis[2] * vector[1]),
    axis[1] * along - (axis[2] * vector[0] - axis[0] * vector[2]),
    axis[2] * along - (axis[0] * vector[1] - axis[1] * vector[0]),
  ];
}

const isSame = (a: Vector, b: Vector): boolean => a.every((value, axis) => value === b[axis]);

/** For each place the place whose sticker comes there. */
function sourcesOf(name: string): number[] {
  const { normal: axis } = faces[faceLetters.indexOf(name.charAt(0))]!;
  const clockwise = stickers.map((_, place) => place);
  for (const [from, { corner, normal }] of stickers.entries()) {
    if (dot(corner, axis) < 0) continue;
    const turnedCorner = rotate(corner, axis);
    const turnedNormal = rotate(normal, axis);
    const to = stickers.findIndex(
      (other) => isSame(other.corner, turnedCorner) && isSame(other.normal, turnedNormal),
    );
    clockwise[to] = from;
  }
  return name.endsWith("'") ? clockwise.map((_, place) => clockwise.indexOf(place)) : clockwise;
}

const sources = turnNames.map(sourcesOf);

/** Turns a face, by the number of its name. */
export function turn(cube: Cube, number: number): Cube {
  let turned = '';
  for (const from of sources[number]!) turned += cube[from]!;
  return turned;
}

/** Tells whether each face has one colour. */
export function isSolved(cube: Cube): boolean {
  for (let place = 0; place < cube.length; place++)
    if (cube[place] !== cube[place - (place % 4)]) return false;
  return true;
}

/** Two stickers of a face in a line of the unfolded cube. */
function lineOf(cube: Cube, face: number, line: number): string {
  const first = 4 * face + 2 * line;
  return `${cube[first]!} ${cube[first + 1]!}`;
}

/** The unfolded cube. */
export function netText(cube: Cube): string {
  const belt = (line: number): string => [1, 2, 3, 4].map((face) => lineOf(cube, face, line)).join(' ');
  const alone = (face: number): string[] => [0, 1].map((line) => `    ${lineOf(cube, face, line)}`);
  return [...alone(0), belt(0), belt(1), ...alone(5)].join('\n');
}

/** One line for each face. */
export function facesText(cube: Cube): string {
  return [...faceLetters]
    .map(
      (letter, face) =>
        `${letter} ${cube.slice(4 * face, 4 * face + 2)} ${cube.slice(4 * face + 2, 4 * face + 4)}`,
    )
    .join('\n');
}
