// Runs before every test file: the project's modules are evaluated again, but those of packages are kept to save time.
import { vi } from 'vitest';

vi.resetModules();
