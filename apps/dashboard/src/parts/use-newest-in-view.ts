import { type RefObject, type UIEvent, useEffect, useRef } from 'react';

interface NewestInView<T> {
  readonly log: RefObject<T>;
  /** whether its end is in view; set it to go there with what comes next */
  readonly isAtEnd: { current: boolean };
  onScroll(event: UIEvent<HTMLElement>): void;
}

/** The end of a list that grows stays in view until one scrolls up. @param of changes with the list */
export function useNewestInView<T extends HTMLElement>(of: unknown): NewestInView<T> {
  const log = useRef<T>(null);
  const isAtEnd = useRef(true);
  useEffect(() => {
    if (isAtEnd.current) log.current?.scrollTo({ top: log.current.scrollHeight });
  }, [of]);
  const onScroll = ({
    currentTarget: { scrollHeight, scrollTop, clientHeight },
  }: UIEvent<HTMLElement>): void => {
    isAtEnd.current = scrollHeight - scrollTop - clientHeight < 40;
  };
  return { log, isAtEnd, onScroll };
}
