// Bundles what the runtime uses of large packages into its modules for pages and workers: the files that re-export them
// (`MODULES`) are replaced by themselves with everything they need, so that nobody installs the
// packages. Each stays a module of its own, loaded when used, from which a page's bundler leaves out what it does not use.
import { rmSync } from "node:fs";
import { join } from "node:path";
import { type Plugin, rolldown } from "rolldown";

/** The modules that re-export them, without `.ts`. */
export const MODULES = [
  "mcp/sdk",
  "tools/openapi/upgrader",
  "transports/acp/sdk",
  "transports/mcp/sdk",
  "zod",
];

/** The folder of what the bundled modules have in common. */
const SHARED = "sdks";

const HOST_PARTS = "\0host-parts:";

/**
 * The MCP client has another part for each host, chosen by a bundler's conditions. These modules are the same for pages and
 * workers, so that the host is asked: only a page's `fetch` fails by CORS.
 */
const hostParts: Plugin = {
  name: "host-parts",
  async resolveId(source, importer) {
    if (source !== "@modelcontextprotocol/client/_shims") return undefined;
    const page = await this.resolve(source, importer, { skipSelf: true });
    return page && HOST_PARTS + page.id;
  },
  load(id) {
    if (!id.startsWith(HOST_PARTS)) return undefined;
    const page = JSON.stringify(id.slice(HOST_PARTS.length));
    return `export { DefaultJsonSchemaValidator } from ${page};
      export const CORS_IS_POSSIBLE = globalThis.navigator?.userAgent !== "Cloudflare-Workers";`;
  },
};

/** Replaces the modules in the package's `dist`; resolves to the files that went into them. */
export async function bundleSdks(folder: string): Promise<string[]> {
  const source = join(folder, "src");
  const target = join(folder, "dist");
  const bundle = await rolldown({
    input: Object.fromEntries(MODULES.map((name) => [name, join(source, `${name}.ts`)])),
    plugins: [hostParts],
    tsconfig: false,
    platform: "browser",
    transform: { target: "es2022" },
    treeshake: { moduleSideEffects: false },
  });
  rmSync(join(target, SHARED), { recursive: true, force: true });
  const { output } = await bundle.write({
    dir: target,
    format: "esm",
    entryFileNames: "[name].js",
    chunkFileNames: `${SHARED}/[name].js`,
    comments: { annotation: true, legal: false, jsdoc: false },
  });
  await bundle.close();
  const modules = output.flatMap((file) => (file.type === "chunk" ? file.moduleIds : []));
  return modules.filter((id) => !id.startsWith("\0"));
}
