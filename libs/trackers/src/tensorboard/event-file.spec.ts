import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { crc32c } from './crc32c.js';
import { encodeRecord, encodeSummary, encodeVersion } from './event-file.js';

describe('CRC-32C', () => {
  it('has the values of RFC 3720, B.4', () => {
    const ascending = Uint8Array.from({ length: 32 }, (_, index) => index);
    expect(crc32c(new Uint8Array(32))).toBe(0x8a9136aa);
    expect(crc32c(new Uint8Array(32).fill(0xff))).toBe(0x62a8ab43);
    expect(crc32c(ascending)).toBe(0x46dd794e);
    expect(crc32c(ascending.toReversed())).toBe(0x113fdb5c);
  });
});

describe('an event file', () => {
  it('is the one that the package tensorboard writes, byte for byte', () => {
    const golden = JSON.parse(
      readFileSync(new URL('../../../../test/golden/trackers/events.json', import.meta.url), 'utf8'),
    ) as { file: string };
    const events = [
      encodeVersion(1_700_000_000_250),
      encodeSummary(1_700_000_001_500, 3, [
        { tag: 'rollout/success_rate', scalar: 0.375 },
        { tag: 'policy/gradient_norm', scalar: Number.NaN },
        { tag: 'big', scalar: 1e300 },
      ]),
      encodeSummary(1_700_000_002_000, 0, [{ tag: 'options', text: '| größe | 1 |' }]),
    ];
    expect(Buffer.concat(events.map(encodeRecord)).toString('base64')).toBe(golden.file);
  });
});
