import * as swagger from '@nestjs/swagger';
import { describe, expect, it } from 'vitest';
import { ApiBody, ApiOperation, ApiQuery, applyPending, queryParametersOf } from './open-api-decorators.js';

let described = 0;
class Example {
  @ApiOperation({ summary: 'Reads.' })
  @ApiQuery({ name: 'from', required: false })
  @ApiQuery({ name: 'to', required: true })
  read(): void {}

  @ApiBody(() => ({ required: (described += 1) > 0, schema: {} }))
  write(): void {}
}
const { read, write } = Example.prototype as unknown as Record<'read' | 'write', object>;
const parametersOf = (handler: object): unknown =>
  Reflect.getMetadata(swagger.DECORATORS.API_PARAMETERS, handler);

describe('what routes say of themselves', () => {
  it('is known at once for queries, and told to the package for OpenAPI once it is asked for', () => {
    expect(queryParametersOf(read)).toEqual(['to', 'from']);
    expect(queryParametersOf(write)).toEqual([]);
    expect(parametersOf(read)).toBeUndefined();
    expect(described).toBe(0);
    applyPending(swagger);
    applyPending(swagger);
    expect(parametersOf(read)).toMatchObject([
      { name: 'to', in: 'query' },
      { name: 'from', in: 'query' },
    ]);
    expect(Reflect.getMetadata(swagger.DECORATORS.API_OPERATION, read)).toMatchObject({ summary: 'Reads.' });
    expect(described).toBe(1);
  });
});
