// Where a template has null. CloudFormation refuses it at any depth, even in an event pattern that EventBridge would
// take: https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-event-patterns-null-values.html

/** The places of null in a value, such as `/Resources/Rule/Properties/EventPattern/source/0`, in its order. */
export function nullPlaces(value: unknown, place = ''): string[] {
  if (value === null) return [place];
  if (typeof value !== 'object') return [];
  return Object.entries(value).flatMap(([key, member]) => nullPlaces(member, `${place}/${key}`));
}
