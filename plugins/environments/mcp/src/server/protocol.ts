/** The protocol that keeps no session; those before it begin with a handshake. */
export const statelessProtocol = '2026-07-28';
