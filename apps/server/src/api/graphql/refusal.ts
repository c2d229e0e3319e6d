/**
 * @file Expected refusals: what a client should be ready for, as members of the result unions of mutations. Everything
 * else is thrown and arrives as an error with `extensions.code`. Members of a union are told apart by `__typename`, which
 * refusals have from their class and results from {@link as}.
 */
import { type AppError, type ErrorCode, isAppError } from '@espalier/contracts';
import { Field, InterfaceType, ObjectType } from '@nestjs/graphql';
import type { JobState } from '@espalier/protocol';
import { isSpecError, problemsOf } from '../../core/runs/refusals.js';
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

/** Tells the members of a result union apart. */
export const resolveType = (value: object): string => (value as Tagged).__typename;

@InterfaceType({ description: 'An expected refusal: nothing was changed.', resolveType })
export abstract class Refusal {
  abstract readonly __typename: string;

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

  static accepts = (error: AppError): boolean => invalid.includes(error.code) || isSpecError(error);
}

@ObjectType({ implements: () => Refusal, description: 'There is no such thing, or the key cannot see it.' })
export class NotFound extends Refusal {
  readonly __typename = 'NotFound';

  static accepts = ({ code }: AppError): boolean => code === 'server.not_found';
}

@ObjectType({ implements: () => Refusal, description: 'Not possible in its current state.' })
export class WrongState extends Refusal {
  readonly __typename = 'WrongState';

  @Field(() => JobStateEnum, { description: 'Its current state.' })
  state!: JobState;

  static accepts = ({ code }: AppError): boolean => code === 'run.wrong_state' || code === 'job.wrong_state';
}

@ObjectType({
  implements: () => Refusal,
  description: 'Not possible for another reason, which `code` names.',
})
export class NotPossible extends Refusal {
  readonly __typename = 'NotPossible';

  static accepts = ({ code }: AppError): boolean => impossible.includes(code) || code.startsWith('plugin.');
}

const invalid: readonly ErrorCode[] = ['access.invalid_key'];
const impossible: readonly ErrorCode[] = [
  'access.denied',
  'access.last_admin',
  'run.idempotency_key_reused',
  'run.not_possible',
  'worker.not_possible',
];

type RefusalClass = typeof InvalidInput | typeof NotFound | typeof WrongState | typeof NotPossible;

/**
 * Does the work of a mutation; an expected refusal is its answer, anything else is thrown on.
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
    const type = expected.find((candidate) => candidate.accepts(error));
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
