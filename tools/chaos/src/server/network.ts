/**
 * @file The network between workers and server: a TCP relay that forwards bytes, closes connections, or silently drops
 * everything, like an unplugged cable.
 */
import { connect, createServer, type Socket } from 'node:net';

export interface Network {
  readonly port: number;
  /** Closes all connections and rejects new ones. */
  cut(): void;
  /** Keeps connections open but forwards nothing; new ones are accepted and ignored. */
  silence(): void;
  /** Forwards everything again. @param isFresh closes open connections first */
  heal(isFresh: boolean): void;
  close(): void;
}

/** Opens a relay from a free loopback port to `target`. */
export async function openNetwork(target: number): Promise<Network> {
  const pairs = new Set<readonly [Socket, Socket]>();
  let state: 'whole' | 'cut' | 'dead' = 'whole';
  const breakAll = (): void => pairs.forEach((pair) => pair.forEach((socket) => socket.destroy()));
  const join = (inner: Socket, outer: Socket): void => {
    const pair = [inner, outer] as const;
    pairs.add(pair);
    for (const [from, to] of [pair, [outer, inner] as const]) {
      from.on('data', (bytes) => void to.write(bytes));
      from.on('error', () => undefined);
      from.on('end', () => void to.end());
      from.on('close', () => {
        to.destroy();
        pairs.delete(pair);
      });
      if (state === 'dead') from.pause();
    }
  };
  const server = createServer((inner) => {
    if (state === 'cut') return void inner.destroy();
    join(inner, connect(target, '127.0.0.1'));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  return {
    port: typeof address === 'object' && address !== null ? address.port : 0,
    cut() {
      state = 'cut';
      breakAll();
    },
    silence() {
      state = 'dead';
      pairs.forEach((pair) => pair.forEach((socket) => socket.pause()));
    },
    heal(isFresh) {
      state = 'whole';
      if (isFresh) breakAll();
      else pairs.forEach((pair) => pair.forEach((socket) => socket.resume()));
    },
    close() {
      server.close();
      breakAll();
    },
  };
}
