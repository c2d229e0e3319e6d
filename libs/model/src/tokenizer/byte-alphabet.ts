/**
 * @file The printable stand-ins of the 256 bytes that byte-level BPE vocabularies are written in.
 * Source: Radford et al. 2019 (GPT-2); every tool that reads a `ByteLevel` tokenizer.json expects exactly these.
 */

const isPrintable = (byte: number) =>
  (byte >= 33 && byte <= 126) || (byte >= 161 && byte <= 172) || byte >= 174;

/** byte → character */
export const byteAlphabet: readonly string[] = (() => {
  let substitute = 256;
  return Array.from({ length: 256 }, (_, byte) =>
    String.fromCharCode(isPrintable(byte) ? byte : substitute++),
  );
})();

/** Encodes text as one stand-in character per UTF-8 byte. */
export function encodeBytes(text: string): string[] {
  return Array.from(new TextEncoder().encode(text), (byte) => byteAlphabet[byte]!);
}
