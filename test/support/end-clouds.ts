// Ends the local clouds that the worlds of a file have left: the files of a worker share their modules.
import { afterAll } from 'vitest';
import { endClouds } from './world-clouds.ts';

afterAll(endClouds);
