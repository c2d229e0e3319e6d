/**
 * @file The sampler's steps for episodes of known lengths, played through without a model: who is prefilled when, how
 * many rows each decoding step has. The sampler's own rules decide; environments are taken to answer at once.
 */
import { samplingRules } from '@espalier/engine';
import type { GraphCost } from '@espalier/graph';
import type { ExpectedTurn } from '@espalier/imitation';
import type { PrefixSizes, RunGraphs } from './run-graphs.js';

const { cutRuns, growWidth, isPrefillDue, isPrefixShared, LEAST_ROWS, paddedLength, roundUp, WIDTH_STEP } =
  samplingRules;

export interface SamplingWork {
  readonly prefills: readonly GraphCost[];
  readonly decodes: readonly GraphCost[];
  /** positions of the cache per row at the end, shared prompts left out */
  readonly width: number;
  readonly rows: number;
  /** shared prompts and positions of each */
  readonly prefixes: { readonly rows: number; readonly width: number };
  /** positions that a row needs where nothing is shared, as in a validation */
  readonly soloWidth: number;
  readonly sampledTokens: number;
}

interface Player {
  readonly turns: readonly ExpectedTurn[];
  readonly group: number;
  /** tokens of its prompt that are kept once for the group */
  shared: number;
  turn: number;
  /** tokens in its own row */
  own: number;
  /** tokens still to be drawn in this turn */
  left: number;
}

/**
 * @param groupSize episodes that share their first prompt, on average
 * @param isDevice  the cache is in a device's memory
 */
export function expectSampling(
  episodes: readonly (readonly ExpectedTurn[])[],
  groupSize: number,
  graphs: RunGraphs,
  isDevice = false,
): SamplingWork {
  const players = episodes.map((turns, index): Player => ({
    turns,
    group: Math.floor(index / groupSize),
    shared: groupSize > 1 && isPrefixShared(firstOf(turns), isDevice) ? firstOf(turns) : 0,
    turn: 0,
    own: 0,
    left: 0,
  }));
  const prefills: GraphCost[] = [];
  const decodes: GraphCost[] = [];
  let waiting = players.filter(({ turns }) => turns.length > 0);
  let active: Player[] = [];
  const prefixWidth = roundUp(Math.max(0, ...players.map(({ shared }) => shared)), WIDTH_STEP);
  let width = 0;
  let longest = 0;
  const settle = (): void => {
    for (const player of active) {
      if (player.left > 0) continue;
      longest = Math.max(longest, player.own + player.shared);
      player.turn += 1;
      if (isFresh(player)) {
        player.own = 0;
        player.shared = 0;
      }
      if (player.turn < player.turns.length) waiting.push(player);
    }
    active = active.filter(({ left }) => left > 0);
  };
  while (waiting.length + active.length > 0) {
    if (isPrefillDue(waiting.length, active.length)) {
      width = growWidth(width, greatest(waiting.map((player) => player.own + freshOf(player) + 1)));
      for (const run of prefill(waiting, { graphs, width, slots: players.length, prefixWidth }))
        prefills.push(run);
      for (const player of waiting) active.push(player);
      waiting = [];
      settle();
    }
    if (active.length === 0) continue;
    width = growWidth(width, greatest(active.map(({ own }) => own + 1)));
    // rows between active ones are computed too, a tenth on average; counted in eighths of the whole
    const step = Math.max(LEAST_ROWS, Math.ceil(players.length / 8));
    const rows = Math.min(players.length, roundUp(Math.max(LEAST_ROWS, active.length * 1.1), step));
    decodes.push(graphs.decode({ rows, width, ...prefixSizes(active, prefixWidth) }));
    for (const player of active) {
      player.own += 1;
      player.left -= 1;
    }
    settle();
  }
  const sampledTokens = episodes.flat().reduce((sum, { sampled }) => sum + sampled, 0);
  return {
    prefills,
    decodes,
    width,
    rows: players.length,
    sampledTokens,
    prefixes: {
      rows: prefixWidth === 0 ? 0 : Math.ceil(players.length / groupSize),
      width: prefixWidth,
    },
    soloWidth: roundUp(longest, WIDTH_STEP),
  };
}

/** The turn begins a window, so that nothing of it is cached. */
const isFresh = ({ turns, turn }: Player): boolean => turn === 0 || turns[turn]?.isFresh === true;
const firstOf = (turns: readonly ExpectedTurn[]): number => turns[0]?.shown ?? 0;
/** What a prefill computes: a later turn begins with the token that ended the reply before, drawn and not yet cached. */
const shownOf = (player: Player): number =>
  (player.turns[player.turn]?.shown ?? 0) + (isFresh(player) ? 0 : 1);
/** What a turn shows that goes to the row of the trajectory. */
const freshOf = (player: Player): number => shownOf(player) - (player.turn === 0 ? player.shared : 0);

/** Tokens of a trajectory once its turn is shown. */
const lengthAfter = (player: Player): number =>
  (player.turn === 0 ? 0 : player.shared) + player.own + shownOf(player);

/** The shared prompts a step reads: how many, members of the largest, positions. */
function prefixSizes(players: readonly Player[], width: number): { prefixes?: PrefixSizes } {
  const counts = new Map<number, number>();
  for (const { group, shared } of players) if (shared > 0) counts.set(group, 1 + (counts.get(group) ?? 0));
  if (counts.size === 0) return {};
  const rows = 1 + greatest([...counts.keys()]);
  return { prefixes: { rows, groupSize: greatest([LEAST_ROWS, ...counts.values()]), width } };
}

interface PrefillSetting {
  readonly graphs: RunGraphs;
  readonly width: number;
  readonly slots: number;
  readonly prefixWidth: number;
}

/** Prefills and draws the first token of each. Equal first prompts are computed once. */
function prefill(
  waiting: readonly Player[],
  { graphs, width, slots, prefixWidth }: PrefillSetting,
): GraphCost[] {
  const fresh = waiting.filter(isFresh);
  const grown = waiting.filter((player) => !isFresh(player));
  const keyOf = (player: Player): unknown => (player.turn === 0 ? player.group : player);
  const firsts = [...new Map(fresh.map((player) => [keyOf(player), player])).values()];
  const costs = [
    ...sizeRuns(firsts, false).map(({ rows, tokens }) =>
      graphs.prefill({
        rows,
        tokens,
        keys: 0,
        slots,
        width,
        draws: Math.ceil((rows * fresh.length) / Math.max(1, firsts.length)),
      }),
    ),
    ...sizeRuns(grown, true).map(({ rows, tokens, reach }) =>
      graphs.prefill({
        rows,
        tokens,
        draws: Math.max(LEAST_ROWS, rows),
        keys: roundUp(reach, WIDTH_STEP),
        slots,
        width,
        ...prefixSizes(grown, prefixWidth),
      }),
    ),
  ];
  for (const player of waiting) {
    player.own += freshOf(player);
    player.left = (player.turns[player.turn]?.sampled ?? 1) - 1;
  }
  return costs;
}

function sizeRuns(players: readonly Player[], hasPast: boolean) {
  return cutRuns(players, shownOf, hasPast).map((run) => ({
    rows: run.length,
    tokens: paddedLength(greatest(run.map(shownOf)), hasPast),
    reach: greatest(run.map(lengthAfter)),
  }));
}

const greatest = (values: readonly number[]): number =>
  values.reduce((most, value) => Math.max(most, value), -Infinity);
