// The bundle that `wrangler` uploads. Rolldown drops what esbuild keeps of packages, such as zod's translations.
import { readFile } from "node:fs/promises";
import { defineConfig } from "rolldown";

/** A compiled module is uploaded beside the code, not in it. */
const modules = {
  name: "wasm-modules",
  async resolveId(source, importer) {
    if (!source.endsWith(".wasm")) return undefined;
    const found = await this.resolve(source, importer, { skipSelf: true });
    if (!found) return undefined;
    const file = this.emitFile({
      type: "asset",
      name: "quickjs.wasm",
      source: await readFile(found.id),
    });
    return { id: `./${this.getFileName(file)}`, external: true };
  },
};

export default defineConfig({
  input: "src/worker.ts",
  platform: "browser",
  external: [/^cloudflare:/],
  resolve: { conditionNames: ["@robota/source", "workerd", "worker", "module", "import"] },
  transform: { target: "es2024" },
  plugins: [modules],
  output: {
    dir: ".wrangler/bundle",
    format: "esm",
    codeSplitting: false,
    minify: true,
    assetFileNames: "[name]-[hash][extname]",
  },
});
