// Bundles a package for Node (`node scripts/packaging/bundle-for-node.ts runtime`), which reads few large files much
// faster than hundreds of small ones: what the main entry needs at once into one file, what loads later apart.
// Dependencies are left out but for SDKs and what else is of many files, or large and used in small parts. The packed
// manifest offers these files under "node"; bundlers take the modules, of which they leave out more, and those of the runtime
// joined where pages use them together.
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { type Plugin, rolldown } from "rolldown";
import { bundleSdks } from "./bundle-sdks.ts";
import { joinModules } from "./join-modules.ts";
import { licenceTexts, packagesOf } from "./licences.ts";
import { leaveOutUnusedTypes } from "./unused-types.ts";

/**
 * Bundled of the packages that the runtime imports: the SDKs, the few functions of zod that are used (its whole takes 43 ms of
 * CPU time to import, these 5), and the helpers of syntax that the oldest Node lacks.
 */
const BUNDLED =
  /^(?:@agentclientprotocol\/|@modelcontextprotocol\/|@scalar\/|zod\/|@earendil-works\/pi-tui$|hono(?:\/|$)|diff$|@oxc-project\/runtime\/)/;

/** Files of a package that are started or forked, beside those that it exports. */
const PROGRAMS: Readonly<Record<string, readonly string[]>> = {
  "adapters-node": ["cli/main", "virtual-shell/shell-process", "virtual-shell/watchdog"],
};

/** Functions of the main entry that answer with a promise, and what takes the most reading of it: loaded with their first call. */
const LATER: Readonly<Record<string, string>> = {
  "session/replay/replay-session.ts": "replaySession",
};

/**
 * What opening a session loads of each package, and the command line to open one, beside the main entry: modules that are
 * loaded apart elsewhere, in one file with what they need.
 */
const OPENING: Readonly<Record<string, readonly string[]>> = {
  runtime: [
    "interactive/configure-session",
    "interactive/structured-answers",
    "interactive/agents/parse-agent-file",
    "interactive/commands/session-commands",
    "interactive/commands/builtin/builtin-commands",
    "messages/summary-request",
    "permissions/engine",
    "permissions/read-only/read-only-commands",
    "permissions/rules/rule-warnings",
    "session/approvals/requests",
    "session/approvals/untrusted",
    "session/replay/divergence",
    "session/state/diff-lines",
  ],
  "adapters-node": [
    "cli/program",
    "cli/local-session",
    "cli/interrupts",
    "cli/arguments/token-variable",
  ],
};

const LATER_MARK = "\0later:";

const name = process.argv[2] ?? "runtime";
const folder = join(import.meta.dirname, "../../packages", name);
const programs = PROGRAMS[name] ?? [];
const target = join(folder, "dist/node");
const manifest: {
  exports: Record<string, { "@robota/source"?: string; types: string; default: string }>;
  engines: { node: string };
} = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
/** The oldest Node that the packages promise to run on, as rolldown names it. */
const oldestNode = manifest.engines.node.replace(">=", "node");
const input = Object.fromEntries([
  ...Object.values(manifest.exports).flatMap(({ "@robota/source": source, default: module }) =>
    source === undefined
      ? []
      : [[module.slice("./dist/".length, -".js".length), join(folder, source)]],
  ),
  ...programs.map((file) => [basename(file), join(folder, "src", `${file}.ts`)]),
]);
const main = input.index;
const opening = new Set((OPENING[name] ?? []).map((file) => join(folder, "src", `${file}.ts`)));

/** Here and not in the sources: bundlers of pages keep out what is not used, and would split the rest into more files. */
const laterFunctions: Plugin = {
  name: "later-functions",
  resolveId(source, importer, { kind }) {
    if (!importer?.endsWith("/index.ts") || kind !== "import-statement") return undefined;
    const file = join(dirname(importer), source);
    return laterIn(file) === undefined ? undefined : LATER_MARK + file;
  },
  load(id) {
    if (!id.startsWith(LATER_MARK)) return undefined;
    const file = id.slice(LATER_MARK.length);
    const name = laterIn(file);
    return `export const ${name} = async (...args) => (await import(${JSON.stringify(file)})).${name}(...args);`;
  },
};

function laterIn(file: string): string | undefined {
  return LATER[file.slice(join(folder, "src/").length)];
}

if (name === "runtime") await joinModules(folder, input);
const bundle = await rolldown({
  input,
  plugins: [laterFunctions],
  tsconfig: false,
  platform: "node",
  transform: { target: oldestNode },
  external: (id, importer = "") =>
    id.startsWith("node:") ||
    (/^[^./\0]/.test(id) && !BUNDLED.test(id) && !importer.includes("/node_modules/")),
  treeshake: { moduleSideEffects: false },
  // A module that is imported on demand here is often imported statically elsewhere.
  checks: { ineffectiveDynamicImport: false },
});
rmSync(target, { recursive: true, force: true });
const { output } = await bundle.write({
  dir: target,
  format: "esm",
  entryFileNames: "[name].js",
  // A program is started by its place beside the code that starts it.
  chunkFileNames: programs.length > 0 ? "[name]-[hash].js" : "chunks/[name]-[hash].js",
  comments: false,
  // Shorter to parse, while lines and names stay: an uncaught error prints its line, a stack its functions.
  minify: {
    compress: { keepNames: { function: true, class: true } },
    mangle: false,
    codegen: false,
  },
  codeSplitting: {
    groups: [
      { name: "core", test: (id) => id === main || id.includes("rolldown/runtime"), priority: 1 },
      // Entries of small parts, which platforms import.
      { name: "files", test: (id) => /\/src\/(?:ports|virtual)\/index\.ts$/.test(id) },
      { name: "opening", test: (id) => opening.has(id) },
      // Of the program's first file, which loads the rest later.
      {
        name: "node-version",
        test: (id) => id.endsWith("/cli/start/node-version.ts"),
        priority: 1,
      },
    ],
  },
});
const modules = [
  ...output.flatMap((file) => (file.type === "chunk" ? file.moduleIds : [])),
  ...(name === "runtime" ? await bundleSdks(folder) : []),
];
writeFileSync(
  join(folder, "dist/THIRD-PARTY-NOTICES.md"),
  `# Licences of what is bundled\n\n${licenceTexts(packagesOf(modules))}`,
);
leaveOutUnusedTypes(
  folder,
  Object.values(manifest.exports).map(({ types }) => types),
);
