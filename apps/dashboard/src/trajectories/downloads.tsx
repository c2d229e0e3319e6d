import { useState } from 'react';
import { offerFile } from '../parts/offer-file.js';
import { ErrorNote } from '../parts/states.js';
import { useSession } from '../session/session-context.js';

/** Saves a trajectory as a file: all that is stored of it, or what other tools read. */
export function Downloads({ runId, id }: { readonly runId: string; readonly id: string }) {
  const { client } = useSession();
  const [state, setState] = useState<{ readonly isBusy: boolean; readonly error?: unknown }>({
    isBusy: false,
  });
  const save = async (kind: 'json' | 'atif'): Promise<void> => {
    // not disabled: a button that is loses the focus
    if (state.isBusy) return;
    setState({ isBusy: true });
    try {
      const value =
        kind === 'json'
          ? await client.trajectories.get(runId, id)
          : await client.trajectories.atif(runId, id);
      const name = `${runId}-${id.replaceAll('/', '-')}${kind === 'atif' ? '.atif' : ''}.json`;
      offerFile(name, new Blob([JSON.stringify(value, null, 1)], { type: 'application/json' }));
      setState({ isBusy: false });
    } catch (error) {
      setState({ isBusy: false, error });
    }
  };
  return (
    <>
      <button aria-disabled={state.isBusy} onClick={() => void save('json')} title="All that is stored of it">
        JSON
      </button>
      <button
        aria-disabled={state.isBusy}
        onClick={() => void save('atif')}
        title="The format of Harbor, with token ids and log-probabilities"
      >
        ATIF
      </button>
      {state.error !== undefined && <ErrorNote error={state.error} />}
    </>
  );
}
