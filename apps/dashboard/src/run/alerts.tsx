import { useAcknowledge } from '../data/alert-changes.js';
import { usePages } from '../data/use-pages.js';
import { Badge } from '../parts/badge.js';
import { More } from '../parts/more.js';
import { ErrorNote } from '../parts/states.js';
import { Text } from '../parts/text.js';
import { Link } from '../routing/link.js';
import { toPath } from '../routing/router.js';
import { useMayAct, useSession } from '../session/session-context.js';

/** Alerts that nobody has acknowledged. */
export function Alerts({ runId }: { readonly runId: string }) {
  const { client } = useSession();
  const mayAct = useMayAct();
  const alerts = usePages({
    queryKey: ['alerts', runId],
    read: (page) => client.overview.alerts({ runId, open: true }, page),
    count: () => client.totals.alerts({ runId, open: true }),
    portion: 20,
  });
  const acknowledge = useAcknowledge();
  return (
    <>
      {alerts.items?.map(({ id, severity, step, message }) => (
        <div key={id} className="alert small">
          <Badge of={severity} />
          {step !== null && <Link href={`${toPath('runs', runId)}?step=${step}`}>step {step}</Link>}
          <span className="muted">
            <Text of={message} />
          </span>
          <Link href={`${toPath('runs', runId, 'verdicts')}?alarm=${id}`}>Evidence</Link>
          {mayAct && (
            <button
              className="plain"
              disabled={acknowledge.isPending}
              onClick={() => acknowledge.mutate([id])}
            >
              Acknowledge
            </button>
          )}
        </div>
      ))}
      {alerts.items !== undefined && <More of={alerts} what="open alerts" />}
      {alerts.error !== null && <ErrorNote error={alerts.error} retry={alerts.refetch} />}
      {acknowledge.error !== null && <ErrorNote error={acknowledge.error} />}
    </>
  );
}
