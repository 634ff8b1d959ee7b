// The intrinsic functions of CloudFormation that our templates use. They turn a template's values into plain values.
import { Unsupported } from '../platform/unsupported.ts';

type TemplateResource = { Type: string; Properties?: Record<string, unknown>; Condition?: string };

export type Template = {
  Resources?: Record<string, TemplateResource>;
  Outputs?: Record<string, { Value: unknown; Export?: { Name: unknown } }>;
};

/** What references resolve to: names and attributes of resources, and exports and outputs of other stacks. */
export type References = {
  ref: (logicalId: string) => string;
  attribute: (logicalId: string, name: string) => string;
  imported: (name: string) => string;
  /** An output of any stack, exported or not. */
  output: (stackName: string, outputName: string) => string;
};

/** AWS::Region and the like, and the address behind AWS_ENDPOINT_URL. */
export type PseudoParameters = {
  region: string;
  accountId: string;
  partition: string;
  stackName: string;
  endpointUrl: string;
};

/** Resolves the functions in a value, at any depth. Throws Unsupported for an unknown function. */
export type Resolve = (value: unknown) => unknown;

export function createResolve(references: References, pseudo: PseudoParameters): Resolve {
  const context: Context = { references, pseudo, resolve: (value) => resolveValue(value, context) };
  return context.resolve;
}

type Context = { references: References; pseudo: PseudoParameters; resolve: Resolve };
type Intrinsic = (operand: unknown, context: Context) => unknown;

function resolveValue(value: unknown, context: Context): unknown {
  if (Array.isArray(value)) return value.map(context.resolve).filter((element) => element !== undefined);
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value);
  const [only] = members;
  if (members.length === 1 && only !== undefined && isFunctionName(only[0]))
    return intrinsicOf(only[0])(only[1], context);
  // A member that resolves to AWS::NoValue is left out, as in CloudFormation.
  const resolved = members.map(([key, member]) => [key, context.resolve(member)] as const);
  return Object.fromEntries(resolved.filter(([, member]) => member !== undefined));
}

function isFunctionName(key: string): boolean {
  return key === 'Ref' || key.startsWith('Fn::');
}

function intrinsicOf(name: string): Intrinsic {
  const intrinsic = Object.hasOwn(INTRINSICS, name) ? INTRINSICS[name] : undefined;
  if (intrinsic === undefined) throw new Unsupported(`the template function ${name}`, 'cloudformation/intrinsics.ts');
  return intrinsic;
}

const INTRINSICS: Readonly<Record<string, Intrinsic>> = {
  Ref: (operand, context) => reference(String(operand), context),
  'Fn::GetAtt': (operand, context) => {
    const [logicalId = '', ...path] = Array.isArray(operand) ? operand.map(String) : String(operand).split('.');
    return context.references.attribute(logicalId, path.join('.'));
  },
  'Fn::Join': (operand, context) => {
    const [separator, values] = operand as [string, unknown];
    return asList(context.resolve(values)).join(separator);
  },
  'Fn::Select': (operand, context) => {
    const [index, values] = operand as [number | string, unknown];
    return asList(context.resolve(values))[Number(index)];
  },
  'Fn::Split': (operand, context) => {
    const [separator, text] = operand as [string, unknown];
    return String(context.resolve(text)).split(separator);
  },
  'Fn::Sub': (operand, context) => substitute(operand, context),
  'Fn::ImportValue': (operand, context) => context.references.imported(String(context.resolve(operand))),
  'Fn::GetStackOutput': (operand, context) => stackOutput(operand as Record<string, unknown>, context),
};

/** Here all stacks share one account and one region; outputs of others cannot be resolved. */
function stackOutput(operand: Record<string, unknown>, { references, pseudo, resolve }: Context): string {
  const { StackName, OutputName, Region = pseudo.region, ...more } = resolve(operand) as Record<string, string>;
  const [unknown] = Object.keys(more);
  if (unknown !== undefined) throw new Unsupported(`${unknown} of Fn::GetStackOutput`, 'cloudformation/intrinsics.ts');
  if (Region !== pseudo.region)
    throw new Unsupported(`outputs of another region (${StackName} in ${Region})`, 'cloudformation/intrinsics.ts');
  return references.output(String(StackName), String(OutputName));
}

function reference(name: string, { references, pseudo }: Context): string | undefined {
  const values: Record<string, string | undefined> = {
    'AWS::Region': pseudo.region,
    'AWS::AccountId': pseudo.accountId,
    'AWS::Partition': pseudo.partition,
    'AWS::StackName': pseudo.stackName,
    'AWS::StackId': `arn:${pseudo.partition}:cloudformation:${pseudo.region}:${pseudo.accountId}:stack/${pseudo.stackName}/local`,
    'AWS::URLSuffix': 'amazonaws.com',
    'AWS::NoValue': undefined,
  };
  return Object.hasOwn(values, name) ? values[name] : references.ref(name);
}

/** `${Name}`, `${Name.Attribute}`, `${AWS::Region}` and own variables. `${!Literal}` stays as `${Literal}`. */
function substitute(operand: unknown, context: Context): string {
  const [text, variables] = (Array.isArray(operand) ? operand : [operand, {}]) as [string, Record<string, unknown>];
  return text.replaceAll(/\$\{(!?)([^}]+)\}/g, (_all, literal: string, name: string) => {
    if (literal !== '') return `\${${name}}`;
    if (Object.hasOwn(variables, name)) return String(context.resolve(variables[name]));
    const [logicalId = '', ...path] = name.split('.');
    return path.length === 0
      ? String(reference(name, context))
      : context.references.attribute(logicalId, path.join('.'));
  });
}

function asList(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [value];
}
