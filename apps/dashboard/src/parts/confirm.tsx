import type { ReactNode } from 'react';
import { Dialog } from './dialog.js';

interface Question {
  readonly title: string;
  readonly children: ReactNode;
  readonly yes: string;
  readonly no?: string;
  onAnswer(isYes: boolean): void;
}

/** Asks before something that cannot be undone. */
export function Confirm({ title, children, yes, no = 'Keep it running', onAnswer }: Question) {
  return (
    <Dialog label={title} onClose={() => onAnswer(false)}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          onAnswer(true);
        }}
      >
        <h2>{title}</h2>
        <div>{children}</div>
        <menu>
          <button type="button" onClick={() => onAnswer(false)}>
            {no}
          </button>
          <button className="danger">{yes}</button>
        </menu>
      </form>
    </Dialog>
  );
}
