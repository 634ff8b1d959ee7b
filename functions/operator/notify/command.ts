// `notify test`: whether the messages of a channel arrive, tried with a sample.
import { Command } from 'commander';
import type { TestEvent, TestResult } from '../../consumers/notifier/test-message.ts';
import { Problem } from '../../shared/problem.ts';
import { CONSUMERS, type Bridge } from '../bridge/bridge.ts';
import type { OperatorCloud } from '../bridge/ports.ts';
import { type BridgeOptions, bridgeCommand, openBridge, type Surroundings } from '../command.ts';

/** In the template: the construct of the notifier. */
const NOTIFIER = /^Notifier/;

const NOT_SENT = 1;

const AFTER = `
The deployed function sends the sample, as it sends its own messages. For Teams,
"sent" means that the workflow has it: look at the channel.

Exit code: 0 sent, 1 not sent, 2 not tried.`;

export function notifyCommand(surroundings: Surroundings): Command {
  const { output, exitWith } = surroundings;
  const examples = ['notify test office-slack', 'notify test office-slack --json'];
  const test = bridgeCommand('test', 'Sends a sample to a channel, and says what came back.', examples)
    .argument('<channel>', 'its name in the settings')
    .addHelpText('after', AFTER)
    .action(async (channel: string, options: BridgeOptions) => {
      const { cloud, bridge } = await openBridge(surroundings, options);
      const result = await testChannel(cloud, await findNotifier(cloud, bridge), channel);
      if (options.json) output.json({ channel, ...result });
      else output.line(`${channel}: ${toSentence(result)}`);
      if (result.outcome !== 'sent') exitWith(NOT_SENT);
    });
  return new Command('notify').description('The channels that tell people.').addCommand(test);
}

/** The ARN of the alias that queues and schedules invoke. */
async function findNotifier(cloud: Pick<OperatorCloud, 'readResources'>, { stackName }: Bridge): Promise<string> {
  const resources = await cloud.readResources(`${stackName}${CONSUMERS}`);
  const alias = resources.find(({ type, logicalId }) => type === 'AWS::Lambda::Alias' && NOTIFIER.test(logicalId));
  if (alias !== undefined) return alias.physicalId;
  throw new Problem(`${stackName} has no notifier. Write its channels into the settings, and deploy.`);
}

type Tried = Exclude<TestResult, { outcome: 'unknown' }>;

async function testChannel(cloud: Pick<OperatorCloud, 'invoke'>, notifierArn: string, channel: string): Promise<Tried> {
  const answer = await cloud.invoke(notifierArn, JSON.stringify({ test: channel } satisfies TestEvent));
  if ('error' in answer)
    throw new Problem(`The notifier failed: ${answer.error}. Its log has more. An older version has no test: deploy.`);
  const result = answer.result as TestResult;
  if (result.outcome !== 'unknown') return result;
  throw new Problem(`The notifier has no channel ${channel}. There is: ${result.channels.join(', ')}.`);
}

function toSentence(result: Tried): string {
  const { outcome, service } = result;
  if (outcome === 'sent') return `sent. ${service} answered: ${result.answer}`;
  if (outcome === 'later')
    return `not sent. Others have the turn, or ${service} asks to wait. Try again after ${new Date(result.at).toISOString()}.`;
  if (outcome === 'refused')
    return `not sent. ${service} has refused its address (${result.status}). Write another one into its secret.`;
  if (outcome === 'not-set')
    return "not sent. Its secret has no address yet. The stack's output Notifier…SecretFill asks for it.";
  return `not sent. ${result.reason}`;
}
