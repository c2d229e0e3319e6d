/** @file API keys, for admins: who has which role, when it was used last; create, and revoke for good. */
import { roles } from '@espalier/protocol';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useEffect, useState } from 'react';
import { usePages } from '../data/use-pages.js';
import { useNow } from '../data/use-now.js';
import { formatAge, formatMoment } from '../format/numbers.js';
import { toVisible } from '../format/visible-text.js';
import { Confirm } from '../parts/confirm.js';
import { More } from '../parts/more.js';
import { ErrorNote, Waiting } from '../parts/states.js';
import { useSession } from '../session/session-context.js';

type Role = keyof typeof roles;

export default function KeysPage() {
  const { client, me } = useSession();
  const queries = useQueryClient();
  const now = useNow(60_000);
  const [asked, setAsked] = useState<{ id: string; name: string }>();
  const keys = usePages({
    queryKey: ['keys'],
    read: (page) => client.keys.list(page),
    count: () => client.totals.keys(),
  });
  const renew = (): void => void queries.invalidateQueries({ queryKey: ['keys'] });
  const revoke = useMutation({ mutationFn: (id: string) => client.keys.revoke(id), onSuccess: renew });
  useEffect(() => {
    document.title = 'Keys · Espalier';
  }, []);
  if (keys.error !== null) return <ErrorNote error={keys.error} retry={keys.refetch} />;
  if (keys.items === undefined) return <Waiting what="the keys" />;
  return (
    <div className="stack">
      <h1>Keys</h1>
      <NewKey onMade={renew} />
      {revoke.isError && <ErrorNote error={revoke.error} />}
      <section className="card">
        <div className="scroll">
          <table className="actions">
            <thead>
              <tr>
                {['Name', 'Role', 'Projects', 'Begins with', 'Created', 'Last used', ''].map((title) => (
                  <th key={title}>{title}</th>
                ))}
              </tr>
            </thead>
            <tbody>
              {keys.items.map((key) => (
                <tr key={key.id}>
                  <td>{toVisible(key.name)}</td>
                  <td title={roles[key.role]}>{key.role}</td>
                  <td>{key.projects.map(toVisible).join(', ')}</td>
                  <td className="mono">{key.prefix}</td>
                  <td title={formatMoment(key.createdAt)}>{formatAge(key.createdAt, now)}</td>
                  <td title={formatMoment(key.lastUsedAt)}>
                    {key.lastUsedAt === null ? 'never' : formatAge(key.lastUsedAt, now)}
                  </td>
                  <td className="number-cell">
                    {key.revokedAt !== null ? (
                      <span className="faint" title={formatMoment(key.revokedAt)}>
                        revoked
                      </span>
                    ) : key.id === me.keyId ? (
                      <span className="faint">this one</span>
                    ) : (
                      <button className="danger" onClick={() => setAsked(key)}>
                        Revoke
                      </button>
                    )}
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      </section>
      <More of={keys} what="keys" />
      {asked !== undefined && (
        <Confirm
          title="Revoke this key?"
          yes="Revoke key"
          no="Keep it"
          onAnswer={(isYes) => {
            setAsked(undefined);
            if (isYes) revoke.mutate(asked.id);
          }}
        >
          <b>{toVisible(asked.name)}</b> stops working at once and for good; pages and workers that use it are
          signed out.
        </Confirm>
      )}
    </div>
  );
}

function NewKey({ onMade }: { onMade(): void }) {
  const { client } = useSession();
  const [name, setName] = useState('');
  const [role, setRole] = useState<Role>('viewer');
  const [projects, setProjects] = useState('*');
  const make = useMutation({
    mutationFn: () =>
      client.keys.create({
        name: name.trim(),
        role,
        projects: projects.split(/[\s,]+/).filter((one) => one !== ''),
      }),
    onSuccess: () => {
      setName('');
      onMade();
    },
  });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    make.mutate();
  };
  const isScoped = role === 'viewer' || role === 'operator';
  return (
    <section className="card pad stack tight">
      <form className="row" onSubmit={submit}>
        <input
          aria-label="Name of the key"
          placeholder="who or what will use it"
          value={name}
          maxLength={100}
          onChange={({ target }) => setName(target.value)}
        />
        <select aria-label="Role" value={role} onChange={({ target }) => setRole(target.value as Role)}>
          {Object.keys(roles).map((one) => (
            <option key={one}>{one}</option>
          ))}
        </select>
        {isScoped && (
          <input
            aria-label="Projects"
            placeholder="projects, * for all"
            value={projects}
            onChange={({ target }) => setProjects(target.value)}
          />
        )}
        <button className="primary" disabled={name.trim() === '' || make.isPending}>
          Create key
        </button>
      </form>
      <p className="small muted">
        {role}: {roles[role]}.
      </p>
      {make.isError && <ErrorNote error={make.error} />}
      {make.data !== undefined && (
        <p className="secret" role="status">
          The key of <b>{toVisible(make.data.key.name)}</b>, shown only now: <code>{make.data.secret}</code>
        </p>
      )}
    </section>
  );
}
