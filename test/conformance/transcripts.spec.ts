/** @file The transcripts in the READMEs of environments are what these seeds play. */
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { EnvironmentDefinition, EnvironmentInstance } from '@espalier/plugin-kit';
import { describe, expect, it } from 'vitest';

const folder = fileURLToPath(new URL('../../plugins/environments', import.meta.url));

/** Blocks that begin with `$ espalier play`; Harbor's needs a sandbox that not every machine has. */
const transcripts = readdirSync(folder)
  .filter((id) => id !== 'harbor')
  .flatMap((id) =>
    [
      ...readFileSync(`${folder}/${id}/README.md`, 'utf8').matchAll(
        /^```\n\$ espalier play (\S+)(.*)\n([^]*?)^```$/gm,
      ),
    ].map(([, used = '', flags = '', body = '']) => [`${used}${flags}`, used, flags, body] as const),
  );

const squeeze = (text: string): string => text.replace(/\s+/g, ' ').trim();

/** Whether the parts between ellipses stand in a text, one after the other. */
function quotes(text: string, quoted: string): boolean {
  let from = 0;
  return quoted.split('…').every((part) => {
    const place = squeeze(text).indexOf(squeeze(part), from);
    from = place + squeeze(part).length;
    return place >= 0;
  });
}

/** Plays what a transcript plays, and compares pages, rewards and plans. Returns how many actions there were. */
async function replay(instance: EnvironmentInstance, body: string, seed: number): Promise<number> {
  let page = (await instance.reset({ state: seed, noise: seed })).text;
  let block: string[] = [];
  let actions = 0;
  const endBlock = (): void => {
    // after several actions in one turn only the last page is shown
    if (block.join('').trim() !== '') expect(block.join('\n')).toContain(page.trim());
    block = [];
  };
  for (const [place, line] of body.split('\n').entries()) {
    const [, written, reward, rest] = /^(.*): reward (-?[\d.]+)(.*)$/.exec(line) ?? [];
    if (line.startsWith('oracle: ')) {
      const [plan = ''] = body
        .split('\n')
        .slice(place)
        .join('\n')
        .split(/\n(?! )/);
      expect(quotes(`oracle: ${instance.oracle!().join(', ')}`, plan), plan).toBe(true);
    } else if (written === undefined) block.push(line);
    else {
      // an action of several lines begins behind the last empty one
      const action = [...block.splice(block.lastIndexOf('') + 1), written].join('\n');
      endBlock();
      const result = await instance.step(action);
      expect(result.reward, action).toBeCloseTo(Number(reward), 5);
      expect(result.valid, action).toBe(!rest!.includes('not a legal action'));
      page = result.observation.text;
      actions++;
    }
  }
  endBlock();
  return actions;
}

describe('the transcript of', () => {
  it('every environment that plays by itself is there', () => {
    expect(new Set(transcripts.map(([, id]) => id)).size).toBeGreaterThanOrEqual(12);
  });

  it.each(transcripts)('%s', async (_name, id, flags, body) => {
    const { default: definition } = (await import(`@espalier/environment-${id}`)) as {
      default: EnvironmentDefinition<unknown>;
    };
    const seed = Number(/--seed (\d+)/.exec(flags)?.[1] ?? 0);
    const params = JSON.parse(/--params '(.*)'/.exec(flags)?.[1] ?? '{}') as object;
    const instance = definition.create(definition.params.parse(params));
    try {
      expect(await replay(instance, body, seed)).toBeGreaterThan(0);
    } finally {
      await instance.close?.();
    }
  });
});
