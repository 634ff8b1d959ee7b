import { expect, it } from 'vitest';
import { startFixtureCloud } from '../../../../support/fixture-cloud.ts';

const consumer = { code: 'exports.handler = async () => {};' };

it('refuses to start with a pattern that EventBridge would refuse, and names the rule, the place and what to write', async () => {
  const pattern = { detail: { metadata: { actionKey: ['ContactUpdated', { wildcard: 'Contact**' }] } } };

  const start = startFixtureCloud({ Consumer: { ...consumer, pattern } });

  await expect(start).rejects.toThrow(
    'The rule Fixture-ConsumerRule: EventBridge would refuse its pattern at detail.metadata.actionKey[1].wildcard: ' +
      'asterisks in a row. Write a single one; it matches any number of characters.',
  );
});
