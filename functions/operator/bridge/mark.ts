/**
 * The output by which the operator's commands know the stack with the working parts; its value is the version of the
 * stack's outputs. It tells a bridge from stacks that look alike. Whoever may create stacks can write it too.
 */
export const MARK = { output: 'MembershipEventBridge', version: '1' } as const;
