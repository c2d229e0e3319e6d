/** @file The address of the page: a path, and search parameters that hold every filter, so that a link shows the same. */
import { useCallback, useMemo, useSyncExternalStore } from 'react';

const changed = 'espalier-navigate';

function subscribe(listener: () => void): () => void {
  window.addEventListener('popstate', listener);
  window.addEventListener(changed, listener);
  return () => {
    window.removeEventListener('popstate', listener);
    window.removeEventListener(changed, listener);
  };
}

/** Where the page is. */
export const address = (): string => window.location.pathname + window.location.search;

/** Goes to an address of this page. @param replace without an entry in the history */
export function navigate(to: string, { replace = false } = {}): void {
  if (to === address()) return;
  window.history[replace ? 'replaceState' : 'pushState'](null, '', to);
  window.dispatchEvent(new Event(changed));
  if (!replace) window.scrollTo(0, 0);
}

export const usePath = (): string => useSyncExternalStore(subscribe, () => window.location.pathname);

export type SearchChange = Readonly<Record<string, string | undefined>>;

/** The search parameters, and a way to change some; undefined and empty values leave the address. */
export function useSearch(): readonly [URLSearchParams, (change: SearchChange, push?: boolean) => void] {
  const search = useSyncExternalStore(subscribe, () => window.location.search);
  const params = useMemo(() => new URLSearchParams(search), [search]);
  const change = useCallback((values: SearchChange, push = false) => {
    const next = new URLSearchParams(window.location.search);
    for (const [name, value] of Object.entries(values))
      if (value === undefined || value === '') next.delete(name);
      else next.set(name, value);
    const text = next.toString();
    navigate(`${window.location.pathname}${text === '' ? '' : `?${text}`}`, { replace: !push });
  }, []);
  return [params, change];
}

/** A whole number of a search parameter; undefined: it is none. */
export const wholeNumber = (text: string | null): number | undefined =>
  text !== null && /^\d{1,9}$/.test(text) ? Number(text) : undefined;

/** A part of a path, as it is written in one. */
export const toPath = (...parts: readonly string[]): string =>
  `/${parts.flatMap((part) => part.split('/').map(encodeURIComponent)).join('/')}`;
