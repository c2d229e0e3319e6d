import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useNow } from '../data/use-now.js';
import type { Alarm } from '../data/types.js';
import { formatAge } from '../format/numbers.js';
import { ErrorNote } from '../parts/states.js';
import { Text } from '../parts/text.js';
import { useMayAct, useSession } from '../session/session-context.js';

const judgements = { confirmed: 'Real', 'false-alarm': 'False alarm', unclear: 'Unclear' } as const;
type Judgement = keyof typeof judgements;

/** What users say of an alarm; each key has one word. */
export function VerdictForm({ alarm }: { readonly alarm: Alarm }) {
  const { client, me } = useSession();
  const mayAct = useMayAct();
  const now = useNow();
  const queries = useQueryClient();
  const own = alarm.verdicts.find(({ keyId }) => keyId === me.keyId);
  const [reason, setReason] = useState(own?.reason ?? '');
  const judge = useMutation({
    mutationFn: (judgement: Judgement) => client.verdicts.judge(alarm.id, { judgement, reason }),
    onSuccess: async () => {
      await queries.invalidateQueries({ queryKey: ['alarms', alarm.runId] });
      await queries.invalidateQueries({ queryKey: ['alert-record'] });
    },
  });
  return (
    <section className="verdict">
      <h3>Was it right?</h3>
      {mayAct && (
        <>
          <input
            aria-label="Why"
            placeholder="Why (optional)"
            maxLength={20_000}
            value={reason}
            onChange={({ target }) => setReason(target.value)}
          />
          <div className="segmented" role="group" aria-label="Verdict">
            {(Object.keys(judgements) as Judgement[]).map((one) => (
              <button
                key={one}
                aria-pressed={own?.judgement === one}
                disabled={judge.isPending}
                onClick={() => judge.mutate(one)}
              >
                {judgements[one]}
              </button>
            ))}
          </div>
        </>
      )}
      {judge.error !== null && <ErrorNote error={judge.error} />}
      {alarm.verdicts.length === 0 && <p className="muted small">Nobody has said yet.</p>}
      <ul>
        {alarm.verdicts.map(({ keyId, createdBy, judgement, reason: why, time }) => (
          <li key={keyId} className="small">
            <b>
              <Text of={createdBy} />
            </b>{' '}
            {judgements[judgement]} <span className="faint">{formatAge(time, now)}</span>
            {why !== '' && (
              <div className="muted">
                <Text of={why} />
              </div>
            )}
          </li>
        ))}
      </ul>
    </section>
  );
}
