/** @file The conversations of the run that this browser keeps: go back to one, or delete it. */
import { useState } from 'react';
import { useClockOffset } from '../data/clock.js';
import { useNow } from '../data/use-now.js';
import { formatAge, formatCount } from '../format/numbers.js';
import { toVisible } from '../format/visible-text.js';
import { Confirm } from '../parts/confirm.js';
import { Text } from '../parts/text.js';
import type { Summary } from './stored-form.js';

interface Props {
  readonly list: readonly Summary[];
  /** of the one that is open */
  readonly current: string;
  onOpen(one: Summary): void;
  onDelete(ids: readonly string[]): void;
}

export function ConversationList({ list, current, onOpen, onDelete }: Props) {
  // moments of this computer, as it kept them
  const now = useNow() - useClockOffset();
  const [isAsked, setAsked] = useState(false);
  if (list.length === 0) return null;
  return (
    <details className="kept-chats small">
      <summary>{formatCount(list.length, 'conversation')} kept in this browser</summary>
      <ul aria-label="Kept conversations">
        {list.map((one) => (
          <li key={one.id} className="row">
            <button
              className="plain cut"
              aria-current={one.id === current ? 'true' : undefined}
              onClick={() => onOpen(one)}
            >
              <Text of={one.title} />
            </button>
            <span className="muted">
              {one.step === null ? 'not sent' : `step ${one.step}`} ·{' '}
              {formatAge(new Date(one.changedAt).toISOString(), now)}
            </span>
            <button
              className="plain"
              aria-label={`Delete the conversation “${toVisible(one.title)}”`}
              title="Delete"
              onClick={() => onDelete([one.id])}
            >
              ✕
            </button>
          </li>
        ))}
      </ul>
      {list.length > 1 && (
        <button className="plain" onClick={() => setAsked(true)}>
          Delete all
        </button>
      )}
      {isAsked && (
        <Confirm
          title={`Delete ${list.length} conversations?`}
          yes="Delete them"
          no="Keep them"
          onAnswer={(isYes) => {
            setAsked(false);
            if (isYes) onDelete(list.map(({ id }) => id));
          }}
        >
          <p>They exist only in this browser, and cannot be restored.</p>
        </Confirm>
      )}
    </details>
  );
}
