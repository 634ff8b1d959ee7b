// What a run offers to `npm run fill`. The input comes from another process, so it is checked.
import { Problem } from '../../../functions/shared/problem.ts';
import type { LocalCloud } from '../cloud/cloud.ts';
import type { ControlOperations } from '../cloud/control.ts';
import type { ConsumerSecret } from './consumer-secrets.ts';
import type { KeptSecrets } from '../secrets-manager/kept-secrets.ts';
import { didYouMean } from '../../shared/near-names.ts';

/** `variable` null: the only secret of the consumer. */
export type WhichSecret = { consumer: string; variable: string | null };

/** Input and answer of `POST /control/<name>`. */
export type OfferedFill = {
  describeSecret: { input: WhichSecret; answer: ConsumerSecret };
  /** `value`: the key alone where consumer.ts says what the secret holds, else its whole text. */
  fillSecret: { input: WhichSecret & { value: string }; answer: { isKept: boolean } };
};

type World = { secrets: readonly ConsumerSecret[]; kept: KeptSecrets; cloud: Pick<LocalCloud, 'call'> };

export function offeredFill({ secrets, kept, cloud }: World): ControlOperations {
  return {
    describeSecret: async (input) => secretNamed(input, secrets),
    fillSecret: async (input): Promise<OfferedFill['fillSecret']['answer']> => {
      const { name, holds } = secretNamed(input, secrets);
      const { value } = input as { value?: unknown };
      if (typeof value !== 'string' || value === '') throw new Problem('The value is missing; write a text.');
      const text = holds === null ? value : JSON.stringify({ key: value });
      const put = async (operation: string, id: object): Promise<unknown> =>
        await cloud.call('secretsmanager', operation, { ...id, SecretString: text });
      await put('CreateSecret', { Name: name }).catch(async () => await put('PutSecretValue', { SecretId: name }));
      return { isKept: kept.isKept(name) };
    },
  };
}

function secretNamed(input: unknown, secrets: readonly ConsumerSecret[]): ConsumerSecret {
  const { consumer, variable } = toWhich(input);
  const own = secrets.filter((secret) => secret.consumer === consumer);
  const consumers = [...new Set(secrets.map((secret) => secret.consumer))];
  if (own.length === 0)
    throw new Problem(
      `${consumer} is no consumer of this run that asks for a secret.${didYouMean(consumer, consumers)} ${consumers.length === 0 ? 'None does.' : `Those that do: ${consumers.join(', ')}.`}`,
    );
  const [found, ...others] = own.filter((secret) => variable === null || secret.variable === variable);
  if (found !== undefined && others.length === 0) return found;
  const variables = own.map((secret) => secret.variable).join(', ');
  throw new Problem(
    `${consumer} asks for ${variables}. Write one of them: npm run fill -- ${consumer} ${own[0]?.variable}`,
  );
}

function toWhich(input: unknown): WhichSecret {
  const { consumer, variable } = (input ?? {}) as { consumer?: unknown; variable?: unknown };
  return { consumer: textOf(consumer) ?? '', variable: textOf(variable) };
}

const textOf = (value: unknown): string | null => (typeof value === 'string' ? value : null);
