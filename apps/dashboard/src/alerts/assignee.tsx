/** @file Who looks after an alert: chosen among the keys that may act on its run. */
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import type { Alert } from '../data/types.js';
import { toVisible } from '../format/visible-text.js';
import { ErrorNote } from '../parts/states.js';
import { Text } from '../parts/text.js';
import { useMayAct, useSession } from '../session/session-context.js';

type Assigned = Pick<Alert, 'id' | 'runId' | 'project' | 'assignee' | 'assigneeId'>;

/** Who may look after alerts of a project; read when it is needed. */
export function useAssignees(project: string | undefined) {
  const { client } = useSession();
  const mayAct = useMayAct();
  return useQuery({
    queryKey: ['assignees', project],
    meta: { what: 'who may look after alerts' },
    queryFn: () => client.overview.assignees(project ?? ''),
    enabled: mayAct && project !== undefined,
  });
}

export function Assignee({ of, label }: { readonly of: Assigned; readonly label: string }) {
  const { client, me } = useSession();
  const mayAct = useMayAct();
  const queries = useQueryClient();
  const { data: keys, refetch } = useAssignees(of.project);
  const assign = useMutation({
    mutationFn: (keyId: string) => client.overview.assign(of.id, keyId === '' ? null : keyId),
    onSuccess: async () => {
      await queries.invalidateQueries({ queryKey: ['alerts'] });
      await queries.invalidateQueries({ queryKey: ['alarms', of.runId] });
    },
  });
  if (!mayAct)
    return of.assignee === null ? <span className="faint">nobody</span> : <Text of={of.assignee} />;
  const isListed = of.assigneeId === null || keys?.some(({ keyId }) => keyId === of.assigneeId) === true;
  return (
    <>
      <select
        aria-label={label}
        value={of.assigneeId ?? ''}
        disabled={assign.isPending}
        onFocus={() => void refetch()}
        onChange={({ target }) => assign.mutate(target.value)}
      >
        <option value="">nobody</option>
        {!isListed && <option value={of.assigneeId ?? ''}>{toVisible(of.assignee ?? '')}</option>}
        {keys?.map(({ keyId, name }) => (
          <option key={keyId} value={keyId}>
            {toVisible(name)}
            {keyId === me.keyId ? ' (this key)' : ''}
          </option>
        ))}
      </select>
      {assign.error !== null && <ErrorNote error={assign.error} />}
    </>
  );
}
