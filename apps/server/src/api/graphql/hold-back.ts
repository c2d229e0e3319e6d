import type { WebSocket } from 'ws';

/** What may wait to be sent before no more is read, bytes. */
const mostWaiting = 1024 * 1024;
const lookMs = 50;

/**
 * Reads nothing more from a socket while much waits to be sent to it: who asks and does not read the answers, be it
 * only those to pings, which need no key, fills the server's memory otherwise.
 */
export function holdBack(socket: WebSocket): void {
  let timer: NodeJS.Timeout | undefined;
  const look = (): void => {
    timer = undefined;
    if (socket.readyState === socket.CLOSED || socket.bufferedAmount <= mostWaiting) return socket.resume();
    if (!socket.isPaused) socket.pause();
    timer = setTimeout(look, lookMs).unref();
  };
  const arrived = (): void => {
    if (timer === undefined && socket.bufferedAmount > mostWaiting) look();
  };
  socket.on('message', arrived).on('ping', arrived);
  socket.once('close', () => clearTimeout(timer));
}
