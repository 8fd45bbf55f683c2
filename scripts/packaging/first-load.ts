// The cost of an entry for a page or a worker, bundled by Rolldown as Vite does.
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { type OutputChunk, rolldown, type RolldownBuild } from "rolldown";
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

/** Code to bundle, in terms of the repository's sources or of the packages that a folder has installed. */
export interface LoadedCode {
  code: string;
  target: BundleTarget;
  /** Packages that do not count, since the page has them anyway. */
  external?: readonly string[] | undefined;
  folder?: string | undefined;
  /** Modules that do not count. */
  leftOut?: RegExp | undefined;
  /** Modules that load with the first use, and count as part of the first load. */
  used?: RegExp | undefined;
}

function bundleOf({
  code,
  target,
  external = [],
  folder = join(root, "test"),
  leftOut,
}: LoadedCode): Promise<RolldownBuild> {
  const entry = join(folder, "__entry.ts");
  return rolldown({
    input: entry,
    platform: "browser",
    logLevel: "silent",
    external: [/^cloudflare:/, ...external.map((name) => new RegExp(`^${name}(?:/|$)`))],
    resolve: { conditionNames: ["@robota/source", ...CONDITIONS[target], "module", "import"] },
    shimMissingExports: leftOut !== undefined,
    plugins: [
      {
        name: "entry",
        resolveId: (id) => (id === entry ? entry : undefined),
        load: (id) => {
          if (id === entry) return code;
          return leftOut?.test(id) ? { code: "export default 0", moduleType: "js" } : undefined;
        },
      },
    ],
  });
}

/** Bytes of code and all that it loads, in one file, minified and gzipped. */
export async function singleFileSize(loaded: LoadedCode): Promise<number> {
  const bundle = await bundleOf(loaded);
  const { output } = await bundle.generate({ format: "esm", minify: true, codeSplitting: false });
  await bundle.close();
  return output.reduce(
    (sum, chunk) => sum + (chunk.type === "chunk" ? gzipSync(chunk.code).length : 0),
    0,
  );
}

/** The cost of code, in as many files as a page loads. */
export async function loadSizes(loaded: LoadedCode): Promise<LoadSizes> {
  const bundle = await bundleOf(loaded);
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
  const isUsed = (id: string): boolean => loaded.used?.test(id) === true;
  for (const chunk of chunks.values())
    if (chunk.isEntry || Object.keys(chunk.modules).some(isUsed)) visit(chunk);
  const sizeOf = (names: Iterable<string>): number =>
    [...names].reduce((sum, name) => sum + gzipSync(chunks.get(name)?.code ?? "").length, 0);
  return { firstLoad: sizeOf(first), whole: sizeOf(chunks.keys()) };
}
