// The CDK's entry: cdk.json names this file.
import { App, Validations, type AppProps } from 'aws-cdk-lib';
import { AwsSolutionsChecks } from 'cdk-nag';
import { BridgeError } from '../functions/shared/errors.ts';
import { BridgeStack } from './bridge-stack.ts';
import { readBridgeSettings } from './settings.ts';

/** The app as the context describes it. A finding of the AWS Solutions rules fails its synthesis, unless it is acknowledged with a reason. */
export function createApp(props?: AppProps): App {
  const app = new App({ analyticsReporting: false, ...props });
  Validations.of(app).addPlugins(new AwsSolutionsChecks(app, { verbose: true }));
  const settings = readBridgeSettings(app.node, Date.now());
  new BridgeStack(
    app,
    ['MembershipBridge', settings.environmentName].filter((part) => part !== null).join('-'),
    settings,
  );
  return app;
}

/** Settings that cannot be used are told without the stack trace, which says nothing of them. */
function synthesize(): void {
  try {
    createApp().synth();
  } catch (error) {
    if (!(error instanceof BridgeError)) throw error;
    process.stderr.write(`${error.message}\n`);
    process.exitCode = 1;
  }
}

if (import.meta.main) synthesize();
