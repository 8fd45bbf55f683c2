/**
 * Builds `packages/shell/vendor/sucrase.js`: the transform behind the shell's `node`, with its dependencies in one ES
 * module. Some of them are CommonJS, which can't be imported from a development server that serves packages
 * untransformed. `scripts/vendor.ts` runs it at its end.
 */
import { renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { build } from "esbuild";
import { licenceTexts, packagesOf } from "../packaging/licences.ts";

const shell = join(import.meta.dirname, "../../packages/shell");
const target = join(shell, "vendor");

const { metafile, outputFiles } = await build({
  stdin: { contents: 'export { transform } from "sucrase";', resolveDir: shell },
  bundle: true,
  minify: true,
  write: false,
  format: "esm",
  platform: "browser",
  target: "es2022",
  metafile: true,
  logLevel: "warning",
});
const code = outputFiles[0]?.text ?? "";
const inputs = Object.keys(metafile.inputs).map((input) => join(process.cwd(), input));
const files = {
  "sucrase.js": code,
  "sucrase.LICENSES.md": `# Licences\n\n${licenceTexts(packagesOf(inputs))}`,
};
for (const [file, content] of Object.entries(files)) {
  const fresh = join(target, `${file}-${process.pid}`);
  writeFileSync(fresh, content);
  renameSync(fresh, join(target, file));
}
console.log(
  `sucrase: ${Math.round(code.length / 1024)} kB, ${Math.round(gzipSync(code).length / 1024)} kB gzipped`,
);
