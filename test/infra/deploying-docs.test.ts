// Compares docs/deploying.md with the templates.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { PROJECT_FOLDER } from '../../infra/constructs/bundling.ts';
import { stacksOf } from './synthesized.ts';

const guide = readFileSync(join(PROJECT_FOLDER, 'docs/deploying.md'), 'utf8');

it('shows every output of both stacks', () => {
  const shown = [...guide.matchAll(/^ {2}(\w+) += \S/gm)].map(([, name = '']) => name);

  const outputs = Object.values(stacksOf()).flatMap(({ Outputs }) => Object.keys(Outputs));

  expect(shown.toSorted()).toEqual(outputs.toSorted());
});

it('has settings that can be deployed', () => {
  const [, written = ''] = /```json\n("bridge": [^`]+)```/.exec(guide) ?? [];

  const { bridge } = JSON.parse(`{${written}}`) as { bridge: unknown };

  expect(Object.keys(stacksOf(bridge))).toEqual(['MembershipBridge-Data', 'MembershipBridge']);
});
