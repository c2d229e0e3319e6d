/** @file The socket.io namespace `/stream`: follow runs live. Its messages: libs/protocol/src/stream-messages.ts. */
import { AppError } from '@espalier/contracts';
import { type FollowAnswer, followMessage } from '@espalier/protocol';
import { Inject, type OnApplicationShutdown, UseFilters } from '@nestjs/common';
import {
  ConnectedSocket,
  MessageBody,
  type OnGatewayDisconnect,
  type OnGatewayInit,
  SubscribeMessage,
  WebSocketGateway,
  WebSocketServer,
} from '@nestjs/websockets';
import type { Namespace, Socket } from 'socket.io';
import { DataSource } from 'typeorm';
import { Access } from '../access/access.decorator.js';
import type { Caller } from '../../core/access/caller.js';
import { RateLimits } from '../../core/access/rate-limits.js';
import { rejectUnknownEvents } from './reject-unknown-events.js';
import { SocketAccess } from '../access/socket-access.js';
import { SERVER_OPTIONS, type ServerOptions } from '../../config/server-options.js';
import { findRunOrFail, validateCursor } from '../../core/history/records/find-run.js';
import { parseInput } from '../../core/input/parse-input.js';
import { ErrorReport } from '../errors/error-report.js';
import { ErrorFilter } from '../errors/error.filter.js';
import { Follower } from './follower.js';
import { FollowedRuns } from './followed-runs.js';

const unfollowMessage = followMessage.pick({ runId: true });

@WebSocketGateway({ namespace: '/stream' })
@UseFilters(ErrorFilter)
export class StreamGateway
  implements OnGatewayInit<Namespace>, OnGatewayDisconnect<Socket>, OnApplicationShutdown
{
  @WebSocketServer()
  private readonly namespace!: Namespace;
  private readonly followed = new WeakMap<Socket, Map<string, Follower>>();

  constructor(
    private readonly access: SocketAccess,
    private readonly source: DataSource,
    private readonly runs: FollowedRuns,
    private readonly report: ErrorReport,
    private readonly limits: RateLimits,
    @Inject(SERVER_OPTIONS) private readonly options: ServerOptions,
  ) {}

  afterInit(namespace: Namespace): void {
    namespace.use(this.access.authenticateSocket('viewer'));
    rejectUnknownEvents(namespace, ['follow', 'unfollow'], 'server.invalid_input', this.report);
  }

  /** Follows a run from a cursor on; following it again on the same socket replaces the first. */
  @SubscribeMessage('follow')
  @Access('viewer')
  async follow(@ConnectedSocket() socket: Socket, @MessageBody() body: unknown): Promise<FollowAnswer> {
    const { runId, after, metrics } = parseInput(followMessage, body, 'read the event "follow"');
    const { caller } = socket.data as { caller: Caller };
    await this.limits.count('requests', caller.keyId);
    const run = await findRunOrFail(this.source.manager, caller, runId);
    validateCursor(run, after);
    const followers = this.followed.get(socket) ?? new Map<string, Follower>();
    this.followed.set(socket, followers);
    // those that got `gap`, or whose run was deleted
    for (const known of [...followers.values()].filter(({ isClosed }) => isClosed)) {
      this.runs.leave(known);
      followers.delete(known.runId);
    }
    const limit = this.options.stream.maxFollowsPerSocket;
    if (!followers.has(runId) && followers.size >= limit)
      throw new AppError(
        'access.limit_exceeded',
        `follow run "${runId}": this socket follows ${followers.size} runs already; unfollow some, or open another socket`,
        { details: { retryAfter: 5 } },
      );
    const follower = new Follower(socket, runId, after, metrics && [...new Set(metrics)].sort());
    const before = followers.get(runId);
    if (before !== undefined) this.runs.leave(before);
    followers.set(runId, follower);
    await this.runs.enter(this.namespace, follower);
    if (!socket.connected) this.runs.leave(follower);
    return { ok: true, head: run.head, state: run.state };
  }

  /** Ends the following of a run. */
  @SubscribeMessage('unfollow')
  @Access('viewer')
  unfollow(@ConnectedSocket() socket: Socket, @MessageBody() body: unknown): { readonly ok: true } {
    const { runId } = parseInput(unfollowMessage, body, 'read the event "unfollow"');
    const follower = this.followed.get(socket)?.get(runId);
    if (follower !== undefined) this.runs.leave(follower);
    this.followed.get(socket)?.delete(runId);
    return { ok: true };
  }

  handleDisconnect(socket: Socket): void {
    for (const follower of this.followed.get(socket)?.values() ?? []) this.runs.leave(follower);
    this.followed.delete(socket);
  }

  onApplicationShutdown(): void {
    this.runs.close();
  }
}
