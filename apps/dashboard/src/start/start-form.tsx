/** @file What a form of a new run or a fork ends with: its name, start, and what the plan came to. */
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { toVisible } from '../format/visible-text.js';
import { ErrorNote } from '../parts/states.js';
import { useMayAct } from '../session/session-context.js';
import { PlanView } from './plan-view.js';
import type { Planned } from './use-plan.js';

interface Props<Started> {
  readonly what: 'run' | 'fork';
  readonly planned: Planned;
  readonly button: string;
  /** the text has lines, so that a problem has a place in it */
  readonly hasPlaces: boolean;
  /** @param given with the name that was typed, if any */
  start(given: { readonly name?: string }): Promise<Started>;
  onStarted(started: Started): void;
}

export function StartForm<Started>(props: Props<Started>) {
  const { what, planned, button, hasPlaces, start, onStarted } = props;
  const { plan, problems, error, isPending, wasEstimated, estimate } = planned;
  const mayAct = useMayAct();
  const [name, setName] = useState('');
  const starting = useMutation({
    mutationFn: () => start(name.trim() === '' ? {} : { name: name.trim() }),
    onSuccess: onStarted,
  });
  const isReady = plan !== undefined && problems.length === 0 && error === undefined && !isPending;
  return (
    <>
      <form
        className="row"
        onSubmit={(event) => {
          event.preventDefault();
          if (mayAct && isReady) starting.mutate();
        }}
      >
        {mayAct && (
          <>
            <input
              aria-label={`Name of the ${what}`}
              placeholder={plan?.name ?? 'name'}
              value={name}
              maxLength={200}
              onChange={({ target }) => setName(target.value)}
            />
            <button className="primary" disabled={!isReady || starting.isPending}>
              {button}
            </button>
          </>
        )}
        <span className="small faint" role="status">
          {isPending ? 'checking …' : isReady ? 'valid' : 'not valid yet'}
        </span>
      </form>
      {!mayAct && (
        <p className="muted">Your key is read-only. Starting a {what} needs a key with the operator role.</p>
      )}
      {starting.isError && <ErrorNote error={starting.error} />}
      {error !== undefined && !isPending && <ErrorNote error={error} retry={planned.retry} />}
      {problems.length > 0 && (
        <ul className="problems">
          {problems.map(({ line, column, message }) => (
            <li key={`${line}:${column} ${message}`}>
              {hasPlaces && (
                <span className="mono faint">
                  {line}:{column}{' '}
                </span>
              )}
              {toVisible(message)}
            </li>
          ))}
        </ul>
      )}
      {plan !== undefined && problems.length === 0 && (
        <PlanView plan={plan} wasEstimated={wasEstimated} onEstimate={estimate} />
      )}
    </>
  );
}
