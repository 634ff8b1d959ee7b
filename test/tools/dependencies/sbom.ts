// The list of what the bridge runs with, in CycloneDX, from the one that npm writes of all packages.

type Component = { 'bom-ref': string; name: string; properties?: readonly { name: string }[] };

export type Sbom = {
  specVersion: string;
  metadata: { component: Component };
  components: readonly Component[];
  dependencies: readonly { ref: string; dependsOn: readonly string[] }[];
};

const DEVELOPMENT = 'cdx:npm:package:development';

/**
 * Without what only development needs. npm's own `--omit dev` also leaves out whatever a package of development needs
 * too, such as aws-cdk-lib (npm 11.19).
 */
export function runtimeSbom({ metadata, components, dependencies, ...rest }: Sbom, name: string): Sbom {
  const kept = components.filter(({ properties = [] }) => properties.every((one) => one.name !== DEVELOPMENT));
  const refs = new Set([metadata.component, ...kept].map((component) => component['bom-ref']));
  return {
    ...rest,
    // npm writes the name of the folder.
    metadata: { ...metadata, component: { ...metadata.component, name } },
    components: kept,
    dependencies: dependencies
      .filter(({ ref }) => refs.has(ref))
      .map(({ ref, dependsOn }) => ({ ref, dependsOn: dependsOn.filter((one) => refs.has(one)) })),
  };
}
