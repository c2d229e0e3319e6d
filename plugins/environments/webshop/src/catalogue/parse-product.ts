/** @file WebShop's raw records as products: what its loader does with each field, and a finding where one is unusable. */
import { z } from 'zod';
import type { HumanInstruction, Product, ProductOption, SyntheticInstruction } from './product.js';

const text = z.string();

const rawId = z.object({ asin: text });

const rawProduct = z.object({
  asin: text,
  name: text,
  full_description: text,
  small_description: z.union([z.array(text), text]),
  category: text,
  query: text,
  product_category: text,
  pricing: z.union([text, z.array(z.number())]).nullish(),
  customization_options: z
    .union([z.literal(''), z.record(text, z.array(z.object({ value: text })).nullable())])
    .nullish(),
  nouns: z.array(text).optional(),
});

const rawAttributes = z.object({
  attributes: z.array(text).optional(),
  instruction: text.nullish(),
  instruction_attributes: z.array(text).nullish(),
});

const rawHuman = z.array(
  z.object({
    instruction: text,
    instruction_attributes: z.array(text),
    instruction_options: z.array(text),
  }),
);

/** What a products file says of a product; attributes and tasks are in other files. */
export type ListedProduct = Omit<Product, 'attributes' | 'instruction' | 'human'>;

/** What the attributes file says of a product. */
export interface ProductAttributes {
  readonly attributes?: readonly string[];
  readonly instruction?: SyntheticInstruction;
}

/** A value, or what is wrong with it. */
export type Parsed<T> = { readonly value: T } | { readonly finding: string };

/**
 * Parses a record of a products file; the value is undefined for a record that WebShop leaves out, whatever else is in it.
 *
 * @param seen ids of earlier records
 */
export function parseProduct(raw: unknown, seen: ReadonlySet<string>): Parsed<ListedProduct | undefined> {
  const id = rawId.safeParse(raw).data?.asin;
  if (id !== undefined && (id === 'nan' || id.length > 10 || id === '' || seen.has(id)))
    return { value: undefined };
  const parsed = rawProduct.safeParse(raw);
  if (!parsed.success) return { finding: describe(parsed.error) };
  const { asin, name, full_description, small_description, category, query, product_category, nouns } =
    parsed.data;
  const pricing = parsePricing(parsed.data.pricing);
  if (typeof pricing === 'string') return { finding: pricing };
  return {
    value: {
      asin,
      title: name,
      description: full_description,
      bullets: typeof small_description === 'string' ? [small_description] : small_description,
      category,
      query: query.toLowerCase().trim(),
      path: product_category,
      pricing,
      options: parseOptions(parsed.data.customization_options),
      ...(nouns !== undefined && { nouns }),
    },
  };
}

/** Parses an entry of the attributes file. */
export function parseAttributes(raw: unknown): Parsed<ProductAttributes> {
  const parsed = rawAttributes.safeParse(raw);
  if (!parsed.success) return { finding: describe(parsed.error) };
  const { attributes, instruction, instruction_attributes: wanted } = parsed.data;
  const value = { ...(attributes !== undefined && { attributes }) };
  if (instruction === undefined || instruction === null) return { value };
  if (wanted === undefined || wanted === null || wanted.length === 0)
    return { finding: 'has an instruction without instruction_attributes; expected at least one' };
  return { value: { ...value, instruction: { text: instruction, attributes: wanted } } };
}

/** Parses an entry of the file of instructions that people wrote. */
export function parseHuman(raw: unknown): Parsed<readonly HumanInstruction[]> {
  const parsed = rawHuman.safeParse(raw);
  if (!parsed.success) return { finding: describe(parsed.error) };
  return {
    value: parsed.data.map(({ instruction, instruction_attributes, instruction_options }) => ({
      text: instruction,
      attributes: instruction_attributes,
      options: instruction_options,
    })),
  };
}

/** The numbers after each `$`; a product without a price costs 100. Returns a finding for what is no number. */
function parsePricing(raw: string | readonly number[] | null | undefined): readonly number[] | string {
  if (raw === undefined || raw === null || raw.length === 0) return [100];
  const numbers =
    typeof raw === 'string'
      ? raw
          .split('$')
          .slice(1)
          .map((part) => Number(part.replace(/[^\d.]/g, '') || 'x'))
      : raw;
  if (numbers.some((number) => !Number.isFinite(number)))
    return `pricing: ${JSON.stringify(raw).slice(0, 40)} has no number after a $; expected such as "$10.99"`;
  return numbers.length === 0 ? [100] : numbers.slice(0, 2);
}

function parseOptions(
  raw: '' | Readonly<Record<string, readonly { readonly value: string }[] | null>> | null | undefined,
): readonly ProductOption[] {
  if (raw === undefined || raw === null || raw === '') return [];
  const options = new Map<string, readonly string[]>();
  for (const [name, contents] of Object.entries(raw)) {
    if (contents === null) continue;
    const values = contents.map(({ value }) => value.trim().replaceAll('/', ' | ').toLowerCase());
    options.set(name.toLowerCase(), values);
  }
  return [...options].map(([name, values]) => ({ name, values }));
}

/** The first finding of a schema: `customization_options.Color: expected an array`. */
function describe(error: z.ZodError): string {
  const [issue] = error.issues;
  if (issue === undefined) return 'is invalid';
  const deepest = deepestIssue(issue);
  const path = deepest.path.map(String).join('.').slice(0, 120);
  return `${path === '' ? '' : `${path}: `}${deepest.message}`;
}

/** Of a union, the issue of the alternative that came furthest. */
function deepestIssue(issue: z.core.$ZodIssue): {
  readonly path: readonly PropertyKey[];
  readonly message: string;
} {
  if (issue.code !== 'invalid_union') return issue;
  const inner = issue.errors.flat().map(deepestIssue);
  const [deepest] = inner.sort((a, b) => b.path.length - a.path.length);
  if (deepest === undefined || deepest.path.length === 0)
    return { path: issue.path, message: inner.at(-1)?.message ?? issue.message };
  return { path: [...issue.path, ...deepest.path], message: deepest.message };
}
