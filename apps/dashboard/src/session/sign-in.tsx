import { type FormEvent, useState } from 'react';
import { codeOf, describeError } from '../data/errors.js';
import { Text } from '../parts/text.js';
import { openSession, remember, type Session } from './session.js';

interface Props {
  /** why the session before ended */
  readonly reason: string | undefined;
  onSession(session: Session): void;
}

/** Why a key is not accepted, and what to do. */
export function explainRefusal(error: unknown): string {
  const code = codeOf(error);
  if (code === 'access.unauthenticated')
    return 'This key is unknown, or was revoked. An admin creates another: espalier key create NAME.';
  if (code === 'access.denied')
    return 'This key is one for workers, which may not read. Use a key of a viewer, operator or admin.';
  if (code === 'access.throttled')
    return 'Too many wrong keys came from this address. Wait a minute, then try again.';
  return describeError(error);
}

export function SignIn({ reason, onSession }: Props) {
  const [key, setKey] = useState('');
  const [problem, setProblem] = useState(reason);
  const [isBusy, setBusy] = useState(false);
  const submit = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    setBusy(true);
    try {
      const session = await openSession(key.trim());
      remember(key.trim());
      onSession(session);
    } catch (error) {
      setProblem(explainRefusal(error));
      setBusy(false);
    }
  };
  return (
    <main>
      <div className="card sign-in">
        <h1>Espalier</h1>
        <p className="muted">Sign in with an API key. It stays in this tab until you close it or sign out.</p>
        <form onSubmit={(event) => void submit(event)}>
          {problem !== undefined && (
            <div className="error" role="alert">
              <Text of={problem} />
            </div>
          )}
          <label htmlFor="key">API key</label>
          <input
            id="key"
            type="password"
            autoComplete="off"
            autoFocus
            placeholder="esp_…"
            value={key}
            onChange={(event) => setKey(event.target.value)}
          />
          <button className="primary" disabled={isBusy || key.trim() === ''}>
            Sign in
          </button>
        </form>
        <p className="muted small" style={{ marginTop: 16 }}>
          The first start of a server prints the admin key and keeps it in <code>data/admin.key</code>;{' '}
          <code>espalier up</code> also prints a link that signs in by itself.
        </p>
        <p className="small" style={{ marginTop: 8 }}>
          <a href="/graphiql">GraphiQL</a> · <a href="/docs">REST</a> · <a href="/health/ready">Health</a>
        </p>
      </div>
    </main>
  );
}
