/**
 * @file The "Precompiled" step of tokenizers that SentencePiece trained (T5, XLM-R, ALBERT): a map from characters to
 * others, as a trie of bytes. The library puts one fixed map in its place, which differs in tabs and line ends for models
 * that were trained with another. This is the algorithm of the Python library.
 */
interface NormalizerStep {
  readonly config?: { readonly type?: unknown; readonly precompiled_charsmap?: unknown };
  readonly normalizers?: readonly (NormalizerStep | null)[];
  normalize?: (text: string) => string;
}

/** Makes each "Precompiled" step of a normalizer apply its own map. @throws RangeError for a map that is cut short */
export function applyCharacterMaps(normalizer: unknown): void {
  const step = normalizer as NormalizerStep | null;
  for (const inner of step?.normalizers ?? []) applyCharacterMaps(inner);
  const { type, precompiled_charsmap: map } = step?.config ?? {};
  if (step !== null && type === 'Precompiled' && typeof map === 'string')
    step.normalize = createCharacterMap(Buffer.from(map, 'base64'));
}

/** More bytes than a grapheme may have to be looked up as a whole. */
const longGrapheme = 6;
const graphemes = new Intl.Segmenter(undefined, { granularity: 'grapheme' });

/** @param map the length of the trie in bytes, the trie as a double array, the texts that it leads to, each ended by 0 */
function createCharacterMap(map: Buffer): (text: string) => string {
  const trieBytes = map.length < 4 ? 0 : map.readUInt32LE();
  if (map.length < 4 || trieBytes % 4 !== 0 || 4 + trieBytes > map.length)
    throw new RangeError(`its precompiled_charsmap of ${map.length} bytes is cut short`);
  const trie = Uint32Array.from({ length: trieBytes / 4 }, (_, index) => map.readUInt32LE(4 + 4 * index));
  const texts = map.subarray(4 + trieBytes);
  const textAt = (start: number): string => {
    const end = texts.indexOf(0, start);
    return texts.toString('utf8', start, end < 0 ? texts.length : end);
  };
  const known = new Map<string, string | undefined>();
  const find = (chunk: string): string | undefined => {
    if (known.has(chunk)) return known.get(chunk);
    const start = findPrefix(trie, Buffer.from(chunk));
    const found = start === undefined ? undefined : textAt(start);
    if (known.size < 65_536) known.set(chunk, found);
    return found;
  };
  const normalizeGrapheme = (grapheme: string): string => {
    const whole = Buffer.byteLength(grapheme) < longGrapheme ? find(grapheme) : undefined;
    return whole ?? Array.from(grapheme, (character) => find(character) ?? character).join('');
  };
  return (text) => Array.from(graphemes.segment(text), ({ segment }) => normalizeGrapheme(segment)).join('');
}

/** Finds the value of the shortest prefix that a trie has. */
function findPrefix(trie: Uint32Array, key: Uint8Array): number | undefined {
  const offset = (unit: number): number => (unit >>> 10) << ((unit & 512) >>> 6);
  let node = offset(trie[0] ?? 0);
  for (const byte of key) {
    if (byte === 0) return undefined;
    node ^= byte;
    const unit = trie[node];
    if (unit === undefined || (unit & 0x80_00_00_ff) >>> 0 !== byte) return undefined;
    node ^= offset(unit);
    if ((unit & 256) !== 0) return (trie[node] ?? 0) & 0x7f_ff_ff_ff;
  }
  return undefined;
}
