// The kinds of channels. A further one is a folder beside this file, and a row here and in create-channel.ts.
import * as z from 'zod/mini';
import { choiceInput, objectInput } from '../../../shared/checked-input.ts';
import type { KindDefinition } from './kind-definition.ts';
import { MAIL_KIND } from './mail/kind.ts';
import { SLACK_KIND } from './slack/kind.ts';
import { TEAMS_KIND } from './teams/kind.ts';

const KINDS = { slack: SLACK_KIND, teams: TEAMS_KIND, email: MAIL_KIND } satisfies Record<string, KindDefinition>;

export type ChannelKind = keyof typeof KINDS;

/** What a kind of channel needs. */
export function kindOf({ kind }: { kind: ChannelKind }): KindDefinition {
  return KINDS[kind];
}

type Shape<Kind extends ChannelKind> = (typeof KINDS)[Kind]['settings'];

type Named<Kind extends ChannelKind> = Shape<Kind> & { kind: z.ZodMiniEnum<Record<Kind, Kind>> };

/** The kind, and the settings that only this kind has. */
export type KindSettings<Kind extends ChannelKind> =
  Named<Kind> extends infer Fields extends z.core.$ZodShape ? z.output<z.ZodMiniObject<Fields>> : never;

type InputOf<Common extends z.core.$ZodShape, Kind extends ChannelKind> = z.ZodMiniObject<
  Common & Named<Kind>,
  z.core.$strict
>;
type AnyInput<Common extends z.core.$ZodShape> = { [Kind in ChannelKind]: InputOf<Common, Kind> }[ChannelKind];

/** A channel of any kind: `common` settings, its kind, and those of the kind. */
export function channelInput<Common extends z.core.$ZodShape>(common: Common) {
  const inputs = Object.entries(KINDS).map(([kind, { settings }]) =>
    objectInput({ ...common, ...settings, kind: choiceInput([kind]) }),
  );
  const names = Object.keys(KINDS).map((kind) => `"${kind}"`);
  const choices = `${names.slice(0, -1).join(', ')} or ${names.at(-1)}`;
  return z.discriminatedUnion('kind', inputs as unknown as [AnyInput<Common>, ...AnyInput<Common>[]], {
    error: `is missing or not known; write ${choices}`,
  });
}
