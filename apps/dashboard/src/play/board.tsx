/** @file What is played by hand: a state, the actions that can be taken there, by button, by key or typed, and those that were. */
import { useEffect, useRef, useState } from 'react';
import type { PlayedState } from '../data/types.js';
import { formatCount, formatNumber } from '../format/numbers.js';
import { isTyping } from '../parts/is-typing.js';
import { Text } from '../parts/text.js';
import { Scene } from '../trajectories/scene.js';
import { actionOfKey } from './keys.js';

interface BoardProps {
  readonly state: PlayedState;
  /** what its picture shows */
  readonly alt: string;
  readonly isBusy: boolean;
  readonly played: readonly string[];
  onPlay(actions: readonly string[]): void;
}

/** A state: its picture, the actions that can be taken, the oracle's hint, and what was taken. */
export function Board({ state, alt, isBusy, played, onPlay }: BoardProps) {
  const { steps, ended } = state;
  const take = (action: string): void => onPlay([...played, action]);
  const place = useRef<HTMLDivElement>(null);
  // a button that was pressed may be gone, with the last action or the oracle's
  useEffect(() => {
    if (document.activeElement === document.body && steps.length > 0)
      place.current?.focus({ preventScroll: true });
  }, [steps.length]);
  usePressed((key) => {
    const action = actionOfKey(key, state.actions ?? []);
    if (action === undefined || isBusy || ended !== null) return false;
    take(action);
    return true;
  });
  return (
    <div className="sides board" ref={place} tabIndex={-1}>
      <Scene image={state.image} text={state.render === '' ? state.observation : state.render} alt={alt} />
      <div className="stack tight">
        {ended === null ? (
          <>
            <Choice actions={state.actions} isBusy={isBusy} take={take} />
            <Oracle state={state} isBusy={isBusy} take={take} />
          </>
        ) : (
          <p>
            <b className={ended === 'success' ? 'up' : 'down'}>
              {ended === 'success' ? 'Success' : 'The episode ended without success'}
            </b>{' '}
            <span className="muted">after {formatCount(steps.length, 'action')} by hand</span>
          </p>
        )}
        <Taken steps={steps} />
        {played.length > 0 && (
          <div className="row small">
            <span className="muted">
              reward {formatNumber(steps.reduce((sum, { reward }) => sum + reward, 0))} by hand
            </span>
            <button
              className="plain"
              aria-disabled={isBusy}
              onClick={() => !isBusy && onPlay(played.slice(0, -1))}
            >
              take one back
            </button>
            <button className="plain" aria-disabled={isBusy} onClick={() => !isBusy && onPlay([])}>
              start again
            </button>
          </div>
        )}
      </div>
    </div>
  );
}

/** Keys anywhere on the page, unless a field or what has the focus takes them. @param act whether it took the key */
function usePressed(act: (key: string) => boolean): void {
  const latest = useRef(act);
  latest.current = act;
  useEffect(() => {
    const press = (event: KeyboardEvent): void => {
      if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || isTyping(event)) return;
      if (latest.current(event.key)) event.preventDefault();
    };
    document.addEventListener('keydown', press);
    return () => document.removeEventListener('keydown', press);
  }, []);
}

interface ChoiceProps {
  readonly actions: readonly string[] | null;
  readonly isBusy: boolean;
  take(action: string): void;
}

/** The actions as buttons; a field where any text is one. */
function Choice({ actions, isBusy, take }: ChoiceProps) {
  const [text, setText] = useState('');
  if (actions !== null)
    return (
      <div className="row" role="group" aria-label="Actions">
        {actions.map((name) => (
          <button key={name} aria-disabled={isBusy} onClick={() => !isBusy && take(name)}>
            <Text of={name} />
          </button>
        ))}
      </div>
    );
  return (
    <form
      className="row"
      onSubmit={(event) => {
        event.preventDefault();
        if (text === '' || isBusy) return;
        take(text);
        setText('');
      }}
    >
      <input
        aria-label="Action"
        value={text}
        maxLength={1000}
        placeholder="any text is an action here"
        onChange={({ target }) => setText(target.value)}
      />
      <button aria-disabled={isBusy || text === ''}>Take</button>
    </form>
  );
}

interface OracleProps {
  readonly state: PlayedState;
  readonly isBusy: boolean;
  take(action: string): void;
}

function Oracle({ state: { hasOracle, plan }, isBusy, take }: OracleProps) {
  const [best] = plan ?? [];
  return (
    <p className="small muted">
      {!hasOracle ? (
        'This environment has no oracle.'
      ) : plan === null || best === undefined ? (
        'The oracle knows no way to success from here.'
      ) : (
        <>
          Oracle: {plan.length} more to success, <Text of={plan.slice(0, 8).join(', ')} />{' '}
          <button className="plain" aria-disabled={isBusy} onClick={() => !isBusy && take(best)}>
            take its action
          </button>
        </>
      )}
    </p>
  );
}

function Taken({ steps }: Pick<PlayedState, 'steps'>) {
  if (steps.length === 0) return null;
  return (
    <ol className="played small">
      {steps.map(({ action, reward, valid, effective, slipped }, index) => (
        <li key={index}>
          <b>
            <Text of={action} />
          </b>
          : reward {formatNumber(reward)}
          {!valid && <span className="down">, not legal</span>}
          {valid && !effective && <span className="muted">, no effect</span>}
          {slipped === true && <span className="muted">, slipped</span>}
        </li>
      ))}
    </ol>
  );
}
