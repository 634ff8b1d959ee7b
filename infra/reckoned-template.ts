// How long the values of a template may become when it is deployed, where names are made and references are known.

type TemplateResource = { Type: string; Properties?: Readonly<Record<string, unknown>> };

export type SynthesizedTemplate = {
  Resources?: Readonly<Record<string, TemplateResource>>;
  Outputs?: Readonly<Record<string, { Value: unknown; Export?: { Name: string } }>>;
};

/** A value with every reference replaced by a text that is at least as long as what it stands for. */
type Reckon = (value: unknown) => unknown;

/** The longest texts before a name: ARNs, addresses of queues. */
const BEFORE_NAME = 60;
/** CloudFormation adds a hyphen and 12 or 13 letters to a name that it makes, Secrets Manager another 7. */
const AFTER_NAME = 14;
const AFTER_SECRET = 7;
/** CloudFormation cuts the names that it makes. */
const MAX_NAMES: Readonly<Record<string, number>> = {
  'AWS::SQS::Queue': 80,
  'AWS::Lambda::Function': 64,
  'AWS::IAM::Role': 64,
  'AWS::S3::Bucket': 63,
};
const MAX_NAME = 255;
const PSEUDO: Readonly<Record<string, number>> = {
  'AWS::AccountId': 12,
  'AWS::Partition': 10,
  'AWS::Region': 14,
  'AWS::URLSuffix': 16,
};
const MAX_OTHER = 128;

const text = (length: number): string => 'x'.repeat(length);

/** For the values of one stack. `templates` has the outputs and exports of all stacks. */
export function createReckon(stackName: string, templates: ReadonlyMap<string, SynthesizedTemplate>): Reckon {
  const { Resources = {} } = templates.get(stackName) ?? {};
  const reckon: Reckon = (value) => {
    if (Array.isArray(value)) return value.map(reckon);
    if (typeof value !== 'object' || value === null) return value;
    const [[name, operand] = ['', null]] = Object.entries(value);
    const intrinsic = INTRINSICS[name];
    if (intrinsic !== undefined) return intrinsic(operand);
    return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, reckon(member)]));
  };
  const nameOf = (id: string): number => {
    const { Type = '', Properties = {} } = Resources[id] ?? {};
    const { Name, LogGroupName } = Properties;
    const given = Name ?? LogGroupName;
    const isSecret = Type === 'AWS::SecretsManager::Secret';
    const made = `${stackName}-${id}`.length + AFTER_NAME;
    const length = given === undefined ? Math.min(made, MAX_NAMES[Type] ?? MAX_NAME) : String(reckon(given)).length;
    return length + (isSecret ? AFTER_SECRET : 0);
  };
  const outputOf = (other: string, name: string): unknown =>
    createReckon(other, templates)(templates.get(other)?.Outputs?.[name]?.Value ?? text(MAX_OTHER));
  const exported = (wanted: unknown): unknown => {
    for (const [other, { Outputs = {} }] of templates)
      for (const [name, { Export }] of Object.entries(Outputs))
        if (Export?.Name === wanted) return outputOf(other, name);
    return text(MAX_OTHER);
  };
  const INTRINSICS: Readonly<Record<string, (operand: unknown) => unknown>> = {
    Ref: (id) => {
      const isOurs = Object.hasOwn(Resources, String(id));
      if (id === 'AWS::StackName') return stackName;
      return text(isOurs ? BEFORE_NAME + nameOf(String(id)) : (PSEUDO[String(id)] ?? MAX_OTHER));
    },
    'Fn::GetAtt': (operand) => {
      const [id, attribute] = operand as [string, string];
      return text((attribute.endsWith('Name') ? 0 : BEFORE_NAME) + nameOf(id));
    },
    'Fn::Join': (operand) => {
      const [separator, parts] = operand as [string, unknown[]];
      return parts.map((part) => String(reckon(part))).join(separator);
    },
    'Fn::GetStackOutput': (operand) => {
      const { StackName, OutputName } = operand as { StackName: string; OutputName: string };
      return outputOf(StackName, OutputName);
    },
    'Fn::ImportValue': exported,
    'Fn::Select': () => text(MAX_OTHER),
  };
  return reckon;
}
