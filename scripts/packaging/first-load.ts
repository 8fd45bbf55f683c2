// The cost of an entry for a page or a worker, bundled by Rolldown as Vite does.
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { type OutputChunk, rolldown } from "rolldown";
import { type BundleTarget, root } from "./bundle-entry.ts";

export interface LoadSizes {
  /** Bytes of the entry and its static imports, minified and gzipped. */
  firstLoad: number;
  /** The same with everything that loads later. */
  whole: number;
}

const CONDITIONS: Record<BundleTarget, string[]> = {
  browser: ["browser"],
  workerd: ["workerd", "worker", "browser"],
};

/**
 * Bundles code from the repository's sources, or with the packages that `folder` has installed. `external`: packages that do
 * not count, since the page has them anyway.
 */
export async function loadSizes(
  code: string,
  target: BundleTarget,
  external: readonly string[] = [],
  folder = join(root, "test"),
): Promise<LoadSizes> {
  const entry = join(folder, "__entry.ts");
  const bundle = await rolldown({
    input: entry,
    platform: "browser",
    logLevel: "silent",
    external: [/^cloudflare:/, ...external.map((name) => new RegExp(`^${name}(?:/|$)`))],
    resolve: { conditionNames: ["@robota/source", ...CONDITIONS[target], "module", "import"] },
    plugins: [
      {
        name: "entry",
        resolveId: (id) => (id === entry ? entry : undefined),
        load: (id) => (id === entry ? code : undefined),
      },
    ],
  });
  const { output } = await bundle.generate({ format: "esm", minify: true });
  await bundle.close();
  const chunks = new Map(
    output.flatMap((chunk) => (chunk.type === "chunk" ? [[chunk.fileName, chunk] as const] : [])),
  );
  const first = new Set<string>();
  const visit = ({ fileName, imports }: OutputChunk): void => {
    if (first.has(fileName)) return;
    first.add(fileName);
    for (const name of imports) {
      const chunk = chunks.get(name);
      if (chunk) visit(chunk);
    }
  };
  for (const chunk of chunks.values()) if (chunk.isEntry) visit(chunk);
  const sizeOf = (names: Iterable<string>): number =>
    [...names].reduce((sum, name) => sum + gzipSync(chunks.get(name)?.code ?? "").length, 0);
  return { firstLoad: sizeOf(first), whole: sizeOf(chunks.keys()) };
}
