/** @file Goes to the views that this key is asked to show, by a program or another window, and offers the way back. */
import { useEffect, useState } from 'react';
import { useLive } from '../data/use-live.js';
import { isFieldFocused } from '../parts/is-typing.js';
import { Text } from '../parts/text.js';
import { address, navigate, usePath } from '../routing/router.js';
import { useSession } from './session-context.js';

interface Shown {
  readonly path: string;
  readonly note: string | null;
  /** where the page was; undefined: it is still there, as somebody is at work */
  readonly before: string | undefined;
}

/** Whether going elsewhere now would take something away from somebody. */
const isBusy = (): boolean =>
  document.querySelector('dialog[open]') !== null ||
  isFieldFocused() ||
  // what is written there is in the page alone
  window.location.pathname === '/new' ||
  [...document.querySelectorAll('textarea')].some(({ value }) => value !== '');

export function ShownView() {
  const { client } = useSession();
  const [shown, setShown] = useState<Shown>();
  const path = usePath();
  useLive(
    'view',
    () => client.shownViews(),
    ({ path: asked, note }) => {
      const before = address();
      if (asked === before && note === null) return;
      if (isBusy()) return setShown({ path: asked, note, before: undefined });
      setShown({ path: asked, note, before });
      navigate(asked);
    },
  );
  // somebody went on
  useEffect(
    () => setShown((old) => (old?.before === undefined || old.path.split('?')[0] === path ? old : undefined)),
    [path],
  );
  if (shown === undefined) return null;
  const { before, note, path: asked } = shown;
  const go = (to: string): void => {
    setShown(undefined);
    navigate(to);
  };
  return (
    <div className="banner shown" role="status">
      <span>
        {before === undefined
          ? 'Something with your key asks to show another view'
          : 'Shown by something with your key'}
        {note === null ? '.' : ': '}
        {note !== null && <Text of={note} />}
      </span>
      {before === undefined ? (
        <button onClick={() => go(asked)}>Show it</button>
      ) : (
        before !== asked && <button onClick={() => go(before)}>Back</button>
      )}
      <button className="plain" onClick={() => setShown(undefined)}>
        Close
      </button>
    </div>
  );
}
