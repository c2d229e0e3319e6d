/**
 * @file A thread that does what a client without a key can: keeps as many sockets open as allowed, and sends junk on others
 * as fast as it can. Told `stop`, it answers with what it did.
 */
import { parentPort, workerData } from 'node:worker_threads';
import { WebSocket } from 'ws';

/** What the thread is given. */
export interface FloodOrder {
  readonly url: string;
  /** sockets kept open */
  readonly sockets: number;
  /** senders of junk, one connection each at a time */
  readonly junk: number;
}

/** What the thread did. */
export interface FloodReport {
  /** most sockets open at once, without junk */
  readonly open: number;
  /** pieces of junk sent */
  readonly sent: number;
  /** connections that were not given */
  readonly refused: number;
}

const paths = ['/socket.io/?EIO=4&transport=websocket', '/graphql'];
const junk = ['4'.repeat(8000), '40/stream,{"key":"guess"}', '40/nowhere,', '{"type":"ping"}', '451-["x"]'];
const { url, sockets, junk: senders } = workerData as FloodOrder;
const address = url.replace('http', 'ws');
let open = 0;
let most = 0;
let sent = 0;
let refused = 0;
let isOver = false;

function connect(index: number): WebSocket {
  const path = paths[index % paths.length] ?? '';
  const socket = new WebSocket(address + path, path === '/graphql' ? ['graphql-transport-ws'] : []);
  socket.on('error', () => void (refused += 1));
  return socket;
}

const later = (work: () => void, ms: number): void => void setTimeout(() => isOver || work(), ms);

/** Opens a socket again whenever it was closed. */
function keep(index: number): void {
  const socket = connect(index);
  let wasOpen = false;
  socket.on('open', () => {
    wasOpen = true;
    most = Math.max(most, ++open);
  });
  socket.on('close', () => {
    if (wasOpen) open -= 1;
    later(() => keep(index), 500);
  });
}

/** Sends junk until it is cut off, then connects again. */
function pester(index: number): void {
  const socket = connect(index);
  const send = (): void => {
    if (socket.readyState !== WebSocket.OPEN || isOver) return;
    socket.send(junk[sent % junk.length] ?? '');
    sent += 1;
    setTimeout(send, 1);
  };
  socket.on('open', send);
  socket.on('close', () => later(() => pester(index), 20));
}

for (let index = 0; index < sockets; index += 1) keep(index);
for (let index = 0; index < senders; index += 1) pester(index);
parentPort?.once('message', () => {
  isOver = true;
  parentPort?.postMessage({ open: most, sent, refused } satisfies FloodReport);
});
