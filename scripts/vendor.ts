/**
 * Builds `packages/shell/vendor/just-bash.js` from the programs of the just-bash package, without its interpreter: a
 * table in one file, every program in a chunk of its own that loads on first use, and nothing that breaks a bundler for
 * browsers or workers. Run it with `node scripts/vendor.ts`; it rewrites everything or fails.
 */
import { readFileSync, realpathSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { gzipSync } from "node:zlib";
import { build, type Metafile, type Plugin } from "esbuild";
import { licenceTexts, packagesOf } from "./packaging/licences.ts";
import { type Patch, patches } from "./vendor/patches.ts";

const shell = join(import.meta.dirname, "../packages/shell");
const source = realpathSync(join(shell, "node_modules/just-bash"));
const target = join(shell, "vendor");
/** Output directory, next to the old files and swapped in at the end, because tests may be reading those. */
const fresh = `${target}-${process.pid}`;

/** Imports of just-bash for commands that need a process. Each name throws when used, not when loaded. */
const absent: Record<string, readonly string[]> = {
  "@mongodb-js/zstd": [],
  "node-liblzma": [],
  "node:async_hooks": ["AsyncLocalStorage"],
  "node:crypto": ["randomBytes"],
  "node:dns": ["lookup"],
  "node:fs": ["existsSync"],
  "node:fs/promises": ["open"],
  "node:module": [],
  "node:path": ["dirname", "join", "sep"],
  "node:url": ["fileURLToPath"],
  "node:worker_threads": ["Worker"],
  "node:zlib": ["constants", "gunzipSync", "gzipSync"],
  "quickjs-emscripten": [],
  "seek-bzip": ["default"],
  "sql.js": ["default"],
  undici: [],
};

function patched(code: string, counts: Map<Patch, number>): string {
  return patches.reduce((text, patch) => {
    counts.set(patch, (counts.get(patch) ?? 0) + [...text.matchAll(patch.find)].length);
    const replace = patch.replace
      .replaceAll("%visit%", nameIn(code, /visit:\(\)=>(\w+)\(\w+\)/))
      .replaceAll(
        "%limitError%",
        nameIn(code, /\.body,\w+\)\}catch\(\w+\)\{if\(\w+ instanceof (\w+)\)throw/),
      );
    return text.replace(patch.find, replace);
  }, code);
}

function nameIn(code: string, pattern: RegExp): string {
  return pattern.exec(code)?.[1] ?? "missing";
}

const TABLE = /\[(?:\{name:"[^"]+",load:async\(\)=>\(await import\("[^"]+"\)\)\.\w+\},?)+\]/g;
const LIMITS = /\{maxSourceBytes:[^{}]+\}/;

/** The tables of programs and the usual limits, which are all that is left of the interpreter's own module. */
function tablesOf(code: string): string {
  const [programs, networkPrograms, ...others] = code.match(TABLE) ?? [];
  const limits = LIMITS.exec(code)?.[0];
  if (!programs || !networkPrograms || others.length > 0 || !limits)
    throw new Error("just-bash has changed: its tables of programs or limits are not found");
  return `export const programs=${programs},networkPrograms=${networkPrograms},defaultLimits=${limits};`;
}

/** Functions that patched code calls, by source file. */
const helpers = {
  /** Regular expressions, shared by every program with a pattern. */
  "expressions.ts": ["quickened"],
  /** Helpers of jq. */
  "queries.ts": [
    "evaluated",
    "inTurns",
    "isEnd",
    "isPlain",
    "pauseNow",
    "plainValues",
    "remaining",
    "resumed",
    "unreduced",
  ],
  "values.ts": [
    "comparedValues",
    "groupedValues",
    "hasWithin",
    "positionsOf",
    "sameValues",
    "sortedValues",
  ],
};

/** Imports the helpers that patched code calls. */
function withHelpers(code: string): string {
  const imports = Object.entries(helpers).map(([file, names]) => {
    const called = names.filter((name) => new RegExp(`(?<![\\w$.])${name}\\(`).test(code));
    const from = JSON.stringify(join(import.meta.dirname, "vendor", file));
    return called.length > 0 ? `import{${called.join(",")}}from${from};` : "";
  });
  return imports.join("") + code;
}

function standIn(module: string): string {
  const refuse = `() => { throw new Error(${JSON.stringify(`${module} is not available here`)}); }`;
  const declarations = (absent[module] ?? []).map((name) => {
    const value = name === "constants" ? "{}" : name === "sep" ? '"/"' : refuse;
    return name === "default" ? `export default ${value};` : `export const ${name} = ${value};`;
  });
  return declarations.join("\n") || "export {};";
}

function justBash(counts: Map<Patch, number>): Plugin {
  // Its files start with a `require` made by Node, which none of the kept code uses.
  const banner =
    'import{createRequire} from"node:module";const require=createRequire(import.meta.url);';
  return {
    name: "just-bash",
    setup(bundler) {
      bundler.onResolve({ filter: /^just-bash$/ }, () => ({
        path: join(source, "dist/bundle/index.js"),
        sideEffects: false,
      }));
      bundler.onResolve({ filter: /^[^./]/ }, ({ path, kind }) => {
        if (kind === "entry-point" || !(path in absent)) return undefined;
        return { path, namespace: "absent", sideEffects: false };
      });
      bundler.onLoad({ filter: /.*/, namespace: "absent" }, ({ path }) => ({
        contents: standIn(path),
      }));
      // The pinned HTTP client of Node; the shell gets `fetch` instead.
      bundler.onLoad({ filter: /chunks[\\/]undici-[^\\/]*\.js$/ }, () => ({
        contents: "export {};",
      }));
      bundler.onLoad({ filter: /just-bash[\\/]dist[\\/]bundle[\\/].*\.js$/ }, ({ path }) => {
        const code = patched(readFileSync(path, "utf8").replace(banner, ""), counts);
        const isIndex = path.endsWith("index.js");
        return { contents: isIndex ? tablesOf(code) : withHelpers(code) };
      });
    },
  };
}

/** The licence texts of just-bash and of every package whose code is in the output. */
function licences(metafile: Metafile): string {
  const packages = packagesOf(
    Object.keys(metafile.inputs).map((input) => join(process.cwd(), input)),
  );
  packages.add(source);
  // Packages bundled into just-bash's published files, so none of our inputs names them.
  for (const name of [
    "fast-xml-parser",
    "file-type",
    "ini",
    "papaparse",
    "re2js",
    "smol-toml",
    "yaml",
  ]) {
    packages.add(realpathSync(join(dirname(source), name)));
  }
  const changes = patches.map(({ why }) => `- ${why}`).join("\n");
  const notice = `# Licences\n\njust-bash is changed here (see scripts/vendor.ts):\n\n${changes}\n\n`;
  return notice + licenceTexts(packages);
}

function report(metafile: Metafile): void {
  const { outputs } = metafile;
  const main = Object.keys(outputs).find((file) => file.endsWith("/just-bash.js"));
  const eager = new Set<string>();
  const visit = (file: string): void => {
    if (eager.has(file)) return;
    eager.add(file);
    for (const { path, kind } of outputs[file]?.imports ?? []) {
      if (kind === "import-statement") visit(path);
    }
  };
  if (main) visit(main);
  const size = (files: Iterable<string>): string => {
    const contents = [...files].map((file) => readFileSync(file));
    const kilobytes = (bytes: number[]): number =>
      Math.round(bytes.reduce((sum, length) => sum + length, 0) / 1024);
    const plain = kilobytes(contents.map((content) => content.length));
    return `${plain} kB, ${kilobytes(contents.map((content) => gzipSync(content).length))} kB gzipped`;
  };
  console.log(`loaded at first use: ${eager.size} files, ${size(eager)}`);
  console.log(
    `with every command: ${Object.keys(outputs).length} files, ${size(Object.keys(outputs))}`,
  );
}

const counts = new Map<Patch, number>();
process.once("exit", () => rmSync(fresh, { recursive: true, force: true }));
const { metafile } = await build({
  stdin: {
    contents: 'export { defaultLimits, networkPrograms, programs } from "just-bash";',
    resolveDir: shell,
  },
  bundle: true,
  splitting: true,
  minify: true,
  format: "esm",
  platform: "neutral",
  target: "es2022",
  mainFields: ["module", "main"],
  conditions: ["import", "default"],
  define: { __BROWSER__: "true" },
  outdir: fresh,
  entryNames: "just-bash",
  chunkNames: "just-bash/[name]-[hash]",
  plugins: [justBash(counts)],
  metafile: true,
  logLevel: "warning",
});
for (const patch of patches) {
  const matches = counts.get(patch) ?? 0;
  const { times = 1, why } = patch;
  if (matches !== times) {
    throw new Error(`just-bash has changed: ${matches} places instead of ${times} where ${why}`);
  }
}
const files = Object.keys(metafile.outputs);
for (const file of files) {
  const builtin = /(?:from|import\()\s*"(node:[^"]+)"/.exec(readFileSync(file, "utf8"))?.[1];
  if (builtin) throw new Error(`${file} still imports ${builtin}`);
}
writeFileSync(join(fresh, "LICENSES.md"), licences(metafile));
report(metafile);
rmSync(target, { recursive: true, force: true });
renameSync(fresh, target);
await import("./vendor/git.ts");
await import("./vendor/quickjs.ts");
await import("./vendor/sucrase.ts");
