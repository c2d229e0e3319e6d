/**
 * @file Removes nodes that no output needs, and operators that only rename (stopGradient).
 */
import type { Graph } from '../graph.js';
import { rebuild } from './rebuild.js';

/** A copy of the graph with only what its outputs need; all inputs stay. */
export function dropDeadNodes(graph: Graph): Graph {
  return rebuild(graph);
}
