/**
 * @file The best way to act on a lake whose ice slips, by value iteration, and a plan made from it.
 */
import { distances, type LakeMap, neighbour } from './map.js';

/** Patience: with the usual ten actions, 0.95 wins most often; more caution runs out of actions. */
const DISCOUNT = 0.95;

/** Discounted chance to reach the goal from every cell when the best action is always taken. */
export function cellValues(map: LakeMap, successRate: number): Float64Array {
  const values = new Float64Array(map.holes.length); // [size²]
  values[map.goal] = 1;
  for (let sweep = 0; sweep < 1000; sweep++) {
    let change = 0;
    for (let cell = 0; cell < values.length; cell++) {
      if (map.holes[cell] === 1 || cell === map.goal) continue;
      let best = 0;
      for (let action = 0; action < 4; action++)
        best = Math.max(best, actionValue(map, values, cell, action, successRate));
      change = Math.max(change, Math.abs(best - values[cell]!));
      values[cell] = best;
    }
    if (change < 1e-9) break;
  }
  return values;
}

function actionValue(
  map: LakeMap,
  values: Float64Array,
  cell: number,
  action: number,
  successRate: number,
): number {
  const ahead = values[neighbour(cell, action, map.size)]!;
  const left = values[neighbour(cell, action + 3, map.size)]!;
  const right = values[neighbour(cell, action + 1, map.size)]!;
  return DISCOUNT * (successRate * ahead + ((1 - successRate) / 2) * (left + right));
}

/** The best action in a cell; the first of equals. */
export function bestAction(map: LakeMap, values: Float64Array, cell: number, successRate: number): number {
  let best = 0;
  let bestValue = -1;
  for (let action = 0; action < 4; action++) {
    const value = actionValue(map, values, cell, action, successRate);
    if (value > bestValue + 1e-12) {
      best = action;
      bestValue = value;
    }
  }
  return best;
}

/**
 * Follows the best actions to the goal as if no step slipped. Where the best action leans on the border to wait for
 * a slip, it continues from the better side; where that would loop, along the shortest safe path.
 * Empty when the goal cannot be reached.
 */
export function planFrom(map: LakeMap, values: Float64Array, cell: number, successRate: number): number[] {
  const plan: number[] = [];
  const steps = distances(map);
  const visited = new Set<number>();
  let here = cell;
  let cautious = true;
  while (here !== map.goal) {
    if (map.holes[here] === 1 || steps[here]! < 0) return [];
    cautious &&= !visited.has(here);
    visited.add(here);
    const action = cautious ? bestAction(map, values, here, successRate) : shortestAction(map, steps, here);
    plan.push(action);
    const next = neighbour(here, action, map.size);
    here = next === here || map.holes[next] === 1 ? betterSide(map, values, here, action) : next;
  }
  return plan;
}

function shortestAction(map: LakeMap, steps: Int32Array, cell: number): number {
  for (let action = 0; action < 4; action++) {
    const next = neighbour(cell, action, map.size);
    if (next !== cell && steps[next] === steps[cell]! - 1) return action;
  }
  throw new RangeError(
    `shortestAction: cell ${cell} has no way to the goal; expected a cell with a distance`,
  );
}

function betterSide(map: LakeMap, values: Float64Array, cell: number, action: number): number {
  const left = neighbour(cell, action + 3, map.size);
  const right = neighbour(cell, action + 1, map.size);
  return values[left]! > values[right]! ? left : right;
}
