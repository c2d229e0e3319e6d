import { AppError } from '@espalier/contracts';
import { includesRole, type Role } from '@espalier/protocol';
import { type CanActivate, type ExecutionContext, Injectable, Logger } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { AuditService } from '../../core/access/audit.service.js';
import { accessKey, alsoTicketsKey, alsoWorkersKey } from './access.decorator.js';
import type { Caller } from '../../core/access/caller.js';
import { KeyService } from '../../core/access/key.service.js';
import { RateLimits } from '../../core/access/rate-limits.js';
import { Tickets } from '../../core/access/tickets.js';
import { bearerOf, type CallerHolder, contextOf } from './request-context.js';

interface TicketRequest {
  readonly url: string;
  readonly query: { readonly ticket?: unknown };
}

/** Refuses callers without the required role, and endpoints that declare none. */
@Injectable()
export class AccessGuard implements CanActivate {
  private readonly log = new Logger('audit');

  constructor(
    private readonly reflector: Reflector,
    private readonly keys: KeyService,
    private readonly audit: AuditService,
    private readonly tickets: Tickets,
    private readonly limits: RateLimits,
  ) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const handler = context.getHandler();
    const needed = this.reflector.getAllAndOverride<Role | 'public' | undefined>(accessKey, [
      handler,
      context.getClass(),
    ]);
    if (needed === 'public') return true;
    if (needed === undefined) {
      throw new AppError(
        'access.denied',
        `call ${handler.name}: it declares no required role, so it is closed; add @Access`,
      );
    }
    const holder = contextOf(context);
    holder.caller ??= await this.recognise(context, holder);
    if (includesRole(holder.caller.role, needed)) return true;
    if (holder.caller.role === 'worker' && this.reflector.get<boolean>(alsoWorkersKey, handler)) return true;
    this.note(holder.caller, context);
    throw new AppError(
      'access.denied',
      `call ${handler.name}: the key "${holder.caller.keyName}" is a ${holder.caller.role} key; this needs ${needed}`,
    );
  }

  /** Authenticates by key, or by ticket where tickets are admitted and there is no key. */
  private async recognise(context: ExecutionContext, { headers }: CallerHolder): Promise<Caller> {
    const secret = bearerOf(headers);
    const takesTickets = this.reflector.get<boolean>(alsoTicketsKey, context.getHandler());
    if (secret !== undefined || !takesTickets) return this.keys.authenticate(secret);
    const { query, url } = context.switchToHttp().getRequest<TicketRequest>();
    if (query.ticket === undefined) return this.keys.authenticate(undefined);
    const caller = await this.tickets.redeem(query.ticket, 'download', url.split('?')[0]);
    await this.limits.count('requests', caller.keyId);
    return caller;
  }

  /** Records the refusal in the audit log without delaying the response. */
  private note(caller: Caller, context: ExecutionContext): void {
    const action = `${context.getClass().name}.${context.getHandler().name}`;
    this.audit.record(caller, action, '', 'access.denied').catch((error: unknown) => this.log.error(error));
  }
}
