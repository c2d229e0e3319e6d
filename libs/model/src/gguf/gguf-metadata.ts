/** @file Typed access to the metadata of a GGUF file; a value that is missing or of another type is refused by its key. */
import { type GgufHeader, type GgufValue, unsupportedGguf } from './parse-gguf.js';

/** Shows a value of a file in a sentence. */
export function showValue(value: GgufValue | undefined): string {
  const text = JSON.stringify(value) ?? 'missing';
  return text.length > 60 ? `${text.slice(0, 57)}…` : text;
}

export class GgufMetadata {
  constructor(
    private readonly header: Pick<GgufHeader, 'metadata'>,
    readonly source: string,
  ) {}

  /** Refuses the file for what a key says. @throws model.unsupported_gguf */
  refuse(key: string, expectation: string): never {
    const value = this.header.metadata.get(key);
    const finding = value === undefined ? `${key} is missing` : `${key} is ${showValue(value)}`;
    throw unsupportedGguf(this.source, `${finding}; ${expectation}`);
  }

  get(key: string): GgufValue | undefined {
    return this.header.metadata.get(key);
  }

  optionalNumber(key: string): number | undefined {
    const value = this.get(key);
    if (value === undefined || typeof value === 'number') return value;
    return this.refuse(key, 'expected a number');
  }

  number(key: string): number {
    return this.optionalNumber(key) ?? this.refuse(key, 'expected a number');
  }

  /** The shortest decimal of a float32: 1e-5 and not 9.999999747378752e-6. */
  optionalFloat(key: string): number | undefined {
    const value = this.optionalNumber(key);
    if (value === undefined || Math.fround(value) !== value) return value;
    for (let digits = 1; digits < 9; digits++) {
      const short = Number(value.toPrecision(digits));
      if (Math.fround(short) === value) return short;
    }
    return value;
  }

  optionalText(key: string): string | undefined {
    const value = this.get(key);
    if (value === undefined || typeof value === 'string') return value;
    return this.refuse(key, 'expected a text');
  }

  optionalFlag(key: string): boolean | undefined {
    const value = this.get(key);
    if (value === undefined || typeof value === 'boolean') return value;
    return this.refuse(key, 'expected true or false');
  }

  optionalTexts(key: string): readonly string[] | undefined {
    return this.#list(key, 'string') as readonly string[] | undefined;
  }

  texts(key: string): readonly string[] {
    return this.optionalTexts(key) ?? this.refuse(key, 'expected a list of texts');
  }

  optionalNumbers(key: string): readonly number[] | undefined {
    return this.#list(key, 'number') as readonly number[] | undefined;
  }

  #list(key: string, type: 'string' | 'number'): readonly GgufValue[] | undefined {
    const value = this.get(key);
    if (value === undefined) return undefined;
    if (Array.isArray(value) && value.every((entry) => typeof entry === type)) return value as GgufValue[];
    return this.refuse(key, `expected a list of ${type}s`);
  }
}
