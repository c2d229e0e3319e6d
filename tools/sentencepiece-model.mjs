/**
 * @file A Unigram model of SentencePiece as tokenizer.json, with the steps that transformers gives T5: for
 * check-tokenizers.mjs, because packages carry such models and hardly any carries such a tokenizer.json.
 */

/** Reads the fields of a protobuf message: number and value, which is a number or bytes. */
function* fieldsOf(bytes) {
  let at = 0;
  const varint = () => {
    let value = 0;
    for (let scale = 1; ; scale *= 128) {
      const byte = bytes[at++];
      value += (byte & 127) * scale;
      if (byte < 128) return value;
    }
  };
  while (at < bytes.length) {
    const key = varint();
    const kind = key & 7;
    if (kind === 0) yield [key >> 3, varint()];
    else if (kind === 5) {
      yield [key >> 3, bytes.readFloatLE(at)];
      at += 4;
    } else if (kind === 2) {
      const length = varint();
      yield [key >> 3, bytes.subarray(at, at + length)];
      at += length;
    } else throw new Error(`a field of kind ${kind} is not expected`);
  }
}

const types = { unknown: 2, control: 3 };

/** @param bytes contents of a `.model` file */
export function convertUnigram(bytes) {
  const vocab = [];
  const added = [];
  let unknown = 0;
  let charsmap = Buffer.alloc(0);
  for (const [field, value] of fieldsOf(bytes)) {
    if (field === 1) {
      const piece = Object.fromEntries(fieldsOf(value));
      const [content, score, type] = [piece[1].toString('utf8'), piece[2] ?? 0, piece[3] ?? 1];
      if (type === types.unknown) unknown = vocab.length;
      if (Object.values(types).includes(type)) added.push(addedToken(vocab.length, content));
      vocab.push([content, score]);
    } else if (field === 3) charsmap = Object.fromEntries(fieldsOf(value))[2] ?? charsmap;
  }
  const metaspace = { type: 'Metaspace', replacement: '▁', prepend_scheme: 'always', split: true };
  return {
    version: '1.0',
    added_tokens: added,
    normalizer: {
      type: 'Sequence',
      normalizers: [
        { type: 'Precompiled', precompiled_charsmap: charsmap.toString('base64') },
        { type: 'Strip', strip_left: false, strip_right: true },
        { type: 'Replace', pattern: { Regex: ' {2,}' }, content: '▁' },
      ],
    },
    pre_tokenizer: metaspace,
    post_processor: null,
    decoder: metaspace,
    model: { type: 'Unigram', unk_id: unknown, vocab, byte_fallback: false },
  };
}

function addedToken(id, content) {
  return { id, content, single_word: false, lstrip: false, rstrip: false, normalized: false, special: true };
}
