/** @file A fork from a checkpoint: only the changed settings, what it takes, the plan with sources, start. */
import type { RunDetails } from '@espalier/client';
import { useQueryClient } from '@tanstack/react-query';
import { type RefObject, useEffect, useRef, useState } from 'react';
import { toVisible } from '../format/visible-text.js';
import { useSession } from '../session/session-context.js';
import { StartForm } from './start-form.js';
import { type Change, changesOf, overridesOf } from './spec-text.js';
import { usePlan } from './use-plan.js';

interface Props {
  readonly run: RunDetails;
  readonly step: number;
  /** those that can be forked */
  readonly steps: readonly number[];
  onStep(step: number): void;
  onStarted(): void;
  onClose(): void;
}

const blank: Change = { path: '', value: '' };

/** Shows an element once it is there: below the tree, where there is no room beside it. */
function useScrolledIntoView(): RefObject<HTMLElement> {
  const place = useRef<HTMLElement>(null);
  useEffect(() => {
    // newer browsers return a promise, which is no way to end an effect
    void place.current?.scrollIntoView({ block: 'nearest' });
  }, []);
  return place;
}

export function ForkPanel({ run, step, steps, onStep, onStarted, onClose }: Props) {
  const { client } = useSession();
  const queries = useQueryClient();
  const [changes, setChanges] = useState<readonly Change[]>([blank]);
  const [isContinued, setContinued] = useState(true);
  const [hasTwin, setTwin] = useState(true);
  const place = useScrolledIntoView();
  const overrides = overridesOf(changes);
  const input = { step, overrides, continue: isContinued };
  const planned = usePlan(JSON.stringify(input), (withEstimate) =>
    client.runs.planFork(run.id, { ...input, estimate: withEstimate }),
  );
  const { plan } = planned;
  const isTwin = isContinued && plan !== undefined && plan.differences.length === 0;
  const change = (at: number, next: Partial<Change>): void => {
    const edited = changes.map((one, index) => (index === at ? { ...one, ...next } : one));
    setChanges(edited.every(({ path }) => path !== '') ? [...edited, blank] : edited);
  };
  const options = changesOf(run.spec);
  return (
    <section ref={place} className="card fork-panel" aria-label="Fork">
      <header>
        <h2>
          Fork {toVisible(run.title || run.name)} from step {step}
        </h2>
        <button className="plain" onClick={onClose} aria-label="Close the fork">
          ✕
        </button>
      </header>
      <div className="pad stack">
        <label className="row">
          Checkpoint of step
          <select value={step} onChange={({ target }) => onStep(Number(target.value))}>
            {[...new Set([...steps, step])]
              .sort((a, b) => b - a)
              .map((one) => (
                <option key={one}>{one}</option>
              ))}
          </select>
        </label>
        <ChangeRows changes={changes} options={options} onChange={change} />
        <TakeChoice isContinued={isContinued} hasTwin={hasTwin} onContinued={setContinued} onTwin={setTwin} />
        <StartForm
          what="fork"
          planned={planned}
          button={isTwin ? 'Start the twin' : isContinued && hasTwin ? 'Start fork and twin' : 'Start fork'}
          hasPlaces={false}
          start={(given) => client.runs.fork(run.id, { ...input, twin: isContinued && hasTwin, ...given })}
          onStarted={() => {
            void queries.invalidateQueries({ queryKey: ['family'] });
            onStarted();
          }}
        />
      </div>
    </section>
  );
}

interface ChangeRowsProps {
  readonly changes: readonly Change[];
  /** of the parent, with their values */
  readonly options: readonly (readonly [string, string])[];
  onChange(at: number, next: Partial<Change>): void;
}

/** An option and its new value in each row; the last one is empty. */
function ChangeRows({ changes, options, onChange }: ChangeRowsProps) {
  const values = new Map(options);
  return (
    <div className="changes">
      {changes.map(({ path, value }, at) => (
        <div className="row" key={at}>
          <input
            className="mono"
            list="fork-options"
            aria-label={`Option ${at + 1}`}
            placeholder="option, such as optimizer.learningRate"
            value={path}
            onChange={({ target }) => onChange(at, { path: target.value })}
          />
          <input
            className="mono value"
            aria-label={`Value ${at + 1}`}
            placeholder={values.get(path) ?? 'value'}
            value={value}
            onChange={({ target }) => onChange(at, { value: target.value })}
          />
        </div>
      ))}
      <datalist id="fork-options">
        {options.map(([path]) => (
          <option key={path} value={path} />
        ))}
      </datalist>
    </div>
  );
}

interface TakeChoiceProps {
  readonly isContinued: boolean;
  readonly hasTwin: boolean;
  onContinued(isContinued: boolean): void;
  onTwin(hasTwin: boolean): void;
}

function TakeChoice({ isContinued, hasTwin, onContinued, onTwin }: TakeChoiceProps) {
  return (
    <div className="stack tight">
      <label className="row">
        <input type="checkbox" checked={isContinued} onChange={({ target }) => onContinued(target.checked)} />
        <span>
          Continue with everything
          <span className="muted small">
            {' '}
            optimizer state, critic, counters, curricula and monitor; otherwise only the weights
          </span>
        </span>
      </label>
      <label className="row">
        <input
          type="checkbox"
          checked={isContinued && hasTwin}
          disabled={!isContinued}
          onChange={({ target }) => onTwin(target.checked)}
        />
        <span>
          Twin
          <span className="muted small">
            {' '}
            also runs the unchanged fork, which must reproduce its parent bit for bit
          </span>
        </span>
      </label>
    </div>
  );
}
