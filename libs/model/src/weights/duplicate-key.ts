/** @file Finds what JSON.parse hides: a key written twice in one object. */

/** Finds the first key that occurs twice within one object of a valid JSON text. */
export function findDuplicateKey(json: string): string | undefined {
  const open: Set<string>[] = [];
  // a string without an end reaches to the end of the text, so that no later quotation mark is tried again
  for (const token of json.matchAll(/"(?:[^"\\]|\\.?)*(?:"(\s*:)?|$)|[{}]/gs)) {
    const text = token[0];
    if (text === '{') open.push(new Set());
    else if (text === '}') open.pop();
    else if (token[1] !== undefined) {
      const key = JSON.parse(text.slice(0, text.length - token[1].length)) as string;
      const keys = open.at(-1);
      if (keys?.has(key)) return key;
      keys?.add(key);
    }
  }
  return undefined;
}
