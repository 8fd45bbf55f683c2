/**
 * Takes QuickJS apart for hosts that compile no WebAssembly from bytes: `packages/runtime/vendor/quickjs.wasm`, which their
 * bundlers compile, and `quickjs.js`, which is the package without it. `scripts/vendor.ts` runs it at its end.
 */
import { mkdirSync, readFileSync, realpathSync, renameSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { build } from "esbuild";

const runtime = join(import.meta.dirname, "../../packages/runtime");
const target = join(runtime, "vendor");
const name = "@jitl/quickjs-singlefile-browser-release-sync";
const source = realpathSync(join(runtime, "node_modules", name));
const loader = join(source, "dist/emscripten-module.browser.mjs");

/** What the package compiles when it loads. */
async function compiledBytes(): Promise<Uint8Array> {
  const { instantiate } = WebAssembly;
  const { promise, resolve } = Promise.withResolvers<Uint8Array>();
  const listen = (bytes: BufferSource, imports?: WebAssembly.Imports): unknown => {
    if (bytes instanceof Uint8Array) resolve(bytes);
    return instantiate(bytes, imports);
  };
  Object.assign(WebAssembly, { instantiate: listen });
  try {
    const { default: load }: { default: () => Promise<unknown> } = await import(
      pathToFileURL(loader).href
    );
    await load();
    return await promise;
  } finally {
    Object.assign(WebAssembly, { instantiate });
  }
}

/** The module without the text that holds the compiled bytes: it fails where they are not handed over. */
function withoutBytes(code: string): string {
  const mark = "`\\0asm";
  const start = code.indexOf(mark);
  let end = start + mark.length;
  while (code.charAt(end) !== "`") end += code.charAt(end) === "\\" ? 2 : 1;
  if (start === -1 || end - start < 100_000) throw new Error(`${name} has changed`);
  const missing = '(()=>{throw new Error("no compiled QuickJS was handed over")})()';
  return code.slice(0, start) + missing + code.slice(end + 1);
}

const { outputFiles } = await build({
  stdin: { contents: `export { default } from "${name}";`, resolveDir: runtime },
  bundle: true,
  minify: true,
  write: false,
  format: "esm",
  platform: "neutral",
  target: "es2022",
  // It asks for its own address, to find the file that it does not need.
  define: { "import.meta.url": '"file:///quickjs.js"' },
  plugins: [
    {
      name: "quickjs",
      setup(bundler) {
        bundler.onLoad({ filter: /emscripten-module\.browser[^/]*\.mjs$/ }, ({ path }) => {
          const code = readFileSync(path, "utf8");
          return { contents: code.includes("`\\0asm") ? withoutBytes(code) : code };
        });
      },
    },
  ],
});
mkdirSync(target, { recursive: true });
const licence = readFileSync(join(source, "LICENSE"), "utf8");
const files = {
  "quickjs.wasm": await compiledBytes(),
  "quickjs.js": outputFiles[0]?.contents ?? new Uint8Array(),
  "quickjs.LICENSES.md": `# Licences\n\n## ${name} (MIT)\n\n${licence.trim()}\n`,
};
for (const [file, content] of Object.entries(files)) {
  const fresh = join(dirname(target), `${file}-${process.pid}`);
  writeFileSync(fresh, content);
  renameSync(fresh, join(target, file));
}
const size = (file: "quickjs.wasm" | "quickjs.js"): string =>
  `${Math.round(files[file].length / 1024)} kB`;
console.log(`quickjs: ${size("quickjs.js")}, and ${size("quickjs.wasm")} of WebAssembly`);
