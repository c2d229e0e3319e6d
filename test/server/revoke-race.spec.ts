/** @file Admins who revoke each other at the same time: one key always stays. */
import { DataSource } from 'typeorm';
import { expect, it } from 'vitest';
import { KeyService } from '../../apps/server/src/core/access/key.service.js';
import { call } from '../support/ask.js';
import { describeOnEach } from '../support/each-database.js';

describeOnEach('the last admin key', (server) => {
  /** Two admin keys, and no other that is not revoked. */
  async function makePair(): Promise<{ secret: string; id: string }[]> {
    const keys = server().app.get(KeyService);
    const made = [];
    for (const name of ['one', 'two']) {
      const { key, secret } = await keys.create({ name, role: 'admin', projects: ['*'] });
      made.push({ secret, id: key.id });
    }
    const own = made.map(({ id }) => id);
    for (const { id, role, revokedAt } of (await keys.list({ first: 100 })).nodes)
      if (role === 'admin' && revokedAt === null && !own.includes(id)) await keys.revoke(id);
    return made;
  }

  it('stays when two admins revoke each other at once', async () => {
    for (let round = 0; round < 8; round += 1) {
      const [one, two] = (await makePair()) as [
        { secret: string; id: string },
        { secret: string; id: string },
      ];
      // past the authentication of both, or the first could revoke the other's key before its request is known
      const keys = server().app.get(KeyService);
      const results = await Promise.allSettled([keys.revoke(two.id), keys.revoke(one.id)]);
      expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
      expect(results.find(({ status }) => status === 'rejected')).toMatchObject({
        reason: { code: 'access.last_admin' },
      });
    }
  });

  it('is created once by two rotations at once', async () => {
    const [one] = (await makePair()) as [{ secret: string; id: string }];
    const keys = server().app.get(KeyService);
    const results = await Promise.allSettled([keys.rotate(one.id), keys.rotate(one.id)]);
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    expect(results.find(({ status }) => status === 'rejected')).toMatchObject({
      reason: {
        code: 'server.invalid_input',
        message: 'rotate "one": it was revoked; create a new key instead',
      },
    });
  });

  it('stays when another connection revokes the other one in a transaction that is still open', async () => {
    const { url, options } = server();
    if (options.database.kind !== 'postgres') return;
    const [one, two] = (await makePair()) as [{ secret: string; id: string }, { id: string; secret: string }];
    const other = await new DataSource({ type: 'postgres', url: options.database.url }).initialize();
    const runner = other.createQueryRunner();
    await runner.startTransaction();
    await runner.query('UPDATE api_key SET "revokedAt" = 1 WHERE id = $1', [two.id]);
    const revoking = call(url, one.secret, 'DELETE', `/api/v1/keys/${one.id}`);
    // the server waits for the lock, or has decided already, wrongly
    await new Promise((resolve) => setTimeout(resolve, 300));
    await runner.commitTransaction();
    expect((await revoking).body.code).toBe('access.last_admin');
    await runner.release();
    await other.destroy();
  });
});
