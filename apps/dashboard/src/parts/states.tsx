/** @file What stands where data would: an error with its remedy, a wait, nothing. */
import type { ReactNode } from 'react';
import { describeError } from '../data/errors.js';
import { Text } from './text.js';

interface ErrorProps {
  readonly error: unknown;
  /** what is missing for it; undefined: the place says so */
  readonly what?: string;
  readonly retry?: () => void;
}

export function ErrorNote({ error, what, retry }: ErrorProps) {
  return (
    <div className="error row between" role="alert">
      <span>
        {what !== undefined && `Not read: ${what}. `}
        <Text of={describeError(error)} />
      </span>
      {retry && <button onClick={retry}>Try again</button>}
    </div>
  );
}

export function Waiting({ what }: { readonly what: string }) {
  return (
    <div className="waiting" role="status">
      Reading {what} …
    </div>
  );
}

export function Notice({ title, children }: { readonly title: string; readonly children?: ReactNode }) {
  return (
    <div className="notice">
      <h2>{title}</h2>
      {children}
    </div>
  );
}
