/** @file What can go wrong in an episode, and how a trajectory says so. */

/** What went wrong in an episode, by the rules of docs/learn/failure-labels.md. Successes have labels too. */
export const failureLabels = {
  'format-failure': 'a reply lacks the required format or names no available action',
  'invalid-action': 'an action is not legal in its state',
  'no-op-loop': 'the same action is taken twice in a row without effect',
  cycle: 'two to four states are visited twice in the same order',
  misplanning: 'the way to success gets longer by what the agent does, or it ends the task without success',
  'dead-end': 'success can no longer be reached',
  'unlucky-slip': 'chance changes what an action does, and the way to success gets longer or the task ends',
  'premature-stop': 'the agent ends the task without success, with turns and actions left',
  'budget-exhausted': 'the turns, the actions or the context are used up without success',
  'reasoning-action-mismatch': 'the reasoning names actions, and none of them is taken',
} as const;
export type FailureLabel = keyof typeof failureLabels;

/** A label and the first turn it is about. */
export interface LabelRecord {
  readonly name: FailureLabel;
  /** from 0 */
  readonly turn: number;
}
