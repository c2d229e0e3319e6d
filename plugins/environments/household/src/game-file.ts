/** @file ALFWorld's own games: finds `game.tw-pddl` files and reads one into a level. */
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { AppError } from '@espalier/plugin-kit';
import { buildHouse, type House, type HouseState, type Wording } from './house.js';
import { invalidGame, readProblem } from './pddl.js';
import { readGoal, type Task } from './task.js';

/** A house, its start and what to do there. */
export interface Level {
  readonly house: House;
  readonly start: HouseState;
  readonly task: Task;
  /** such as `Your task is to: put a mug in cabinet.` */
  readonly sentence: string;
}

/** Largest file; those of ALFWorld have about 100 kB. */
const maxBytes = 16 * 2 ** 20;

/**
 * Finds games: the file itself, or every `game.tw-pddl` in a folder, in the order of their paths. Like ALFWorld, leaves out tasks with
 * sliced things and with vessels that are carried.
 *
 * @throws plugin.failed where there is none
 */
export function findGames(path: string): readonly string[] {
  const root = resolve(path);
  const stats = statSync(root, { throwIfNoEntry: false });
  if (stats === undefined)
    throw new AppError(
      'plugin.failed',
      `read ${root}: there is no such file or folder; correct the path in \`games\``,
      {
        details: { path: root },
      },
    );
  const games = stats.isFile()
    ? [root]
    : readdirSync(root, { recursive: true, encoding: 'utf8' })
        .filter((file) => /(^|[/\\])game\.tw-pddl$/.test(file) && !/movable|Sliced/.test(file))
        .sort()
        .map((file) => join(root, file));
  if (games.length === 0)
    throw new AppError(
      'plugin.failed',
      `read ${root}: the folder has no game.tw-pddl; give a folder of ALFWorld's data, such as json_2.1.1/train`,
      { details: { path: root } },
    );
  return games;
}

/**
 * Reads a game.
 *
 * @returns undefined for a game that is marked as unsolvable
 * @throws plugin.failed with what is wrong, where, and what to do
 */
export function readGame(file: string): Level | undefined {
  const { isSolvable, problemText, domain, grammar } = readParts(file);
  if (!isSolvable) return undefined;
  const problem = readProblem(problemText, `${file}, pddl_problem`);
  const agent = [...problem.objects].find(([, type]) => type === 'agent')?.[0];
  if (agent === undefined)
    throw invalidGame(file, 'pddl_problem has no object of type agent; give a game of ALFWorld');
  const task = readGoal(problem.goal);
  if (typeof task === 'string')
    throw invalidGame(file, `pddl_problem: ${task}; remove the file or give one of ALFWorld's six types`);
  const { house, start } = buildHouse(problem.facts, agent, readWording(domain, grammar));
  if (start.at < 0)
    throw invalidGame(file, `pddl_problem has no (atLocation ${agent} …); give a complete game of ALFWorld`);
  if (house.receptacles.every(({ location }) => location < 0))
    throw invalidGame(file, 'pddl_problem has no (receptacleAtLocation …); give a complete game of ALFWorld');
  return { house, start, task, sentence: readSentence(grammar, file) };
}

function readParts(file: string): {
  readonly isSolvable: boolean;
  readonly problemText: string;
  readonly domain: string;
  readonly grammar: string;
} {
  let raw: unknown;
  try {
    if (statSync(file).size > maxBytes) throw new Error(`it has more than ${maxBytes} bytes`);
    raw = JSON.parse(readFileSync(file, 'utf8'));
  } catch (error) {
    const finding = error instanceof Error ? error.message : String(error);
    throw invalidGame(file, `${finding}; give a game.tw-pddl of ALFWorld, which is JSON`);
  }
  const parts = new Map(typeof raw === 'object' && raw !== null ? Object.entries(raw) : []);
  const text = (name: string): string => {
    const value: unknown = parts.get(name);
    if (typeof value !== 'string')
      throw invalidGame(file, `"${name}" is no text; give a game.tw-pddl of ALFWorld, which has it`);
    return value;
  };
  return {
    isSolvable: parts.get('solvable') !== false,
    problemText: text('pddl_problem'),
    domain: text('pddl_domain'),
    grammar: text('grammar'),
  };
}

/** Games keep the sentences and commands of their time. */
const readWording = (domain: string, grammar: string): Wording => ({
  arrival: grammar.includes('You arrive at {lend.name}') ? 'location' : 'receptacle',
  put: /put \{o\} in\/on \{r\}/.test(grammar) ? 'put' : 'move',
  hasHelp: /\(:action\s+help\b/i.test(domain),
});

function readSentence(grammar: string, file: string): string {
  const [, quoted] = /"rhs"\s*:\s*("Your task is to: (?:[^"\\]|\\.)*")/.exec(grammar) ?? [];
  if (quoted === undefined || quoted.includes('UNKNOWN GOAL'))
    throw invalidGame(file, 'its grammar has no "Your task is to: …"; give a game that ALFWorld has written');
  try {
    return JSON.parse(quoted) as string;
  } catch {
    throw invalidGame(
      file,
      'its grammar has a "Your task is to: …" that is no JSON string; give a game that ALFWorld has written',
    );
  }
}
