/** @file The entry `@espalier/rollout/continue`: stored trajectories that are played again, and continued from a turn. */
export { continueTurn } from './continue-turn.js';
export { replayTurns } from './replay-turns.js';
