/** @file One event: when, at which step, and what happened, in words. */
import type { RunRecord } from '../data/types.js';
import { useNow } from '../data/use-now.js';
import { formatAge, formatMoment, formatShare } from '../format/numbers.js';
import { Text } from '../parts/text.js';
import { Link } from '../routing/link.js';
import { toPath } from '../routing/router.js';

export function EventRow({ event, runId }: { readonly event: RunRecord; readonly runId: string }) {
  const now = useNow();
  return (
    <div className={`event ${event.kind}`}>
      <span className="faint small" title={formatMoment(event.time)}>
        {formatAge(event.time, now)}
      </span>
      <span className="small">
        {event.step === null ? (
          ''
        ) : (
          <Link href={`${toPath('runs', runId)}?step=${event.step}`}>step {event.step}</Link>
        )}
      </span>
      <span>
        <Text of={tellEvent(event)} />
      </span>
    </div>
  );
}

const withMessage = (text: string, message: string): string =>
  message === '' ? text : `${text}: ${message}`;

export function tellEvent({ body, attempt }: RunRecord): string {
  switch (body.__typename) {
    case 'StateEvent': {
      const what = { train: 'The run is', evaluate: 'An evaluation is', chat: 'A chat is' }[body.job];
      return withMessage(`${what} ${body.stateNow}`, body.message);
    }
    case 'CheckpointEvent':
      return `Saved ${body.folder.split('/').slice(-2).join('/')}`;
    case 'WarningEvent':
      return `Warning ${body.warning}: ${body.message}`;
    case 'MonitorEvent':
      return withMessage(`Health went from ${body.healthBefore} to ${body.health}`, body.message);
    case 'LevelEvent':
      return `Level ${body.levelBefore} → ${body.levelNow} of ${body.levels} at ${formatShare(body.successRate)} success`;
    case 'RunStartedEvent':
      return `Attempt ${attempt ?? body.attempt} began`;
    case 'RunEndedEvent':
      return withMessage(`Training ended: ${body.outcome}`, body.message);
    case 'ProcessEndedEvent':
      return withMessage(
        body.signal === null
          ? `Its process ended with ${body.exitCode ?? 'no code'}`
          : `Its process ended by ${body.signal}`,
        body.message,
      );
    default:
      return body.__typename;
  }
}
