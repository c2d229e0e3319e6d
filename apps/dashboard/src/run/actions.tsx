/** @file What can be done to a run, as its state and the role of the key allow. */
import type { JobState } from '../data/types.js';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { Confirm } from '../parts/confirm.js';
import { ErrorNote } from '../parts/states.js';
import { Text } from '../parts/text.js';
import { useMayAct, useSession } from '../session/session-context.js';
import { type Action, actionsOf } from './actions-of-state.js';

const words: Readonly<Record<Action, string>> = { pause: 'Pause', resume: 'Resume', cancel: 'Cancel' };

interface Props {
  readonly run: {
    readonly id: string;
    readonly title: string;
    readonly name: string;
    readonly state: JobState;
    readonly imported: boolean;
  };
}

export function RunActions({ run }: Props) {
  const { client } = useSession();
  const mayAct = useMayAct();
  const queries = useQueryClient();
  const [isAsking, setAsking] = useState(false);
  const act = useMutation({
    mutationFn: (action: Action) => client.runs[action](run.id),
    onSuccess: () => {
      void queries.invalidateQueries({ queryKey: ['runs'] });
      void queries.invalidateQueries({ queryKey: ['run', run.id] });
    },
  });
  if (!mayAct) return null;
  return (
    <>
      {actionsOf(run.state, run.imported).map((action) => (
        <button
          key={action}
          className={action === 'cancel' ? 'danger' : ''}
          disabled={act.isPending}
          onClick={() => (action === 'cancel' ? setAsking(true) : act.mutate(action))}
        >
          {words[action]}
        </button>
      ))}
      {act.isError && <ErrorNote error={act.error} retry={() => act.reset()} />}
      {isAsking && (
        <Confirm
          title="Cancel this run?"
          yes="Cancel run"
          onAnswer={(isYes) => {
            setAsking(false);
            if (isYes) act.mutate('cancel');
          }}
        >
          <b>
            <Text of={run.title || run.name} />
          </b>{' '}
          saves a checkpoint and stops. It can be resumed from there.
        </Confirm>
      )}
    </>
  );
}
