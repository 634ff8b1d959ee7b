// Set-up of every test file: the project's modules are evaluated anew in it, those of packages are kept, which saves most of the time.
import { vi } from 'vitest';

vi.resetModules();
