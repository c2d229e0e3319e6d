import { spawnSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { passEnvironment, pluginEnvironment } from './plugin-environment.js';

const kept = {
  PATH: 'bin',
  HOME: 'home',
  HTTPS_PROXY: 'http://proxy',
  no_proxy: 'x',
  LD_LIBRARY_PATH: 'lib',
  ESPALIER_LOG: 'info',
  HF_TOKEN: 'hf',
  HF_HOME: 'cache',
  TOKENIZERS_PARALLELISM: '1',
  PAGER: 'less',
};
const dropped = {
  ESPALIER__WORKER__KEY: 's',
  espalier__worker__key: 's',
  ESPALIER_KEY: 's',
  AWS_ACCESS_KEY_ID: 's',
  AWS_PROFILE: 's',
  PGPASSWORD: 's',
  PGHOST: 's',
  DATABASE_URL: 's',
  REDIS_URL: 's',
  REDISCLI_AUTH: 's',
  GITHUB_TOKEN: 's',
  CLIENT_SECRET: 's',
  DB_PASSWORD: 's',
  OPENAI_API_KEY: 's',
  openai_api_key: 's',
};

describe('the environment of plugins', () => {
  it('is that of their host without secrets, in a real process', () => {
    const env = pluginEnvironment({ ...kept, ...dropped, GONE: undefined }, passEnvironment.parse(undefined));
    const script = 'console.log(JSON.stringify(process.env))';
    const { stdout } = spawnSync(process.execPath, ['-e', script], { env, encoding: 'utf8' });
    const seen = JSON.parse(stdout) as Record<string, string>;
    expect(seen).toMatchObject(kept);
    expect(Object.keys(seen).filter((name) => name in dropped)).toEqual([]);
  });

  it('has the key of an engine where it can be sent to one server only', () => {
    const passed = passEnvironment.parse(undefined);
    const key = { TINKER_API_KEY: 's' };
    const pinned = { ...key, TINKER_BASE_URL: 'http://gpu-1:8000' };
    expect(pluginEnvironment(pinned, passed)).toEqual(pinned);
    expect(pluginEnvironment(key, passed)).toEqual({});
    expect(pluginEnvironment({ ...key, TINKER_BASE_URL: '' }, passed)).toEqual({ TINKER_BASE_URL: '' });
  });

  it('has what is listed, but never the settings of the host', () => {
    const passed = ['OPENAI_API_KEY', 'ESPALIER__WORKER__KEY'];
    expect(pluginEnvironment(dropped, passed)).toEqual({ OPENAI_API_KEY: 's' });
  });
});
