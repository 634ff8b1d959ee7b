#!/usr/bin/env node
// What `npx membership-bridge` runs.
import { launch } from '../shared/launch.mjs';

await launch('npx membership-bridge', 'functions/operator/cli.ts');
