import { expect, it } from 'vitest';
import { EVERYTHING, onlyResource, resourcesOf, templateOf } from './synthesized.ts';

const notification = (NotificationType: string, Threshold: number) => ({
  Notification: { NotificationType, Threshold, ThresholdType: 'PERCENTAGE', ComparisonOperator: 'GREATER_THAN' },
  Subscribers: [{ SubscriptionType: 'EMAIL', Address: 'ops@example.org' }],
});

it('mails at 80 percent of what may be spent in a month, and when the forecast exceeds it', () => {
  expect(onlyResource(templateOf(EVERYTHING), 'AWS::Budgets::Budget').Properties).toEqual({
    Budget: { BudgetType: 'COST', TimeUnit: 'MONTHLY', BudgetLimit: { Amount: 20, Unit: 'USD' } },
    NotificationsWithSubscribers: [notification('ACTUAL', 80), notification('FORECASTED', 100)],
  });
});

it('does not exist unless it is asked for', () => {
  expect(resourcesOf(templateOf(), 'AWS::Budgets::Budget')).toEqual([]);
});
