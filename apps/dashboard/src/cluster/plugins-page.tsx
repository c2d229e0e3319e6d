import { useQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import { Badge } from '../parts/badge.js';
import { ErrorNote, Waiting } from '../parts/states.js';
import { Text } from '../parts/text.js';
import { useSession } from '../session/session-context.js';

const kinds = [
  ['environment', 'Environments'],
  ['algorithm', 'Algorithms'],
  ['reward', 'Rewards'],
  ['model', 'Models'],
] as const;

/** What a run can use, and what could not be loaded. */
export default function PluginsPage() {
  const { client } = useSession();
  const { data, error, refetch } = useQuery({
    queryKey: ['plugins'],
    queryFn: () => client.overview.plugins(),
  });
  useEffect(() => {
    document.title = 'Plugins · Espalier';
  }, []);
  if (error !== null) return <ErrorNote error={error} retry={() => void refetch()} />;
  if (data === undefined) return <Waiting what="plugins" />;
  const broken = data.filter(({ health }) => health === 'broken');
  return (
    <div className="stack">
      <h1>Plugins</h1>
      {broken.map((plugin) => (
        <div className="error" key={plugin.package + plugin.id}>
          <b>
            <Text of={plugin.id || plugin.package} />
          </b>
          : <Text of={plugin.message} />
        </div>
      ))}
      {kinds.map(([kind, title]) => (
        <section key={kind} className="card">
          <header>
            <h2>{title}</h2>
          </header>
          <div className="scroll">
            <table className="actions stacking">
              <tbody>
                {data
                  .filter((plugin) => plugin.kind === kind && plugin.health === 'ok')
                  .map((plugin) => (
                    <tr key={plugin.id}>
                      <td className="mono id">
                        <Text of={plugin.id} />
                      </td>
                      <td>
                        <Text of={plugin.summary} />
                      </td>
                      <td className="small muted">
                        <Text of={plugin.version} />{' '}
                        {plugin.isolation === 'process' && <Badge of="info" text="own process" />}
                      </td>
                    </tr>
                  ))}
              </tbody>
            </table>
          </div>
        </section>
      ))}
    </div>
  );
}
