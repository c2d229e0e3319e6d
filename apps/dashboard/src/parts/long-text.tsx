import { useState } from 'react';
import { Text } from './text.js';

const first = 4000;
const more = 20_000;

/** A text of any length: its beginning, and more on request, so that a page with many stays quick. */
export function LongText({ of }: { readonly of: string }) {
  const [shown, setShown] = useState(first);
  if (of.length <= shown) return <Text of={of} />;
  return (
    <>
      <Text of={of.slice(0, shown)} />
      <span className="more">
        {' … '}
        <button className="plain" onClick={() => setShown(shown + more)}>
          {(of.length - shown).toLocaleString('en')} more characters
        </button>
      </span>
    </>
  );
}
