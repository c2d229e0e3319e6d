import type { WebSocket } from 'ws';

/** Buffered bytes above which reading stops. */
const mostWaiting = 1024 * 1024;
const lookMs = 50;

/**
 * Stops reading from a socket while much is buffered for it: a client that sends requests, or only pings, and reads no
 * answers would otherwise fill the server's memory.
 */
export function applyBackpressure(socket: WebSocket): void {
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
