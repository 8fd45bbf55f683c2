/**
 * Builds `packages/shell/vendor/isomorphic-git.js`: the part of isomorphic-git that the shell's `git` uses, in one file
 * with its own `Buffer`, so that no bundler has to polyfill Node. `scripts/vendor.ts` runs it at its end.
 */
import { readdirSync, readFileSync, realpathSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { build } from "esbuild";

const shell = join(import.meta.dirname, "../../packages/shell");
const target = join(shell, "vendor");
const output = join(target, "isomorphic-git.js");
const fresh = `${output}-${process.pid}`;
const names = [
  "Errors",
  "addRemote",
  "clone",
  "deleteRef",
  "deleteRemote",
  "expandOid",
  "fetch",
  "findMergeBase",
  "getConfig",
  "getConfigAll",
  "hashBlob",
  "init",
  "isDescendent",
  "listBranches",
  "listRefs",
  "listRemotes",
  "listServerRefs",
  "listTags",
  "push",
  "readBlob",
  "readCommit",
  "readObject",
  "readTree",
  "resolveRef",
  "setConfig",
  "writeBlob",
  "writeCommit",
  "writeRef",
  "writeObject",
  "writeTree",
];
// The last two are its dependencies, which it does not export.
const exported = `
  export { ${names.join(", ")} } from "isomorphic-git";
  export { default as diff3Merge } from "diff3";
  export { default as ignore } from "ignore";
`;

const { metafile } = await build({
  stdin: {
    contents: exported,
    resolveDir: realpathSync(join(shell, "node_modules/isomorphic-git")),
  },
  inject: [join(import.meta.dirname, "buffer.ts")],
  bundle: true,
  minify: true,
  format: "esm",
  platform: "browser",
  target: "es2022",
  // Removes host detection, which then concludes that it is not on Windows.
  define: { "process.domain": "undefined", "process.env": "{}", "process.platform": '"linux"' },
  outfile: fresh,
  metafile: true,
  logLevel: "warning",
});
const code = readFileSync(fresh, "utf8");
const given = /\brequire\("[^"]+"\)/.exec(code)?.[0];
if (given) throw new Error(`isomorphic-git.js still asks the host for ${given}`);
writeFileSync(join(target, "isomorphic-git.LICENSES.md"), licences(Object.keys(metafile.inputs)));
renameSync(fresh, output);
console.log(
  `isomorphic-git: ${Math.round(code.length / 1024)} kB, ${Math.round(gzipSync(code).length / 1024)} kB gzipped`,
);

/** The licence texts of every package whose code is in the output. */
function licences(inputs: readonly string[]): string {
  const packages = new Set<string>();
  for (const input of inputs) {
    const found = /^(.*\/node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(join(process.cwd(), input));
    if (found?.[1]) packages.add(realpathSync(found[1]));
  }
  const texts = [...packages].sort().map((directory) => {
    const facts = JSON.parse(readFileSync(join(directory, "package.json"), "utf8"));
    const file = readdirSync(directory).find((name) => /^licen[cs]e/i.test(name));
    const text = file ? readFileSync(join(directory, file), "utf8").trim() : "";
    return `## ${facts.name} ${facts.version} (${facts.license})\n\n${text}\n`;
  });
  return `# Licences\n\n${texts.join("\n")}`;
}
