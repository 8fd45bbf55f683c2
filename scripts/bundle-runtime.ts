// Bundles the runtime for Node, which reads few large files much faster than hundreds of small ones: what the main entry
// needs at once into one file, what loads later apart. Dependencies are left out but for the models' SDKs, which are of
// hundreds of files themselves. The packed manifest offers these files under "node"; whoever bundles takes the modules, of
// which bundlers leave out more.
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { rolldown } from "rolldown";
import { licenceTexts, packagesOf } from "./licences.ts";

/** Of the packages that the runtime imports, those that are bundled with it. */
const SDKS = /^(?:@anthropic-ai\/sdk|openai)\//;

const runtime = join(import.meta.dirname, "../packages/runtime");
const target = join(runtime, "dist/node");
const manifest: { exports: Record<string, { "@robota/source"?: string; default: string }> } =
  JSON.parse(readFileSync(join(runtime, "package.json"), "utf8"));
const input = Object.fromEntries(
  Object.values(manifest.exports).flatMap(({ "@robota/source": source, default: module }) =>
    source === undefined
      ? []
      : [[module.slice("./dist/".length, -".js".length), join(runtime, source)]],
  ),
);
const main = input.index;

const bundle = await rolldown({
  input,
  tsconfig: false,
  platform: "node",
  external: (id, importer = "") =>
    id.startsWith("node:") ||
    (/^[^./]/.test(id) && !SDKS.test(id) && !importer.includes("/node_modules/")),
  treeshake: { moduleSideEffects: false },
  // What a program may load later is often there already.
  checks: { ineffectiveDynamicImport: false },
});
rmSync(target, { recursive: true, force: true });
const { output } = await bundle.write({
  dir: target,
  format: "esm",
  entryFileNames: "[name].js",
  chunkFileNames: "chunks/[name]-[hash].js",
  sourcemap: true,
  sourcemapExcludeSources: true,
  comments: false,
  // Shorter to parse, while lines and names stay: an uncaught error prints its line, a stack its functions.
  minify: {
    compress: { keepNames: { function: true, class: true } },
    mangle: false,
    codegen: false,
  },
  codeSplitting: {
    groups: [{ name: "core", test: (id) => id === main || id.includes("rolldown/runtime") }],
  },
});
const modules = output.flatMap((file) => (file.type === "chunk" ? file.moduleIds : []));
const licences = licenceTexts(packagesOf(modules));
writeFileSync(join(target, "LICENSES.md"), `# Licences of what is bundled\n\n${licences}`);
