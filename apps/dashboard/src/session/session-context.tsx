import { createContext, useContext } from 'react';
import type { Session } from './session.js';

interface Signed extends Session {
  /** Ends the session. @param reason shown at the sign-in */
  leave(reason?: string): void;
}

export const SessionContext = createContext<Signed | undefined>(undefined);

/** The session; only inside of one. */
export function useSession(): Signed {
  const session = useContext(SessionContext);
  if (session === undefined) throw new Error('useSession: nobody is signed in');
  return session;
}

/** The key may start, steer and delete runs. */
export function useMayAct(): boolean {
  const { role } = useSession().me;
  return role === 'operator' || role === 'admin';
}
