import { type RefObject, useEffect, useRef } from 'react';

/** Where a bar of links or choices is wider than the screen, the current one is scrolled into it. @param of changes with the current one */
export function useCurrentInView<T extends HTMLElement>(of: string): RefObject<T> {
  const bar = useRef<T>(null);
  useEffect(() => {
    const current = bar.current?.querySelector<HTMLElement>('[aria-current="page"], [aria-pressed="true"]');
    if (!bar.current || !current) return;
    const outer = bar.current.getBoundingClientRect();
    const inner = current.getBoundingClientRect();
    // not scrollIntoView, which moves the page too
    bar.current.scrollLeft += inner.left + inner.width / 2 - (outer.left + outer.width / 2);
  }, [of]);
  return bar;
}
