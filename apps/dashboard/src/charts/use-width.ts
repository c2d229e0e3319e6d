import { type RefObject, useEffect, useState } from 'react';

/** Width of an element in whole pixels as it is now; 0 before it is drawn. */
export function useWidth(place: RefObject<HTMLElement>): number {
  const [width, setWidth] = useState(0);
  useEffect(() => {
    const element = place.current;
    if (element === null) return undefined;
    const watch = new ResizeObserver(([entry]) => setWidth(Math.floor(entry?.contentRect.width ?? 0)));
    watch.observe(element);
    return () => watch.disconnect();
  }, [place]);
  return width;
}
