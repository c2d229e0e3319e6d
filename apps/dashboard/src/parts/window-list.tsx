/** @file A list that scrolls with the page, of which only what is near the screen is drawn. */
import { useWindowVirtualizer } from '@tanstack/react-virtual';
import { type ReactNode, useImperativeHandle, useLayoutEffect, useRef, useState, type Ref } from 'react';

/** Lists up to this long are drawn whole, so that the browser can search them. */
const wholeCount = 60;

export interface WindowListHandle {
  scrollTo(index: number): void;
}

interface Props {
  readonly count: number;
  readonly className?: string;
  readonly label?: string;
  readonly handle?: Ref<WindowListHandle>;
  /** pixels between two items */
  readonly gap?: number;
  /** about how high an item is, until it is measured */
  estimate(index: number): number;
  render(index: number): ReactNode;
}

export function WindowList({ count, className = '', label, handle, gap = 0, estimate, render }: Props) {
  const place = useRef<HTMLOListElement>(null);
  const [top, setTop] = useState(0);
  useLayoutEffect(() => {
    const measure = (): void => {
      const list = place.current;
      if (list !== null) setTop(Math.round(list.getBoundingClientRect().top + window.scrollY));
    };
    measure();
    // what stands above it may grow
    const observer = new ResizeObserver(measure);
    observer.observe(document.body);
    return () => observer.disconnect();
  }, []);
  const rows = useWindowVirtualizer({
    count,
    gap,
    estimateSize: estimate,
    overscan: count <= wholeCount ? count : 3,
    scrollMargin: top,
  });
  useImperativeHandle(handle, () => ({ scrollTo: (index) => rows.scrollToIndex(index, { align: 'start' }) }));
  return (
    <ol
      ref={place}
      className={`window-list ${className}`}
      aria-label={label}
      style={{ height: rows.getTotalSize() }}
    >
      {rows.getVirtualItems().map(({ index, key, start }) => (
        <li
          key={key}
          ref={rows.measureElement}
          data-index={index}
          aria-setsize={count}
          aria-posinset={index + 1}
          style={{ transform: `translateY(${start - rows.options.scrollMargin}px)` }}
        >
          {render(index)}
        </li>
      ))}
    </ol>
  );
}
