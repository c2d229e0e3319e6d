import type { IncomingMessage } from 'node:http';
import type { INestApplicationContext } from '@nestjs/common';
import { IoAdapter } from '@nestjs/platform-socket.io';
import { Decoder, Encoder } from 'socket.io-parser';
import { type ServerOptions as WebSocketOptions, WebSocketServer } from 'ws';
import type { ServerOptions } from '../../config/server-options.js';
import { SocketAccess } from '../access/socket-access.js';
import { ErrorReport } from '../errors/error-report.js';
import { createHostCheck } from './host-check.js';
import { respondRaw } from './raw-response.js';

type IoOptions = NonNullable<Parameters<IoAdapter['createIOServer']>[1]>;

/**
 * Of authenticated sockets; UnauthenticatedSockets bounds the others. The largest batch of a worker is 256 KiB and one
 * line of 1 MiB; twice this size can block the event loop for over 250 ms while it is parsed.
 */
const maxMessageBytes = 4 * 1024 * 1024;
/** a connection that has joined no namespace by then is closed */
const connectTimeoutMs = 5000;

/** Our messages have no attachments; large ones would be traversed byte by byte as objects. */
class TextDecoder extends Decoder {
  constructor() {
    super({ maxAttachments: 0 });
  }
}

/** A packet of the network may hold thousands of messages; between two of them other connections are served. */
class FairWebSocketServer extends WebSocketServer {
  constructor(options: WebSocketOptions) {
    super({ ...options, allowSynchronousEvents: false });
  }
}

/**
 * socket.io over WebSockets alone, with our limits: Host, Origin and the number of open connections are checked before a
 * session is created, messages are bounded.
 */
export class SocketAdapter extends IoAdapter {
  constructor(
    private readonly context: INestApplicationContext,
    private readonly options: ServerOptions,
  ) {
    super(context);
  }

  override createIOServer(port: number, given?: IoOptions): ReturnType<IoAdapter['createIOServer']> {
    const check = createHostCheck(this.options);
    const access = this.context.get(SocketAccess);
    const limits: Partial<IoOptions> = {
      serveClient: false,
      transports: ['websocket'],
      allowUpgrades: false,
      parser: { Encoder, Decoder: TextDecoder },
      wsEngine: FairWebSocketServer as unknown as NonNullable<IoOptions['wsEngine']>,
      connectTimeout: connectTimeoutMs,
      maxHttpBufferSize: maxMessageBytes,
      cors: { origin: this.options.http.origins },
      allowRequest: (request, answer) => {
        const admit = async (): Promise<void> => {
          check(request, true);
          await access.admitHandshake(request);
        };
        admit().then(
          () => answer(null, true),
          // an unanswered handshake leaves no state
          (error: unknown) => respondRaw(request.socket, this.context.get(ErrorReport).serialize(error)),
        );
      },
    };
    const server = super.createIOServer(port, { ...given, ...limits } as IoOptions);
    server.engine.on('connection', ({ request }: { request: IncomingMessage }) => access.watch(request));
    server.of('/').use(access.refuseAll() as never);
    return server;
  }
}
