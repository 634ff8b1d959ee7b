// The schemas of all events in EventBridge's registry, from which it makes code for Java, Python, TypeScript and Go.
import { Stack } from 'aws-cdk-lib';
import { CfnRegistry, CfnSchema } from 'aws-cdk-lib/aws-eventschemas';
import { Construct } from 'constructs';
import { CATALOGUE } from '../../../functions/events/catalogue/catalogue.ts';
import { toOpenApi } from '../../../functions/events/catalogue/open-api.ts';

export class SchemaRegistry extends Construct {
  constructor(scope: Construct, id: string) {
    super(scope, id);
    const registry = new CfnRegistry(this, 'Registry', {
      registryName: Stack.of(this).stackName,
      description: 'The events of the membership event bridge',
    });
    for (const event of CATALOGUE)
      new CfnSchema(this, event.type, {
        registryName: registry.attrRegistryName,
        // As AWS names the schemas that it discovers.
        schemaName: `${event.example.source}@${event.type}`,
        type: 'OpenApi3',
        content: JSON.stringify(toOpenApi(event)),
      });
  }
}
