// Bundles an entry of the runtime or an adapter as a user's bundler would, for a browser or for a worker.
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { build, type Metafile, type OutputFile } from "esbuild";

export const root = join(import.meta.dirname, "../..");

export type BundleTarget = "browser" | "workerd";

export interface EntryBundle {
  /** Bytes of a first load, minified and gzipped: the entry and its static imports. */
  firstLoad: number;
  /** The modules of the first load. */
  firstModules: string[];
  /** The same with everything that loads later. */
  whole: number;
  metafile: Metafile;
  outputs: OutputFile[];
}

/** Modules that the host gives, so that no bundler resolves them. */
const GIVEN: Record<BundleTarget, string[]> = { browser: [], workerd: ["cloudflare:*"] };

/** Conditions by which Vite and wrangler resolve packages. */
const CONDITIONS: Record<BundleTarget, string[]> = {
  browser: ["browser", "module"],
  workerd: ["workerd", "worker", "browser", "module"],
};

/**
 * Bundles code from the repository's sources. Fails on anything that does not resolve; a Node built-in does not, on
 * either target.
 */
export async function bundleEntry(code: string, target: BundleTarget): Promise<EntryBundle> {
  const { metafile, outputFiles } = await build({
    stdin: { contents: code, resolveDir: join(root, "test"), loader: "ts" },
    bundle: true,
    splitting: true,
    minify: true,
    write: false,
    metafile: true,
    format: "esm",
    target: "es2022",
    outdir: "/out",
    platform: "browser",
    conditions: ["@robota/source", ...CONDITIONS[target]],
    external: GIVEN[target],
    logLevel: "silent",
  });
  const entry = Object.keys(metafile.outputs).find(
    (name) => metafile.outputs[name]?.entryPoint === "<stdin>",
  );
  const first = staticClosure(metafile, entry ?? "");
  const size = (include: (name: string) => boolean): number =>
    outputFiles
      .filter(({ path }) => include(outputName(metafile, path)))
      .reduce((total, { contents }) => total + gzipSync(contents, { level: 9 }).length, 0);
  return {
    firstLoad: size((name) => first.has(name)),
    firstModules: [...first].flatMap((name) => Object.keys(metafile.outputs[name]?.inputs ?? {})),
    whole: size(() => true),
    metafile,
    outputs: outputFiles,
  };
}

function outputName(metafile: Metafile, path: string): string {
  return (
    Object.keys(metafile.outputs).find((name) => path.endsWith(name.replace(/^(\.\.\/)+/, "/"))) ??
    path
  );
}

function staticClosure(metafile: Metafile, entry: string, seen = new Set<string>()): Set<string> {
  if (seen.has(entry)) return seen;
  seen.add(entry);
  for (const { path, kind } of metafile.outputs[entry]?.imports ?? []) {
    if (kind === "import-statement") staticClosure(metafile, path, seen);
  }
  return seen;
}
