/** @file The keys of the page: `?` lists them, and `g` with a letter goes to a view. */
import { useEffect, useRef, useState } from 'react';
import { navigate } from '../routing/router.js';
import { Dialog } from './dialog.js';
import { isTyping } from './is-typing.js';

const views: Readonly<Record<string, readonly [path: string, name: string]>> = {
  r: ['/', 'runs'],
  n: ['/new', 'new run'],
  c: ['/compare', 'compare'],
  p: ['/play', 'play'],
  a: ['/alerts', 'alerts'],
  w: ['/workers', 'workers'],
};

const keys: readonly (readonly [place: string, keys: readonly (readonly [string, string])[]])[] = [
  [
    'Everywhere',
    [
      ['?', 'these keys'],
      ['/', 'to the search field of a list'],
      ...Object.entries(views).map(([key, [, name]]): [string, string] => [`g ${key}`, name]),
      ['Tab', 'to the next control; the first one skips to the content'],
      ['Esc', 'closes a dialog'],
    ],
  ],
  [
    'A run',
    [
      ['← →', 'step before or after, on the step bar and the lanes; with Shift several'],
      ['PageUp PageDown', 'ten steps'],
      ['Home End', 'first and last step'],
      ['↑ ↓', 'trajectory of the chosen steps before or after, on the step bar'],
      ['Enter', 'opens that trajectory'],
    ],
  ],
  [
    'A trajectory',
    [
      ['[ ]', 'trajectory before or after'],
      ['← →', 'token beside the chosen one; in playback one step'],
      ['e', 'next extreme token'],
      ['Space', 'plays and pauses'],
      [', .', 'turn before or after, in playback'],
      ['− +', 'slower, faster'],
    ],
  ],
  [
    'Rating',
    [
      ['← → t', 'the left one, the right one, a tie'],
      ['1 … 5', 'a number of a rubric'],
      ['y n', 'yes and no of a rubric'],
      ['Enter', 'sends it'],
      ['u', 'takes the last one back'],
    ],
  ],
  [
    'Playing by hand',
    [
      ['↑ ↓ ← →', 'actions that are named so'],
      ['1 … 9', 'the first nine actions'],
    ],
  ],
  [
    'The YAML',
    [
      ['Ctrl Space', 'completes'],
      ['Ctrl ]', 'indents; Tab leaves the editor'],
    ],
  ],
];

export function Shortcuts() {
  const [isOpen, setOpen] = useState(false);
  const pressedG = useRef(0);
  useEffect(() => {
    const press = (event: KeyboardEvent): void => {
      const { key, ctrlKey, metaKey, altKey } = event;
      if (ctrlKey || metaKey || altKey || isTyping(event)) return;
      const to = views[key]?.[0];
      if (key === '?') setOpen(true);
      else if (to !== undefined && event.timeStamp - pressedG.current < 1500) navigate(to);
      pressedG.current = key === 'g' ? event.timeStamp : Number.NEGATIVE_INFINITY;
    };
    document.addEventListener('keydown', press);
    return () => document.removeEventListener('keydown', press);
  }, []);
  return (
    <>
      <button className="plain keys" onClick={() => setOpen(true)} aria-label="Keys" title="Keys: ?">
        ?
      </button>
      {isOpen && (
        <Dialog label="Keys" onClose={() => setOpen(false)}>
          <h2>Keys</h2>
          <div className="key-list">
            {keys.map(([place, rows]) => (
              <section key={place}>
                <h3>{place}</h3>
                <dl>
                  {rows.map(([key, what]) => (
                    <div key={key}>
                      <dt>
                        <kbd>{key}</kbd>
                      </dt>
                      <dd>{what}</dd>
                    </div>
                  ))}
                </dl>
              </section>
            ))}
          </div>
          <menu>
            <button autoFocus onClick={() => setOpen(false)}>
              Close
            </button>
          </menu>
        </Dialog>
      )}
    </>
  );
}
