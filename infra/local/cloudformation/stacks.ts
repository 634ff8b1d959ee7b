// CloudFormation as its clients ask it: which stacks there are, with their outputs and resources.
// Source: the API reference of CloudFormation.
import { AwsRefusal, type Operation } from '../platform/aws-call.ts';
import { jsonOperations, type LocalService, NOTHING_TO_CLOSE } from '../platform/service.ts';
import type { StackReport } from './template.ts';

function createCloudFormation(stacks: readonly StackReport[], startedAt: number): Record<string, Operation> {
  const written = new Date(startedAt).toISOString();
  return {
    DescribeStacks: ({ StackName: asked }) => ({
      Stacks: (asked === undefined ? stacks : [existing(stacks, asked)]).map(({ name, id, outputs }) => ({
        StackName: name,
        StackId: id,
        CreationTime: written,
        StackStatus: 'CREATE_COMPLETE',
        Outputs: outputs.map(({ key, value }) => ({ OutputKey: key, OutputValue: value })),
      })),
    }),
    ListStackResources: ({ StackName }) => ({
      StackResourceSummaries: existing(stacks, StackName).resources.map(({ logicalId, physicalId, type }) => ({
        LogicalResourceId: logicalId,
        PhysicalResourceId: physicalId,
        ResourceType: type,
        LastUpdatedTimestamp: written,
        ResourceStatus: 'CREATE_COMPLETE',
      })),
    }),
  };
}

/** CloudFormation as the local cloud opens it. */
export function cloudformationService({
  reports,
}: {
  reports: readonly StackReport[];
}): LocalService<readonly StackReport[]> {
  const operations = createCloudFormation(reports, Date.now());
  return { operations: jsonOperations(operations), resources: reports, close: NOTHING_TO_CLOSE };
}

function existing(stacks: readonly StackReport[], asked: unknown): StackReport {
  const stack = stacks.find(({ name, id }) => asked === name || asked === id);
  if (stack === undefined) throw new AwsRefusal('ValidationError', `Stack with id ${String(asked)} does not exist`);
  return stack;
}
