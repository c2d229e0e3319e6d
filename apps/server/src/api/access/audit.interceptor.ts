/**
 * @file Writes every requested change to the audit log: GraphQL mutations and REST routes that write, with their
 * outcome, but not plans, which change nothing. Services that record entries themselves are not recorded twice. Messages of workers are not audited: they
 * are the history of their runs.
 */
import { findError } from '@espalier/contracts/error-codes';
import {
  type CallHandler,
  type ExecutionContext,
  Injectable,
  Logger,
  type NestInterceptor,
} from '@nestjs/common';
import { GqlExecutionContext } from '@nestjs/graphql';
import type { GraphQLResolveInfo } from 'graphql';
import { catchError, from, mergeMap, type Observable } from 'rxjs';
import { changesNothingKey } from './access.decorator.js';
import { contextOf } from './request-context.js';
import { requestScope } from '../../logging/request-scope.js';
import { serializeError } from '../errors/serialize-error.js';
import { AuditService } from '../../core/access/audit.service.js';

interface Change {
  readonly action: string;
  /** all arguments; of two with one name, the later counts */
  readonly args: readonly Readonly<Record<string, unknown>>[];
}

/** No operation has as many arguments; a request with thousands of keys is not copied. */
const maxFacts = 50;

@Injectable()
export class AuditInterceptor implements NestInterceptor {
  private readonly log = new Logger('audit');

  constructor(private readonly audit: AuditService) {}

  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    if (Reflect.getMetadata(changesNothingKey, context.getHandler()) === true) return next.handle();
    const change = changeOf(context);
    const { caller } = contextOf(context);
    if (change === undefined || caller === undefined || caller.role === 'worker') return next.handle();
    const before = requestScope.getStore()?.audited;
    const record = async (outcome: string): Promise<void> => {
      if (before !== undefined && requestScope.getStore()?.audited !== before) return;
      await this.audit
        .record(caller, change.action, subjectOf(change.args), outcome, factsOf(change.args))
        .catch((error: unknown) => this.log.error(error));
    };
    return next.handle().pipe(
      mergeMap(async (value) => {
        await record(outcomeOf(value));
        return value as unknown;
      }),
      catchError((error: unknown) =>
        from(
          record(serializeError(error).code).then(() => {
            throw error;
          }),
        ),
      ),
    );
  }
}

function changeOf(context: ExecutionContext): Change | undefined {
  if (context.getType<string>() === 'graphql') {
    const graphql = GqlExecutionContext.create(context);
    const { operation, fieldName, parentType } = graphql.getInfo<GraphQLResolveInfo>();
    if (operation.operation !== 'mutation' || parentType.name !== 'Mutation') return undefined;
    const args = graphql.getArgs<Record<string, unknown>>();
    return { action: fieldName, args: [{ ...(args['input'] as object | undefined) }, args] };
  }
  if (context.getType() !== 'http') return undefined;
  const request = context.switchToHttp().getRequest<{
    method: string;
    routeOptions?: { url?: string };
    params?: Record<string, unknown>;
    body?: unknown;
  }>();
  if (request.method === 'GET' || request.method === 'HEAD') return undefined;
  const isPlain = typeof request.body === 'object' && request.body !== null && !('pipe' in request.body);
  return {
    action: `${request.method} ${request.routeOptions?.url ?? ''}`,
    args: [isPlain ? (request.body as Record<string, unknown>) : {}, request.params ?? {}],
  };
}

/** The subject: an id among the arguments, or the name of what is created. */
function subjectOf(args: Change['args']): string {
  const found = ['id', 'runId', 'jobId', 'workerId', 'keyId', 'alertId', 'ids', 'name']
    .map((name) => args.findLast((each) => Object.hasOwn(each, name))?.[name])
    .find((v) => v !== undefined);
  return (Array.isArray(found) ? found.join(' ') : typeof found === 'string' ? found : '').slice(0, 500);
}

/** Numbers, booleans and short texts only; long texts, specs and secrets are left out. */
function factsOf(args: Change['args']): Record<string, unknown> {
  const facts: Record<string, unknown> = {};
  const isSmall = (value: unknown) =>
    typeof value === 'number' ||
    typeof value === 'boolean' ||
    (typeof value === 'string' && value.length <= 100);
  let left = maxFacts;
  for (const each of args)
    for (const name in each) {
      if (left === 0) return facts;
      if (!isSmall(each[name]) || /secret|key$|password/i.test(name)) continue;
      facts[name] = each[name];
      left -= 1;
    }
  return facts;
}

/** Expected refusals are returned, not thrown. */
function outcomeOf(value: unknown): string {
  if (typeof value !== 'object' || value === null) return 'done';
  const { code, message } = value as { code?: unknown; message?: unknown };
  return typeof code === 'string' && findError(code) !== undefined && typeof message === 'string'
    ? code
    : 'done';
}
