/**
 * @file Handles every GraphQL operation, over HTTP and sockets: finds the caller, checks the limits, and formats errors
 * (`extensions: { code, requestId }`, no stacks).
 */
import { AppError } from '@espalier/contracts';
import { Inject, Injectable } from '@nestjs/common';
import { type DocumentNode, GraphQLError, type GraphQLFormattedError, type GraphQLSchema } from 'graphql';
import { bearerOf, type CallerHolder } from '../../access/request-context.js';
import { KeyService } from '../../../core/access/key.service.js';
import { SERVER_OPTIONS, type ServerOptions } from '../../../config/server-options.js';
import { validateStorable, validateStorableDocument } from '../../http/storable-text.js';
import { ErrorReport } from '../../errors/error-report.js';
import { currentRequestId } from '../../../logging/request-scope.js';
import { validateLimits } from '../limits/operation-limits.js';

/** An operation as a client sends it. */
export interface OperationRequest {
  readonly operationName?: string | null | undefined;
  readonly variables?: Readonly<Record<string, unknown>> | null | undefined;
}

@Injectable()
export class GraphqlHandler {
  constructor(
    private readonly keys: KeyService,
    private readonly report: ErrorReport,
    @Inject(SERVER_OPTIONS) private readonly options: ServerOptions,
  ) {}

  get maxTokens(): number {
    return this.options.graphql.maxTokens;
  }

  /** Authenticates a request; without a key even introspection is refused. */
  async admit(request: CallerHolder): Promise<{ req: CallerHolder }> {
    try {
      request.caller ??= await this.keys.authenticate(bearerOf(request.headers));
      return { req: request };
    } catch (error) {
      throw this.toGraphqlError(error);
    }
  }

  /** Refuses an operation that exceeds the limits. */
  check(schema: GraphQLSchema, document: DocumentNode, request: OperationRequest): void {
    try {
      validateStorableDocument(document);
      validateStorable('read the variables', request.variables);
      validateLimits(schema, document, request, this.options.graphql);
    } catch (error) {
      throw this.toGraphqlError(error);
    }
  }

  /** Refuses a subscription over HTTP, which has one response. */
  refuseSubscription(): never {
    throw this.toGraphqlError(
      new AppError(
        'graphql.invalid',
        'subscribe: a request has one answer; open a WebSocket at /graphql (protocol graphql-transport-ws)',
      ),
    );
  }

  /** Formats an error for the client. */
  format(error: unknown, requestId: string = currentRequestId()): GraphQLFormattedError {
    if (isFormatted(error)) return withoutStatus(error);
    const { code, message, retryAfter } = this.report.serialize(error);
    const extensions = {
      code,
      ...(requestId !== '' && { requestId }),
      ...(retryAfter !== undefined && { retryAfter }),
    };
    if (!(error instanceof GraphQLError)) return { message, extensions };
    const { locations, path } = error;
    return { message, ...(locations && { locations }), ...(path && { path }), extensions };
  }

  private toGraphqlError(error: unknown): GraphQLError {
    const { code, message, status, retryAfter } = this.report.serialize(error);
    const requestId = currentRequestId();
    return new GraphQLError(message, {
      extensions: {
        code,
        ...(requestId !== '' && { requestId }),
        ...(retryAfter !== undefined && { retryAfter }),
        http: { status },
        [formatted]: true,
      },
    });
  }
}

const formatted = Symbol('formatted');

/** Whether it has been counted and formatted already. */
function isFormatted(error: unknown): error is GraphQLError {
  return error instanceof GraphQLError && formatted in error.extensions;
}

function withoutStatus(error: GraphQLError): GraphQLFormattedError {
  const { http: _, ...extensions } = error.extensions;
  return { message: error.message, extensions };
}
