import { rolldown } from "rolldown";

/**
 * Bundles programs, by the names that they get in `directory` (they end in `.mjs`), because one that is started many times
 * should start fast: finding and reading hundreds of modules takes most of a start from the sources.
 */
export async function bundlePrograms(
  directory: string,
  programs: Readonly<Record<string, string>>,
): Promise<void> {
  const bundle = await rolldown({
    input: { ...programs },
    platform: "node",
    tsconfig: false,
    resolve: { conditionNames: ["@robota/source", "node"] },
    checks: { ineffectiveDynamicImport: false },
  });
  // Node would look into files that end in `.js` for whether they are modules.
  const names = { entryFileNames: "[name].mjs", chunkFileNames: "[name]-[hash].mjs" };
  await bundle.write({ dir: directory, format: "esm", ...names });
  await bundle.close();
}
