import { expect, it } from 'vitest';
import { runtimeSbom } from '../../../tools/dependencies/sbom.ts';

const component = (name: string, isDevelopment = false) => ({
  'bom-ref': `${name}@1`,
  name,
  properties: isDevelopment ? [{ name: 'cdx:npm:package:development', value: 'true' }] : [],
});

it('lists what the bridge runs with, also what development needs too, and refers to nothing else', () => {
  const all = {
    specVersion: '1.5',
    metadata: { component: component('folder') },
    components: [component('undici'), component('nodemailer'), component('smtp-server', true)],
    dependencies: [
      { ref: 'folder@1', dependsOn: ['undici@1', 'nodemailer@1', 'smtp-server@1'] },
      { ref: 'smtp-server@1', dependsOn: ['nodemailer@1'] },
      { ref: 'undici@1', dependsOn: [] },
    ],
  };

  const sbom = runtimeSbom(all, 'bridge');

  expect([sbom.metadata.component.name, ...sbom.components.map(({ name }) => name)]).toEqual([
    'bridge',
    'undici',
    'nodemailer',
  ]);
  expect(sbom.dependencies).toEqual([
    { ref: 'folder@1', dependsOn: ['undici@1', 'nodemailer@1'] },
    { ref: 'undici@1', dependsOn: [] },
  ]);
});
