// Membership plans, which are read-only. All fields are invented: the interface document does not show their type.
import { Refused } from '../answers.ts';
import type { AnswerFunction } from '../http/operations.ts';
import { PLAN } from '../records/record-names.ts';
import { toRecord } from '../records/record-shape.ts';

export const listPlans: AnswerFunction = ({ organisation }, { personality }) => ({
  data: [...organisation.plans.values()].map((plan) => toRecord(PLAN, personality.records, plan)),
});

export const getPlan: AnswerFunction = ({ organisation, parameters }, { personality }) => {
  const plan = organisation.plans.get(parameters['id'] ?? '');
  if (!plan) throw new Refused(personality.refusals.unknownId, 'There is no such plan.');
  return { data: toRecord(PLAN, personality.records, plan) };
};
