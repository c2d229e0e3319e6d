import type { Console } from '../console.js';
import { formatDuration } from './eta.js';

const reportMs = 5000;

/**
 * Says on standard error how far something long is and how long it may take: at its first part, then every few seconds.
 *
 * @param doing what is done, as the beginning of a sentence: `measuring`
 * @returns told the name of what is worked on, and how many of its parts are done
 */
export function createProgressNote(
  console: Console,
  doing: string,
): (name: string, done: number, total: number) => void {
  let last = Number.NEGATIVE_INFINITY;
  let begun = { name: '', done: 0, at: 0 };
  return (name, done, total) => {
    const now = Date.now();
    if (begun.name !== name || done < begun.done) begun = { name, done, at: now };
    if (now - last < reportMs || done === total) return;
    last = now;
    const finished = done - begun.done;
    const left =
      finished === 0 ? '' : `, about ${formatDuration(((now - begun.at) / finished) * (total - done))} left`;
    console.note(`${doing} ${name}: ${done} of ${total}${left}`);
  };
}
