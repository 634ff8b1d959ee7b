import { expect, test } from 'vitest';
import type { OperatorCloud, ReceivedLetter } from '../../../../functions/operator/bridge/ports.ts';
import { destinationOf, redrive } from '../../../../functions/operator/dead-letters/redrive.ts';

test('gives the letters of a former API destination to the destination of its name alone, with their numbers', async () => {
  const sent: string[] = [];
  const body = '{"detail-type":"MemberChanged","detail":{"amount":1.50}}';
  const letters: ReceivedLetter[] = [{ id: '1', receipt: 'r', body, attributes: {}, sentAt: 0 }];
  const cloud = {
    receiveLetters: async () => await Promise.resolve(letters.splice(0)),
    sendMessage: async (_arn: string, text: string) => void (await Promise.resolve(sent.push(text))),
    deleteLetter: async () => await Promise.resolve(),
    returnLetter: async () => await Promise.resolve(),
  } as unknown as OperatorCloud;
  const to = destinationOf({ name: 'crm', rule: null, targetArn: 'arn:aws:sqs:::live' });

  await redrive(cloud, { deadLettersArn: 'arn:aws:sqs:::dead' }, { to, max: 1, onProgress: () => {} });

  expect(sent).toEqual(['{"replay-name":"to-crm-redrive","detail-type":"MemberChanged","detail":{"amount":1.50}}']);
});
