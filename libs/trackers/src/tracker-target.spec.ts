import { describe, expect, it } from 'vitest';
import { splitCredentials } from './http.js';
import { parseTracker } from './tracker-target.js';

describe('the name of a tracker', () => {
  it.each([
    ['mlflow:http://host:5000#maze', {}, 'http://host:5000/'],
    ['mlflow', { MLFLOW_TRACKING_URI: 'https://me:secret@host/mlflow' }, 'https://host/mlflow'],
    ['otlp', {}, 'http://127.0.0.1:4318/'],
    ['otlp', { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector:4318' }, 'http://collector:4318/'],
    ['tensorboard', {}, 'the folder tensorboard of the run'],
    ['tensorboard:logs/a', {}, 'logs/a'],
  ])('%s, with %o, leads to %s', (text, environment, shown) => {
    expect(parseTracker(text, environment).shown).toBe(shown);
  });

  it.each([
    ['wandb', 'no such tracker; known: tensorboard'],
    ['mlflow', 'no address, and MLFLOW_TRACKING_URI is not set; write mlflow:http://HOST:PORT'],
    ['mlflow:localhost', 'the address is not http or https'],
    ['otlp:file:///tmp', 'the address is not http or https'],
  ])('%s is refused with what to write', (text, message) => {
    expect(() => parseTracker(text, {})).toThrow(message);
  });

  it('sends user and password as a header, and the address without them', () => {
    expect(splitCredentials('http://me:p%40ss@host:5000/prefix/')).toEqual({
      url: 'http://host:5000/prefix',
      headers: { authorization: `Basic ${Buffer.from('me:p@ss').toString('base64')}` },
    });
  });
});
