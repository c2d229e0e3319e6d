/**
 * @file The key of this tab. It lies in the tab's session storage, which the explorers use too, and goes nowhere but into
 * headers and the handshake of the socket. A link may bring one in its fragment, which no server sees; it is taken out of
 * the address at once.
 */
import { type Client, createClient, type Me } from '@espalier/client';

const place = 'espalier-key';

/** Who is signed in, and the client of that key. */
export interface Session {
  readonly client: Client;
  readonly me: Me;
}

/** Takes the key out of `#key=…`, or from the tab. */
export function takeKey(): string | undefined {
  const fragment = new URLSearchParams(window.location.hash.slice(1));
  const given = fragment.get('key');
  if (given !== null) {
    window.history.replaceState(null, '', window.location.pathname + window.location.search);
    remember(given.trim());
  }
  return window.sessionStorage.getItem(place) ?? undefined;
}

export const remember = (key: string): void => window.sessionStorage.setItem(place, key);
export const forget = (): void => window.sessionStorage.removeItem(place);

/** Opens a session. @throws what the server refuses the key with */
export async function openSession(key: string): Promise<Session> {
  const client = createClient({ url: window.location.origin, key });
  return { client, me: await client.me() };
}
