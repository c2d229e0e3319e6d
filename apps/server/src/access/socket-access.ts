/**
 * @file Who may open a socket. A gateway puts `authenticateSocket` in front of its namespace in `afterInit`; the
 * guard in front of its message handlers then finds the caller. Sockets of a key are counted, and closed when the key
 * is revoked; GraphQL sockets register here too.
 */
import type { IncomingHttpHeaders } from 'node:http';
import { AppError } from '@espalier/contracts';
import { includesRole, type Role } from '@espalier/protocol';
import { Inject, Injectable } from '@nestjs/common';
import type { Socket } from 'socket.io';
import { SERVER_OPTIONS, type ServerOptions } from '../config/server-options.js';
import { LiveBus } from '../events/live-bus.js';
import { type ClientAddress, createClientAddress } from '../http/client-address.js';
import { ErrorReport } from '../observability/error-report.js';
import type { Caller } from './caller.js';
import { KeyService } from './key.service.js';

/** An open socket, of whatever kind. */
export interface OpenSocket {
  isOpen(): boolean;
  close(reason: { code: string; message: string }): void;
}

@Injectable()
export class SocketAccess {
  private readonly open = new Map<string, Set<OpenSocket>>();
  private readonly addressOf: ClientAddress;

  constructor(
    private readonly keys: KeyService,
    private readonly report: ErrorReport,
    @Inject(SERVER_OPTIONS) private readonly options: ServerOptions,
    bus: LiveBus,
  ) {
    this.addressOf = createClientAddress(options.http.trustProxy);
    bus.on('keyRevoked', '*', ({ keyId }) => this.closeAll(keyId));
  }

  /**
   * Makes the middleware of a namespace: lets in sockets whose `auth: { key }` includes the role, and sets
   * `socket.data.caller`. Others get a `connect_error` with `data: { code, message }`.
   */
  authenticateSocket(needed: Role): (socket: Socket, next: (error?: Error) => void) => void {
    return (socket, next) => {
      this.admit(socket, needed).then(
        () => next(),
        (error: unknown) => {
          const { code, message } = this.report.tell(error);
          next(Object.assign(new Error(message), { data: { code, message } }));
        },
      );
    };
  }

  /** Finds out who opens a socket, of whatever kind. @throws access.unauthenticated, access.throttled */
  async recognise(
    key: unknown,
    socketAddress: string | undefined,
    headers: IncomingHttpHeaders,
  ): Promise<Caller> {
    return this.keys.authenticate(
      typeof key === 'string' ? key : undefined,
      this.addressOf(socketAddress, headers),
    );
  }

  /** Counts a socket of a key. @throws access.too_many_sockets, access.unauthenticated when the key ended meanwhile */
  register(caller: Caller, socket: OpenSocket): () => void {
    // Whoever was revoked between being recognised and this line would be closed by nobody.
    if (this.keys.isRevoked(caller.keyId))
      throw new AppError(
        'access.unauthenticated',
        `open a socket: the key "${caller.keyName}" was revoked; connect with another key`,
      );
    const sockets = this.open.get(caller.keyId) ?? new Set();
    for (const known of sockets) if (!known.isOpen()) sockets.delete(known);
    const limit = this.options.access.maxSocketsPerKey;
    if (sockets.size >= limit)
      throw new AppError(
        'access.too_many_sockets',
        `open a socket: the key "${caller.keyName}" has ${sockets.size} open; close some, or raise access.maxSocketsPerKey`,
      );
    sockets.add(socket);
    this.open.set(caller.keyId, sockets);
    return () => {
      sockets.delete(socket);
      if (sockets.size === 0 && this.open.get(caller.keyId) === sockets) this.open.delete(caller.keyId);
    };
  }

  /** Number of sockets open now. */
  count(): number {
    let open = 0;
    for (const sockets of this.open.values()) for (const socket of sockets) if (socket.isOpen()) open += 1;
    return open;
  }

  /** Closes all sockets, telling why. */
  closeEverything(reason: { code: string; message: string }): void {
    for (const sockets of [...this.open.values()])
      for (const socket of [...sockets]) if (socket.isOpen()) socket.close(reason);
  }

  private async admit(socket: Socket, needed: Role): Promise<void> {
    const { address, auth, headers } = socket.handshake;
    const caller = await this.recognise((auth as { key?: unknown }).key, address, headers);
    if (!includesRole(caller.role, needed))
      throw new AppError(
        'access.denied',
        `connect to ${socket.nsp.name}: the key "${caller.keyName}" is a ${caller.role} key; this needs ${needed}`,
      );
    const release = this.register(caller, {
      isOpen: () => socket.conn.readyState === 'open' || socket.conn.readyState === 'opening',
      close: (reason) => {
        socket.emit('refused', { ok: false, ...reason });
        socket.disconnect(true);
      },
    });
    socket.once('disconnect', release);
    (socket.data as { caller?: Caller }).caller = caller;
  }

  private closeAll(keyId: string): void {
    const revoked = new AppError(
      'access.unauthenticated',
      'keep the socket: its key was revoked; connect with another key',
    );
    for (const socket of [...(this.open.get(keyId) ?? [])]) {
      if (!socket.isOpen()) continue;
      const { code, message } = this.report.tell(revoked);
      socket.close({ code, message });
    }
    this.open.delete(keyId);
  }
}
