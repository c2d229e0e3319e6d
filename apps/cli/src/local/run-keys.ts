/** @file The keys of `train`: stop after this step, save, pause the live view, help. */
import type { EventSink } from '@espalier/contracts';
import type { Trainer } from '@espalier/trainer';
import type { RunView } from '../view/create-view.js';
import { kindOfRow } from '../view/run-progress.js';

export const trainKeys =
  'q stop after this step, s save after this step, p pause the live view, Ctrl-C stop after this turn';

/** Tells a stop after the current step when that step is complete. */
export interface StepStop extends EventSink {
  isWanted: boolean;
  /** called at the end of the step */
  stop: () => void;
}

/** Creates a sink that stops a run between two steps, so that no work is lost. */
export function createStepStop(): StepStop {
  const stepStop: StepStop = {
    isWanted: false,
    stop: () => undefined,
    emit(event) {
      if (stepStop.isWanted && event.kind === 'metrics' && kindOfRow(event.values) === 'step')
        stepStop.stop();
    },
    flush: () => Promise.resolve(),
  };
  return stepStop;
}

/** Lists what each key does. */
export function keysOfRun(
  view: RunView,
  trainer: Pick<Trainer, 'requestCheckpoint'>,
  stepStop: StepStop,
): Record<string, () => void> {
  return {
    q: () => {
      stepStop.isWanted = !stepStop.isWanted;
      view.say(stepStop.isWanted ? 'stopping after this step (q again: continue)' : 'continuing');
    },
    s: () => {
      trainer.requestCheckpoint();
      view.say('saving after this step');
    },
    p: () => view.togglePause(),
    '?': () => view.say(trainKeys),
  };
}
