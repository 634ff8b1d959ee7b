import { expect, it } from 'vitest';
import { testsOf } from '../../../tools/mutation/related-tests.ts';

const importing = (path: string, ...targets: string[]) => ({
  path,
  text: targets.map((target) => `import { x } from '${'../'.repeat(path.split('/').length - 1)}${target}';`).join('\n'),
});

const files = [
  importing('functions/poller/a.ts'),
  importing('functions/poller/b.ts', 'functions/poller/a.ts'),
  importing('functions/poller/handler.ts', 'functions/poller/b.ts', 'functions/poller/only-here.ts'),
  importing('functions/poller/only-here.ts'),
  importing('test/unit/poller/a.test.ts', 'functions/poller/b.ts'),
  importing('test/unit/poller/b.test.ts', 'functions/poller/b.ts'),
  importing('test/unit/poller/near.test.ts', 'functions/poller/a.ts'),
  importing('test/unit/poller/other.test.ts', 'functions/poller/c.ts'),
  importing('test/integration/aws/a.test.ts', 'functions/poller/a.ts'),
  {
    path: 'test/unit/poller/types.test.ts',
    text: "import type { X } from '../../../functions/poller/a.ts';",
  },
];

it('are those that import the file directly or indirectly: its own first, then the nearest', () => {
  expect(testsOf('functions/poller/a.ts', files, 'unit')).toEqual([
    'test/unit/poller/a.test.ts',
    'test/unit/poller/near.test.ts',
    'test/unit/poller/b.test.ts',
  ]);
});

it('are those of one stage', () => {
  expect(testsOf('functions/poller/a.ts', files, 'integration')).toEqual(['test/integration/aws/a.test.ts']);
  expect(testsOf('functions/poller/c.ts', files, 'integration')).toEqual([]);
});

it('are those that run the bundle, for a file that no test imports', () => {
  expect(testsOf('functions/poller/only-here.ts', files, 'bundle')).toContain('test/bridge/metrics.test.ts');
  expect(testsOf('functions/poller/a.ts', files, 'bundle')).toEqual([]);
  expect(testsOf('functions/poller/unused.ts', files, 'bundle')).toEqual([]);
});
