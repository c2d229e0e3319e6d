import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { parsePipConfiguration, readPipSettings } from './pip-settings.js';

const folder = mkdtempSync(join(tmpdir(), 'espalier-pip-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function file(name: string, text: string): string {
  writeFileSync(join(folder, name), text);
  return join(folder, name);
}

describe('the settings of pip', () => {
  it('are read from a file as pip writes it', () => {
    const text = [
      '# a comment',
      '[global]',
      'index-url = https://a.example/simple',
      'extra_index_url =',
      '    https://b.example/simple',
      '    https://c.example/simple',
      'timeout: 60',
      '[install]',
      'find-links = /never',
      '[download]',
      'find-links = /wheels ~/more',
    ].join('\n');
    expect(parsePipConfiguration(text)).toEqual({
      'index-url': 'https://a.example/simple',
      'extra-index-url': '\nhttps://b.example/simple\nhttps://c.example/simple',
      timeout: '60',
      'find-links': '/wheels ~/more',
    });
  });

  it('come from later files before earlier ones, and from the environment before files', () => {
    const system = file('system.conf', '[global]\nindex-url = https://system.example\ncert = /system.pem\n');
    const user = file('user.conf', '[global]\nindex-url = https://user.example\n');
    const files = [system, user, join(folder, 'absent.conf')];
    expect(readPipSettings({}, files)).toEqual({
      indexes: ['https://user.example'],
      findLinks: [],
      certificate: '/system.pem',
    });
    const environment = { PIP_INDEX_URL: 'https://mine.example', PIP_EXTRA_INDEX_URL: 'https://x https://y' };
    expect(readPipSettings(environment, files).indexes).toEqual([
      'https://mine.example',
      'https://x',
      'https://y',
    ]);
    expect(readPipSettings({ ...environment, PIP_NO_INDEX: 'true' }, files).indexes).toEqual([]);
  });

  it('split lists at white space, and no single value', () => {
    const lists = ['[global]', 'find-links =', '    /one /two', '    https://three.example/wheels', ''];
    const listed = file('lists.conf', [...lists, 'cert = /my certificates/ca.pem'].join('\n'));
    const findLinks = ['/one', '/two', 'https://three.example/wheels'];
    const expected = { indexes: [], findLinks, certificate: '/my certificates/ca.pem' };
    expect(readPipSettings({}, [listed])).toEqual(expected);
    const environment = {
      PIP_CERT: '/other certificates/ca.pem',
      PIP_INDEX_URL: 'https://a.example/my simple',
    };
    expect(readPipSettings({ ...environment, PIP_FIND_LINKS: '/four\n/five' }, [listed])).toEqual({
      indexes: ['https://a.example/my simple'],
      findLinks: ['/four', '/five'],
      certificate: '/other certificates/ca.pem',
    });
    expect(readPipSettings({ PIP_CERT: ' ', PIP_INDEX_URL: ' ' }, [])).toEqual({
      indexes: [],
      findLinks: [],
      certificate: undefined,
    });
  });

  it('know no index that nobody chose', () => {
    expect(readPipSettings({}, [])).toEqual({ indexes: [], findLinks: [], certificate: undefined });
  });

  it('include the file that PIP_CONFIG_FILE names', () => {
    const named = file('named.conf', '[global]\nindex-url = https://named.example\n');
    expect(readPipSettings({ PIP_CONFIG_FILE: named }).indexes).toEqual(['https://named.example']);
  });
});
