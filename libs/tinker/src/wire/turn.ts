/** @file Whose turn a request takes: enough of a body to read where the whole is refused. */
import { BinaryReader } from '@bufbuild/protobuf/wire';
import { z } from 'zod';

export interface Turn {
  readonly modelId: string;
  readonly seqId: number;
}

const turn = z.object({ model_id: z.string(), seq_id: z.int() });

/** Of a JSON body; undefined: it does not say, or has none. */
export function turnOfJson(body: unknown): Turn | undefined {
  const { data } = turn.safeParse(body);
  return data === undefined ? undefined : { modelId: data.model_id, seqId: data.seq_id };
}

/** Of a pass in the binary form, as far as it can be read; empty and 0 where it does not say. */
export function turnOfPass(bytes: Uint8Array): Turn {
  const reader = new BinaryReader(bytes);
  let [modelId, seqId] = ['', 0];
  try {
    while (reader.pos < reader.len) {
      const [field, type] = reader.tag();
      if (field === 1) modelId = reader.string();
      else if (field === 2) seqId = reader.int32();
      else reader.skip(type);
    }
  } catch {
    // cut short, or of another form: both stand at the beginning
  }
  return { modelId, seqId };
}
