import { Fragment } from 'react';
import { splitVisible } from '../format/visible-text.js';

/** Shows text that somebody else wrote, with marks where a character cannot be seen. */
export function Text({ of }: { readonly of: string }) {
  return (
    <>
      {splitVisible(of).map((part, index) =>
        typeof part === 'string' ? (
          <Fragment key={index}>{part}</Fragment>
        ) : (
          <span key={index} className="control" title={part.name}>
            {part.mark}
          </span>
        ),
      )}
    </>
  );
}
