/**
 * @file What mutations take and return: one `input`, and a union of a result and the refusals that a client should expect.
 * Every other error is thrown and arrives with `extensions.code`. `__typename` discriminates the members of a union;
 * refusals have it from their class, results from {@link as}.
 */
import { isAppError } from '@espalier/contracts';
import { findError, type RefusalName } from '@espalier/contracts/error-codes';
import {
  type CallHandler,
  type ExecutionContext,
  Injectable,
  type NestInterceptor,
  type Type,
} from '@nestjs/common';
import { Args, createUnionType, Field, InterfaceType, ObjectType, type Union } from '@nestjs/graphql';
import type { JobState } from '@espalier/protocol';
import { type Observable, tap } from 'rxjs';
import { problemsOf } from '../../core/runs/refusals.js';
import { ErrorReport } from '../errors/error-report.js';
import { JobStateEnum } from './enums.js';

interface Tagged {
  readonly __typename: string;
}

/** The value of a result union that is not a refusal. */
export const as = <T extends object, const N extends string>(
  name: N,
  value: T,
): T & { readonly __typename: N } => ({
  ...value,
  __typename: name,
});

const resolveType = (value: object): string => (value as Tagged).__typename;

/** The argument of a mutation. */
export const Input = (type: Type<unknown>): ParameterDecorator =>
  Args('input', { type: () => type, description: 'What to do.' });

/** Makes the union that a mutation returns: its result, and the refusals to expect. */
export const resultOf = <T extends readonly Type<unknown>[]>(
  name: string,
  description: string,
  ...types: T
): Union<T> => createUnionType({ name, description, types: () => types, resolveType });

@InterfaceType({ description: 'An expected refusal: nothing was changed.', resolveType })
export abstract class Refusal {
  abstract readonly __typename: RefusalName;

  @Field(() => String, { description: 'Stable code; docs/use/api.md lists the usual ones.' })
  code!: string;

  @Field(() => String, { description: 'The operation, the finding, and the remedy.' })
  message!: string;

  @Field(() => String, { nullable: true, description: 'The remedy alone, where the message has one.' })
  remedy!: string | null;
}

@ObjectType({ implements: () => Refusal, description: 'A spec or another input is invalid.' })
export class InvalidInput extends Refusal {
  readonly __typename = 'InvalidInput';

  @Field(() => [String], { description: 'Every problem found, a sentence each.' })
  problems!: string[];
}

@ObjectType({ implements: () => Refusal, description: 'There is no such thing, or the key cannot see it.' })
export class NotFound extends Refusal {
  readonly __typename = 'NotFound';
}

@ObjectType({ implements: () => Refusal, description: 'Not possible in its current state.' })
export class WrongState extends Refusal {
  readonly __typename = 'WrongState';

  @Field(() => JobStateEnum, { description: 'Its current state.' })
  state!: JobState;
}

@ObjectType({
  implements: () => Refusal,
  description: 'Not possible for another reason, which `code` names.',
})
export class NotPossible extends Refusal {
  readonly __typename = 'NotPossible';
}

type RefusalClass = typeof InvalidInput | typeof NotFound | typeof WrongState | typeof NotPossible;

/**
 * Does the work of a mutation. Returns an expected refusal; rethrows any other error.
 *
 * @param expected those of the mutation's union
 */
export async function orRefuse<T, R extends RefusalClass>(
  expected: readonly R[],
  work: () => Promise<T>,
): Promise<T | InstanceType<R>> {
  try {
    return await work();
  } catch (error) {
    if (!isAppError(error)) throw error;
    const names = findError(error.code)?.refusals ?? [];
    const type = expected.find(({ name }) => names.some((known) => known === name));
    if (type === undefined) throw error;
    const { code, message, details } = error;
    const problems = problemsOf(error);
    return Object.assign(new type() as InstanceType<R>, {
      code,
      message,
      remedy: remedyOf(message),
      problems,
      state: details['state'],
    });
  }
}

/** What follows the last semicolon of *operation: finding; remedy*. */
function remedyOf(message: string): string | null {
  const at = message.lastIndexOf('; ');
  return at === -1 ? null : message.slice(at + 2);
}

/** Counts the refusals that GraphQL returns as values; over REST they are thrown and counted by the filter. */
@Injectable()
export class RefusalInterceptor implements NestInterceptor {
  constructor(private readonly report: ErrorReport) {}

  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    if (context.getType<string>() !== 'graphql') return next.handle();
    return next.handle().pipe(
      tap((value: unknown) => {
        if (value instanceof Refusal) this.report.countRefusal(value);
      }),
    );
  }
}
