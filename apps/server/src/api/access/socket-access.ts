/**
 * @file Who may open a socket. The handshake checks a key of the header `authorization`; a socket without one is counted as
 * unauthenticated until it authenticates by its first message. A gateway adds `authenticateSocket` to its namespace in
 * `afterInit`; the guard of its message handlers then finds the caller. Sockets of a key are counted, and closed when the
 * key is revoked; GraphQL sockets register here too.
 */
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { AppError } from '@espalier/contracts';
import { includesRole, type Role } from '@espalier/protocol';
import { Inject, Injectable } from '@nestjs/common';
import type { Socket } from 'socket.io';
import { SERVER_OPTIONS, type ServerOptions } from '../../config/server-options.js';
import { LiveBus } from '../../core/database/live-bus.js';
import { type ClientAddress, createClientAddress } from '../../config/client-address.js';
import { ErrorReport } from '../errors/error-report.js';
import { toSocketError } from '../errors/error.filter.js';
import type { Caller } from '../../core/access/caller.js';
import { KeyService } from '../../core/access/key.service.js';
import { RateLimits } from '../../core/access/rate-limits.js';
import { type TicketPurpose, Tickets } from '../../core/access/tickets.js';
import { bearerOf } from './request-context.js';
import { type PendingSocket, UnauthenticatedSockets } from './unauthenticated-sockets.js';

/** A refused client can read the reason and try another key on the same connection. */
const refusedMs = 1000;

/** An open socket of any kind. */
export interface OpenSocket {
  isOpen(): boolean;
  close(reason: { code: string; message: string }): void;
}

/** How a socket authenticates: by a key, or by a ticket for this kind of socket. */
interface Credentials {
  readonly key?: unknown;
  readonly ticket?: unknown;
  readonly purpose?: TicketPurpose | undefined;
}

@Injectable()
export class SocketAccess {
  private readonly open = new Map<string, Set<OpenSocket>>();
  private readonly addressOf: ClientAddress;
  private readonly pending = new WeakMap<IncomingMessage, PendingSocket>();

  constructor(
    private readonly keys: KeyService,
    private readonly report: ErrorReport,
    private readonly limits: RateLimits,
    private readonly strangers: UnauthenticatedSockets,
    private readonly tickets: Tickets,
    @Inject(SERVER_OPTIONS) private readonly options: ServerOptions,
    bus: LiveBus,
  ) {
    this.addressOf = createClientAddress(options.http.trustProxy);
    bus.on('keyRevoked', '*', ({ keyId }) => this.closeAll(keyId));
  }

  /**
   * Counts a connection before its handshake. It has a valid key, or counts as unauthenticated.
   *
   * @throws access.throttled, access.limit_exceeded
   */
  async admitHandshake(request: IncomingMessage): Promise<void> {
    const address = this.addressOf(request.socket.remoteAddress, request.headers);
    // there is no other listener until the connection is taken over
    request.socket.on('error', () => undefined);
    const key = bearerOf(request.headers);
    if (key !== undefined && (await this.isValid(key, address))) return;
    await this.limits.count('anonymousRequests', address);
    this.pending.set(request, this.strangers.enter(address, request.socket));
  }

  /** Bounds what a connection may send until it is authenticated; call it when the connection has been taken over. */
  watch(request: IncomingMessage): void {
    this.pending.get(request)?.watch();
  }

  /** The connection is authenticated: its limits are lifted. */
  settle(request: IncomingMessage): void {
    this.pending.get(request)?.admit();
    this.pending.delete(request);
  }

  /** Creates the middleware of a namespace that refuses every socket and ends its connection. */
  refuseAll(): (socket: Socket, next: (error?: Error) => void) => void {
    return (socket, next) =>
      this.refuse(
        socket,
        next,
        new AppError(
          'server.not_found',
          `connect to ${socket.nsp.name}: there is no such namespace; use /stream or /workers`,
        ),
      );
  }

  /**
   * Creates the middleware of a namespace: admits sockets whose `auth: { key }` includes the role, and sets
   * `socket.data.caller`. Others get a `connect_error` with `data: { code, message }`.
   */
  authenticateSocket(needed: Role): (socket: Socket, next: (error?: Error) => void) => void {
    return (socket, next) => {
      this.admit(socket, needed).then(
        () => next(),
        (error: unknown) => this.refuse(socket, next, error),
      );
    };
  }

  /** Authenticates a socket of any kind. @throws access.unauthenticated, access.throttled */
  async recognise(
    { key, ticket, purpose }: Credentials,
    socketAddress: string | undefined,
    headers: IncomingHttpHeaders,
  ): Promise<Caller> {
    if (key === undefined && ticket !== undefined && purpose !== undefined) {
      const caller = await this.tickets.redeem(ticket, purpose);
      await this.limits.count('requests', caller.keyId);
      return caller;
    }
    return this.keys.authenticate(
      typeof key === 'string' ? key : undefined,
      this.addressOf(socketAddress, headers),
    );
  }

  /** Counts a socket of a key. @throws access.limit_exceeded, access.unauthenticated when the key ended meanwhile */
  register(caller: Caller, socket: OpenSocket): () => void {
    // A key that was revoked since it was authenticated would never be closed.
    if (this.keys.isRevoked(caller.keyId))
      throw new AppError(
        'access.unauthenticated',
        `open a socket: the key "${caller.keyName}" was revoked; connect with another key`,
      );
    const sockets = this.open.get(caller.keyId) ?? new Set();
    for (const known of sockets) if (!known.isOpen()) sockets.delete(known);
    const limit = this.options.limits.socketsPerKey;
    if (sockets.size >= limit)
      throw new AppError(
        'access.limit_exceeded',
        `open a socket: the key "${caller.keyName}" has ${sockets.size} open; close some, or raise limits.socketsPerKey`,
        { details: { retryAfter: 60 } },
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

  /** Closes all sockets with a reason. */
  closeEverything(reason: { code: string; message: string }): void {
    for (const sockets of [...this.open.values()])
      for (const socket of [...sockets]) if (socket.isOpen()) socket.close(reason);
  }

  private async admit(socket: Socket, needed: Role): Promise<void> {
    const { address, auth, headers, query } = socket.handshake;
    const { key, ticket = query['ticket'] } = auth as Credentials;
    // workers have keys
    const purpose = needed === 'viewer' ? 'stream' : undefined;
    const caller = await this.recognise({ key, ticket, purpose }, address, headers);
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
    this.settle(socket.request);
  }

  /** Sends the reason, and ends the connection unless another namespace admitted it. */
  private refuse(socket: Socket, next: (error: Error) => void, error: unknown): void {
    const { ok: _, ...data } = toSocketError(this.report.serialize(error));
    next(Object.assign(new Error(data.message), { data }));
    const { conn, request } = socket;
    if (this.pending.has(request))
      setTimeout(() => this.pending.has(request) && conn.close(), refusedMs).unref();
  }

  private async isValid(key: string, address: string): Promise<boolean> {
    try {
      await this.keys.authenticate(key, address);
      return true;
    } catch {
      return false;
    }
  }

  private closeAll(keyId: string): void {
    const revoked = new AppError(
      'access.unauthenticated',
      'keep the socket: its key was revoked; connect with another key',
    );
    for (const socket of [...(this.open.get(keyId) ?? [])]) {
      if (!socket.isOpen()) continue;
      const { code, message } = this.report.serialize(revoked);
      socket.close({ code, message });
    }
    this.open.delete(keyId);
  }
}
