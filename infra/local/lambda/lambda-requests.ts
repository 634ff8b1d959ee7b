// The operations of Lambda's REST interface that are answered here, with their parameters from path, query and headers.
import type { Call, HttpRequest } from '../platform/aws-call.ts';

const MAPPINGS = '/2015-03-31/event-source-mappings';

/** Null for any other request. */
export function lambdaOperationOf(request: HttpRequest, body: string): Call | null {
  const { pathname, searchParams } = new URL(request.path, 'http://localhost');
  const to = (operation: string, input: object): Call => ({
    service: 'lambda',
    operation,
    body: JSON.stringify(input),
    request,
  });
  const [, functionName] = /^\/2015-03-31\/functions\/([^/]+)\/invocations$/.exec(pathname) ?? [];
  if (request.method === 'POST' && functionName !== undefined)
    return to('Invoke', {
      FunctionName: decodeURIComponent(functionName),
      Qualifier: searchParams.get('Qualifier'),
      InvocationType: request.headers['x-amz-invocation-type'] ?? 'RequestResponse',
      Payload: body,
    });
  if (request.method === 'GET' && pathname.replace(/\/$/, '') === MAPPINGS)
    return to('ListEventSourceMappings', { EventSourceArn: searchParams.get('EventSourceArn') });
  const [, configured] = /^\/2015-03-31\/functions\/([^/]+)\/configuration$/.exec(pathname) ?? [];
  if (request.method === 'GET' && configured !== undefined)
    return to('GetFunctionConfiguration', { FunctionName: decodeURIComponent(configured) });
  const [, UUID] = /^\/2015-03-31\/event-source-mappings\/([^/]+)$/.exec(pathname) ?? [];
  if (request.method === 'PUT' && UUID !== undefined)
    return to('UpdateEventSourceMapping', { ...(JSON.parse(body) as object), UUID: decodeURIComponent(UUID) });
  return null;
}
