/** @file What a view could not read and shows no place for: named together, with one button that asks again. */
import { type Query, useQueryClient } from '@tanstack/react-query';
import { useCallback, useSyncExternalStore } from 'react';
import { ErrorNote } from './states.js';

declare module '@tanstack/react-query' {
  interface Register {
    readonly queryMeta: {
      /** what it asks for, as "Not read: …" names it; undefined: its own view says when it fails */
      readonly what?: string;
    };
  }
}

const isUnread = ({ meta, state }: Query): boolean =>
  meta?.what !== undefined && state.status === 'error' && state.fetchStatus === 'idle';

export function Unread() {
  const cache = useQueryClient().getQueryCache();
  const find = useCallback(() => cache.findAll({ type: 'active', predicate: isUnread }), [cache]);
  useSyncExternalStore(
    useCallback((listen: () => void) => cache.subscribe(listen), [cache]),
    () =>
      find()
        .map(({ queryHash, state }) => `${queryHash} ${state.errorUpdateCount}`)
        .join('\n'),
  );
  const unread = find();
  const [first] = unread;
  if (first === undefined) return null;
  return (
    <ErrorNote
      error={first.state.error}
      what={[...new Set(unread.map(({ meta }) => meta?.what))].join(', ')}
      retry={() => unread.forEach((query) => void query.fetch().catch(() => undefined))}
    />
  );
}
