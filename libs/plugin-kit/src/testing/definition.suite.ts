/**
 * @file The tests of all definitions: a valid id, a summary, documented params.
 */
import { expect, it } from 'vitest';
import { type Definition, paramsJsonSchema } from '../definition.js';

interface JsonSchema {
  readonly properties?: Readonly<Record<string, { readonly description?: string; readonly $ref?: string }>>;
}

/** Tests the common part of all definitions. Call it inside a `describe`. */
export function describeDefinition<Params>(
  definition: Definition<string, Params>,
  given: Readonly<Record<string, unknown>>,
): void {
  it('has an id of lower-case words, a one-sentence summary and a kit range', () => {
    expect(definition.id).toMatch(/^[a-z][a-z0-9]*(-[a-z0-9]+)*$/);
    expect(definition.summary.length).toBeGreaterThan(0);
    expect(definition.summary).not.toContain('\n');
    expect(definition.kit).toMatch(/^[\^~]?\d/);
  });

  it('accepts its params and describes each', () => {
    expect(() => definition.params.parse(given)).not.toThrow();
    const schema = paramsJsonSchema(definition) as JsonSchema;
    // beside `use` in a configuration, these are options of the run, and never reach a plugin
    for (const name of [
      'use',
      ...(definition.kind === 'environment' ? ['preset'] : []),
      'isolation',
      'callTimeoutMs',
      ...(definition.kind === 'reward' ? ['weight'] : []),
    ])
      expect(
        Object.keys(schema.properties ?? {}),
        `params.${name}: the run has an option of this name; rename it`,
      ).not.toContain(name);
    for (const [name, property] of Object.entries(schema.properties ?? {})) {
      expect(property.description, `params.${name}: add .describe('…')`).toBeTruthy();
    }
  });

  it('rejects an unknown option', () => {
    expect(definition.params.safeParse({ ...given, 'no such option': 1 }).success).toBe(false);
  });

  it('fills in the same defaults every time', () => {
    expect(definition.params.parse(given)).toEqual(definition.params.parse(given));
  });
}
