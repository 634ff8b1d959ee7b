import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { describe, expect, it } from 'vitest';
import { openPauses } from '../../../../functions/aws/operator/pauses.ts';
import { pauseIn } from '../../../../functions/aws/table/state-reader.ts';

describe('a pause that is not as our command writes it', () => {
  it.each(['', 'null', '{"at":"soon"}', '{"at":1e300,"by":"ada"}', '{"at":1,"by":{}}'])(
    'pauses the source, and is ended with its text: %s',
    async (text) => {
      const { pause } = pauseIn({ pause: { S: text } });
      const sent: unknown[] = [];
      const client = { send: async ({ input }: { input: unknown }) => await Promise.resolve(sent.push(input)) };
      const pauses = openPauses({ client: client as unknown as DynamoDBClient, tableName: 'bridge' });

      if (pause !== undefined) await pauses.resume('acme', pause);

      expect(pause).toEqual({ at: 0, by: 'unknown', text });
      expect(sent).toMatchObject([{ ExpressionAttributeValues: { ':pause': { S: text } } }]);
    },
  );

  it('is another than one that is', () => {
    expect(pauseIn({ pause: { S: '{"at":1,"by":"ada"}' } })).toEqual({ pause: { at: 1, by: 'ada' } });
    expect(pauseIn({})).toEqual({});
  });
});
