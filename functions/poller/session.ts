// The session with a membership service: transport and token outlive an invocation, so that a warm run neither connects
// nor logs in.
import { createActionLog } from '../membership/action-log.ts';
import { createTokenSource, type CredentialsReader, type OnRequest } from '../membership/token.ts';
import { createTransport, type Transport } from '../membership/transport.ts';
import type { Clock } from '../shared/clock.ts';
import type { ServiceSession } from './run.ts';
import type { SourceSettings } from '../source/settings.ts';

type Attached = Parameters<ServiceSession['attach']>[0];
type Options = {
  clock: Clock;
  credentialsFor: (secretId: string) => CredentialsReader;
  /** The way to the service. Default: HTTP. */
  transportFor?: (options: { baseUrl: string; clock: Clock }) => Transport;
};

/** Gives each source its session; the same one as long as service and secret stay the same. */
export function createSessions(options: Options): (settings: SourceSettings) => ServiceSession {
  const sessions = new Map<string, ServiceSession>();
  return (settings) => {
    const key = JSON.stringify([settings.sourceId, settings.baseUrl, settings.secretId]);
    const session = sessions.get(key) ?? createSession(settings, options);
    sessions.set(key, session);
    return session;
  };
}

function createSession(
  { baseUrl, secretId }: SourceSettings,
  { clock, credentialsFor, transportFor = createTransport }: Options,
): ServiceSession {
  let attached: Attached = { onRequest: async () => {}, refusedVersion: () => null };
  const onRequest: OnRequest = async (kind) => await attached.onRequest(kind);
  const transport = transportFor({ baseUrl, clock });
  const refusedVersion = (): string | null => attached.refusedVersion();
  const tokens = createTokenSource({
    transport,
    credentials: credentialsFor(secretId),
    clock,
    onRequest,
    refusedVersion,
  });
  return {
    actionLog: createActionLog({ transport, tokens, clock, onRequest }),
    login: async (limits) => void (await tokens.token(limits)),
    secretVersion: () => tokens.secretVersion(),
    attach: (run) => {
      attached = run;
    },
  };
}
