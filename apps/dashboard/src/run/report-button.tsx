import { useMutation } from '@tanstack/react-query';
import { offerFile } from '../parts/offer-file.js';
import { ErrorNote } from '../parts/states.js';
import { useSession } from '../session/session-context.js';

/** Has the server make a report on runs, and saves it as a file. */
export function ReportButton({
  runIds,
  title,
}: {
  readonly runIds: readonly string[];
  readonly title: string;
}) {
  const { client } = useSession();
  const make = useMutation({
    mutationFn: async () => {
      const [first, ...also] = runIds;
      if (first === undefined) return;
      offerFile(`report-${first}.html`, await client.reports.make([first, ...also], { title }));
    },
  });
  return (
    <>
      <button
        // not disabled: a button that is loses the focus
        aria-disabled={make.isPending || runIds.length === 0}
        onClick={() => {
          if (!make.isPending && runIds.length > 0) make.mutate();
        }}
        title="One HTML file that opens from disk, every number with its source; it takes some seconds"
      >
        {make.isPending ? 'Making the report …' : 'Report'}
      </button>
      {make.isError && <ErrorNote error={make.error} retry={() => make.mutate()} />}
    </>
  );
}
