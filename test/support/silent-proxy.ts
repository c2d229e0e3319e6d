/** @file A proxy for a service that stops responding: it accepts connections but returns nothing. */
import { connect, createServer, type Socket } from 'node:net';
import type { AddressInfo } from 'node:net';

export interface SilentProxy {
  readonly port: number;
  /** Stops forwarding. */
  fallSilent(): void;
  /** Resumes forwarding, including what arrived meanwhile. */
  speak(): void;
  close(): Promise<void>;
}

/** Forwards to a loopback port; without one it is silent from the start. */
export async function startSilentProxy(target?: number): Promise<SilentProxy> {
  const sockets = new Set<Socket>();
  let isSilent = target === undefined;
  const keep = (socket: Socket): void => {
    sockets.add(socket);
    socket.on('error', () => undefined).on('close', () => sockets.delete(socket));
    if (isSilent) socket.pause();
  };
  const server = createServer((near) => {
    keep(near);
    if (target === undefined) return;
    const far = connect(target, '127.0.0.1');
    keep(far);
    const pass = (from: Socket, to: Socket): void =>
      void from.on('data', (chunk) => to.write(chunk)).on('close', () => to.destroy());
    pass(near, far);
    pass(far, near);
    if (isSilent) for (const socket of [near, far]) socket.pause();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.address() as AddressInfo).port,
    fallSilent() {
      isSilent = true;
      for (const socket of sockets) socket.pause();
    },
    speak() {
      isSilent = false;
      for (const socket of sockets) socket.resume();
    },
    async close() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
