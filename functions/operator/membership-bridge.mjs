#!/usr/bin/env node
// What `npx membership-bridge` runs.
import { isNodeNewEnough } from '../shared/node-version.mjs';

if (isNodeNewEnough('npx membership-bridge')) await import('./cli.ts');
else process.exitCode = 2;
