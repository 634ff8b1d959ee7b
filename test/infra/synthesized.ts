// The bridge's template as the CDK makes it from cdk.json, without bundling, in a folder that is removed again.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { App, AppProps } from 'aws-cdk-lib';
import type { JsonObject } from '../../functions/shared/json.ts';
import { createApp } from '../../infra/app.ts';
import { PROJECT_FOLDER } from '../../infra/constructs/bundling.ts';

export type Resource = {
  Type: string;
  Properties: JsonObject;
  DeletionPolicy?: string;
  UpdateReplacePolicy?: string;
};
export type Template = {
  Resources: Record<string, Resource>;
  Outputs: Record<string, { Value: unknown; Description?: string }>;
};

/** Context of the checked-in cdk.json. */
export const CDK_CONTEXT = (
  JSON.parse(readFileSync(join(PROJECT_FOLDER, 'cdk.json'), 'utf8')) as { context: Record<string, unknown> }
).context;

export const ACME = { sourceId: 'acme', baseUrl: 'https://api.membership.example', timeZone: 'Europe/Istanbul' };

/** Makes an app, lets `use` have it, and removes what it wrote. */
export function withApp<Result>(use: (app: App) => Result, { context = {}, ...props }: AppProps = {}): Result {
  const outdir = mkdtempSync(join(tmpdir(), 'bridge-'));
  try {
    return use(createApp({ ...props, outdir, context: { ...CDK_CONTEXT, 'aws:cdk:bundling-stacks': [], ...context } }));
  } finally {
    rmSync(outdir, { recursive: true });
  }
}

/** The template of a bridge; `bridge` replaces the context of cdk.json. */
export function templateOf(bridge: unknown = CDK_CONTEXT['bridge']): Template {
  return withApp((app) => app.synth().stacks[0]?.template as Template, { context: { bridge } });
}

export function resourcesOf(template: Template, type: string): [logicalId: string, resource: Resource][] {
  return Object.entries(template.Resources).filter(([, resource]) => resource.Type === type);
}

/** The properties of the only resource of a type. */
export function onlyResource(template: Template, type: string): Resource {
  const [only, ...others] = resourcesOf(template, type).map(([, resource]) => resource);
  if (only === undefined || others.length > 0) throw new Error(`there is not one ${type} but ${others.length + 1}`);
  return only;
}

/** The text that an input of a schedule becomes, with `secretArn` in the place of references to a secret. */
export function resolveText(value: unknown, arnOf: (logicalId: string) => string): string {
  if (typeof value === 'string') return value;
  const { Ref, 'Fn::Join': join } = value as { Ref?: string; 'Fn::Join'?: [string, unknown[]] };
  if (Ref !== undefined) return arnOf(Ref);
  if (join === undefined) throw new Error(`no text: ${JSON.stringify(value)}`);
  return join[1].map((part) => resolveText(part, arnOf)).join(join[0]);
}
