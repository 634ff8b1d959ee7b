// A mail when the account spends more in a month than the settings allow, or is about to.
import { CfnBudget } from 'aws-cdk-lib/aws-budgets';
import { Construct } from 'constructs';

const NOTIFICATIONS = [
  { notificationType: 'ACTUAL', threshold: 80 },
  { notificationType: 'FORECASTED', threshold: 100 },
] as const;

/** Counts the whole account: a filter by stack needs tags that only the payer of the account can activate. */
export class MonthlyBudget extends Construct {
  constructor(scope: Construct, id: string, { usd, email }: { usd: number; email: string }) {
    super(scope, id);
    new CfnBudget(this, 'Budget', {
      // Without a name of its own: a changed address replaces the budget, and two may not have the same name.
      budget: { budgetType: 'COST', timeUnit: 'MONTHLY', budgetLimit: { amount: usd, unit: 'USD' } },
      notificationsWithSubscribers: NOTIFICATIONS.map((notification) => ({
        notification: { ...notification, comparisonOperator: 'GREATER_THAN', thresholdType: 'PERCENTAGE' },
        subscribers: [{ subscriptionType: 'EMAIL', address: email }],
      })),
    });
  }
}
