/** @file What the collapse monitor has done about the health of a run and is to do next, as checkpoints hold it. */
import { isCount, isRecord } from '@espalier/contracts/values';

/** Something to be done before the next iteration. */
export interface PendingAction {
  /** the option of the monitor that says what */
  readonly response: 'onWarning' | 'onCollapse';
  /** the last step whose weights the rules that fire have nothing against */
  readonly before: number;
}

/** Optimizer steps of each model. */
export interface ModelSteps {
  readonly policy: number;
  readonly critic: number;
}

export interface Recovery {
  readonly pending: PendingAction | null;
  /** numbers of the spec that roll-backs have changed, by path */
  readonly settings: Readonly<Record<string, number>>;
  readonly rollBacks: number;
  /** steps of checkpoints that a roll-back may return to, oldest first */
  readonly healthySteps: readonly number[];
  /** optimizer steps that the run makes beyond those that its settings plan, as they were others before */
  readonly extraSteps: ModelSteps;
}

export const startRecovery: Recovery = {
  pending: null,
  settings: {},
  rollBacks: 0,
  healthySteps: [],
  extraSteps: { policy: 0, critic: 0 },
};

function isPending(value: unknown): boolean {
  if (value === null) return true;
  if (!isRecord(value)) return false;
  const { response, before } = value;
  return (response === 'onWarning' || response === 'onCollapse') && isCount(before);
}

/** Whether a stored value is a recovery. */
export function isRecovery(value: unknown): value is Recovery {
  if (!isRecord(value)) return false;
  const { pending, settings, rollBacks, healthySteps, extraSteps } = value;
  return (
    isPending(pending) &&
    isRecord(settings) &&
    Object.values(settings).every(Number.isFinite) &&
    isCount(rollBacks) &&
    Array.isArray(healthySteps) &&
    healthySteps.every(isCount) &&
    isRecord(extraSteps) &&
    Number.isSafeInteger(extraSteps['policy']) &&
    Number.isSafeInteger(extraSteps['critic'])
  );
}
