/** @file Documents in memory: an index of their words, and their texts as bytes outside of the heap. */
import { data } from '@espalier/plugin-kit';

/** A document to add. */
export interface Document {
  readonly id: string;
  readonly title: string;
  readonly text: string;
}

export interface Corpus {
  readonly size: number;
  readonly index: data.SearchIndex;
  /** numbers of documents by id */
  readonly numbers: ReadonlyMap<string, number>;
  document(number: number): Document;
}

/** Bytes that hold texts together; a text that is longer has a block of its own. */
const blockSize = 2 ** 22;

/** Texts as UTF-8, several to a block. */
class TextStore {
  readonly #blocks: Buffer[] = [];
  readonly #places: number[] = [];
  #used = blockSize;

  add(text: string): void {
    const length = Buffer.byteLength(text);
    if (this.#used + length > (this.#blocks.at(-1)?.length ?? 0)) {
      this.#blocks.push(Buffer.allocUnsafeSlow(Math.max(blockSize, length)));
      this.#used = 0;
    }
    this.#blocks.at(-1)!.write(text, this.#used);
    this.#places.push(this.#blocks.length - 1, this.#used, this.#used + length);
    this.#used += length;
  }

  text(number: number): string {
    const [block = 0, start, end] = this.#places.slice(3 * number, 3 * number + 3);
    return this.#blocks[block]?.toString('utf8', start, end) ?? '';
  }
}

/** Indexes documents as they come; each is held once, as bytes. */
export function buildCorpus(documents: Iterable<Document>, progress?: (count: number) => void): Corpus {
  const ids: string[] = [];
  const titles: string[] = [];
  const texts = new TextStore();
  const numbers = new Map<string, number>();
  const index = data.buildSearchIndex(
    (function* () {
      for (const { id, title, text } of documents) {
        numbers.set(id, ids.length);
        ids.push(id);
        titles.push(title);
        texts.add(text);
        yield `${title}\n${text}`;
        progress?.(ids.length);
      }
    })(),
    ids,
  );
  return {
    size: ids.length,
    index,
    numbers,
    document: (number) => ({ id: ids[number]!, title: titles[number]!, text: texts.text(number) }),
  };
}
