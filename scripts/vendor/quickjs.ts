/**
 * Extracts the WebAssembly of QuickJS and enables it to pause. `scripts/vendor.ts` runs it at its end; it writes to
 * `packages/shell/vendor`
 *
 * - `quickjs.wasm`, for hosts that can't compile WebAssembly from bytes, and whose bundlers do it;
 * - `quickjs.js`, the package without it;
 * - `quickjs-inline.js`, the same with the compressed bytes, for all other hosts.
 *
 * While a script computes, QuickJS periodically asks its host whether to interrupt it. Here the host may respond with a
 * pause: QuickJS then calls a suspending import, and continues afterwards. That import replaces the module loader, which
 * is unused here. QuickJS asks between the steps of a script only, so that one call of a built-in function would run
 * without limit; hence each loop of the compiled code counts its iterations and asks too (see loop-rounds.ts).
 */
import { mkdirSync, readFileSync, realpathSync, renameSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { gzipSync } from "node:zlib";
import { build } from "esbuild";
import { withAskingLoops, withCounter } from "./loop-rounds.ts";
import { importedFunctions, numberAt, numberBytes, partsOf, withLength } from "./wasm-parts.ts";

const shell = join(import.meta.dirname, "../../packages/shell");
const target = join(shell, "vendor");
const name = "@jitl/quickjs-singlefile-browser-release-sync";
const source = realpathSync(join(shell, "node_modules", name));
const loader = join(source, "dist/emscripten-module.browser.mjs");

/** The bytes that the package compiles when it loads. */
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

/** Removes the text with the compiled bytes from the module: it then fails unless they are provided. */
function withoutBytes(code: string): string {
  const mark = "`\\0asm";
  const start = code.indexOf(mark);
  let end = start + mark.length;
  while (code.charAt(end) !== "`") end += code.charAt(end) === "\\" ? 2 : 1;
  if (start === -1 || end - start < 100_000) throw changed();
  const missing = '(()=>{throw new Error("no compiled QuickJS was handed over")})()';
  return code.slice(0, start) + missing + code.slice(end + 1);
}

function changed(): Error {
  return new Error(`${name} has changed`);
}

// ---- the pause

/** Patterns of the imports that QuickJS calls to ask and to wait, with their names. */
const ASKS = /(\w+):function\(\w+\)\{return \w+\.callbacks\.shouldInterrupt\(void 0,\w+\)\}/;
const WAITS = /(\w+):function\(\w+,\w+,\w+\)\{[^}]*?(\w+)\.callbacks\.loadModuleSource\([^}]*\)\}/;

/** Adds a suspending import to the module, on hosts that support it. */
function withWait(code: string): string {
  const pause = `typeof WebAssembly.Suspending=="function"?new WebAssembly.Suspending(()=>$2.callbacks.pause()):()=>0`;
  const text = code.replace(WAITS, `$1:${pause}`);
  if (text === code) throw changed();
  return text;
}

/** Makes QuickJS call the waiting import when the host responds 2, and use its result as the response. */
function withPause(bytes: Uint8Array, glue: string): Uint8Array {
  const sections = [...partsOf(bytes, 8, Number.POSITIVE_INFINITY, 1)];
  const section = (id: number) => {
    const found = sections.find(({ at }) => bytes[at] === id);
    if (!found) throw changed();
    return found;
  };
  const imports = importedFunctions(bytes, section(2).start);
  const asks = imports.get(ASKS.exec(glue)?.[1] ?? "");
  const waits = imports.get(WAITS.exec(glue)?.[1] ?? "");
  if (asks === undefined || waits === undefined || asks > 127 || waits > 127) throw changed();
  // No locals; the first parameter; the call; the end.
  const before = Buffer.from([0, 0x20, 0, 0x10, asks, 0x0b]);
  // The response replaces the parameter. If it is 2, the waiting import is called with three integers.
  const keep = [0x22, 0];
  const ifTwo = [0x41, 2, 0x46, 0x04, 0x7f];
  const wait = [0x41, 0, 0x41, 0, 0x41, 0, 0x10, waits];
  const otherwise = [0x05, 0x20, 0, 0x0b];
  const after = Buffer.from([
    ...before.subarray(0, -1),
    ...keep,
    ...ifTwo,
    ...wait,
    ...otherwise,
    0x0b,
  ]);
  const [globals, code] = [section(6), section(10)];
  const counter = withCounter(bytes.subarray(globals.start, globals.end));
  let replaced = 0;
  const [count, first] = numberAt(bytes, code.start);
  const bodies = [...partsOf(bytes, first, count, 0)].map(({ start, end }) => {
    const body = bytes.subarray(start, end);
    if (!before.equals(body))
      return withLength([withAskingLoops(body, { ...counter, asks, waits })]);
    replaced += 1;
    return withLength([after]);
  });
  if (replaced !== 1) throw changed();
  const patched = Buffer.concat([
    bytes.subarray(0, globals.at),
    Uint8Array.of(6),
    withLength([counter.globals]),
    bytes.subarray(globals.end, code.at),
    Uint8Array.of(10),
    withLength([Uint8Array.from(numberBytes(count)), ...bodies]),
    bytes.subarray(code.end),
  ]);
  if (!WebAssembly.validate(patched)) throw changed();
  return patched;
}

const { outputFiles } = await build({
  stdin: { contents: `export { default } from "${name}";`, resolveDir: shell },
  bundle: true,
  minify: true,
  write: false,
  format: "esm",
  platform: "neutral",
  target: "es2022",
  // It reads its own URL, to find a file that it does not need.
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
const glue = outputFiles[0]?.text ?? "";
const wasm = withPause(await compiledBytes(), glue);
const text = Buffer.from(gzipSync(wasm, { level: 9 })).toString("base64");
mkdirSync(target, { recursive: true });
const licence = readFileSync(join(source, "LICENSE"), "utf8");
const files = {
  "quickjs.wasm": wasm,
  "quickjs.js": `${withWait(glue)}export const packed=void 0;\n`,
  "quickjs-inline.js": `export{default}from"./quickjs.js";export const packed="${text}";\n`,
  "quickjs.LICENSES.md":
    "# Licences\n\nQuickJS is changed here: its host may pause it and end it (see scripts/vendor/quickjs.ts).\n\n" +
    `## ${name} (MIT)\n\n${licence.trim()}\n`,
};
for (const [file, content] of Object.entries(files)) {
  const fresh = join(dirname(target), `${file}-${process.pid}`);
  writeFileSync(fresh, content);
  renameSync(fresh, join(target, file));
}
const size = (file: "quickjs.wasm" | "quickjs.js" | "quickjs-inline.js"): string =>
  `${Math.round(files[file].length / 1024)} kB`;
console.log(
  `quickjs: ${size("quickjs.js")}, and ${size("quickjs.wasm")} of WebAssembly, packed ${size("quickjs-inline.js")}`,
);
