import { useEffect, useState } from 'react';
import { useClockOffset } from './clock.js';

/** The time by the server's clock, renewed every few seconds. */
export function useNow(everyMs = 10_000): number {
  const offset = useClockOffset();
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    const timer = window.setInterval(() => setNow(Date.now()), everyMs);
    return () => window.clearInterval(timer);
  }, [everyMs]);
  return now + offset;
}
