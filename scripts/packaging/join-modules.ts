// Joins modules of the runtime that a page uses together into one file each: bundlers make a file of its own of every module
// that two others share, a hundred on the way to a session's first answer. No joined file loads anything later that imports
// it: bundlers keep the code for such circles even where nothing uses it.
import { mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { type Plugin, type PluginContext, rolldown } from "rolldown";
import { MODULES } from "./bundle-sdks.ts";

/** The modules that each one imports, and those that it loads later, by their paths below `src` without `.ts`. */
interface Graph {
  readonly imports: ReadonlyMap<string, readonly string[]>;
  readonly loads: ReadonlyMap<string, readonly string[]>;
}

/** The folder of the joined files. */
const JOINED = "joined";

const AGENT = ["agent/robota"];
const SESSION = ["session/session", "interactive/interactive-session"];
const PROVIDERS = ["anthropic", "openai", "offline"].map((name) => `providers/${name}/index`);
/** Modules that platforms and tools share with sessions. */
const PARTS = [
  "ports/storage-key",
  "ports/mode",
  "virtual/path-walk",
  "virtual/rename-rules",
  "bytes",
  "fitting-name",
];
const TURN = ["session/turn/run-turn", "session/refresh-configuration"];
const OPENING = ["interactive/configure-session", "interactive/settings/refresh-settings"];

/** The joined files, with the modules of each that are in none before it. */
const FILES: Readonly<Record<string, (graph: Graph) => Iterable<string>>> = {
  base: (graph) => plain(graph, [...AGENT, ...PROVIDERS, ...PARTS, "providers/read-stream"]),
  session: (graph) => [
    // Its turn loads the header's code later, which is too small for a file of its own.
    ...plain(graph, [...SESSION, ...OPENING, "session/store/header-writer"]),
    "session/call-bounds",
    "session/hooks/blocked-by",
    "session/state/report-context",
    "session/turn/turn-events",
  ],
  middle: (graph) => [
    ...shallow(graph, [...AGENT, ...SESSION]),
    "agent/loop",
    "agent/agent-run",
    "providers/answer",
    "session/state/tool-diff",
  ],
  turn: (graph) => without(closure(graph, TURN), closure(graph, SESSION)),
  settings: (graph) =>
    without(closure(graph, ["interactive/settings/load-settings"]), closure(graph, SESSION)),
  opening: (graph) => without(closure(graph, OPENING), closure(graph, SESSION)),
};

const SDK = "sdk:";

/** Replaces the modules of the package's `dist`, of which the declarations stay. `entries`: by their paths, without `.js`. */
export async function joinModules(
  folder: string,
  entries: Readonly<Record<string, string>>,
): Promise<void> {
  const source = join(folder, "src");
  const target = join(folder, "dist");
  const nameOf = (id: string): string => relative(source, id).replace(/\.ts$/, "");
  const isEntry = new Set(Object.values(entries));
  let places = new Map<string, string>();
  const bundle = await rolldown({
    input: entries,
    plugins: [
      sdkModules(source),
      pureModules,
      {
        name: "places",
        buildEnd() {
          places = placesOf(graphOf(this, nameOf));
        },
      },
    ],
    tsconfig: false,
    platform: "browser",
    transform: { target: "es2022" },
    // The helpers of syntax that the target lacks come along.
    external: (id) => /^[^./\0]/.test(id) && !id.startsWith("@oxc-project/runtime/"),
    treeshake: { moduleSideEffects: false },
    preserveEntrySignatures: "allow-extension",
    // A module that is imported on demand here is often imported statically elsewhere.
    checks: { ineffectiveDynamicImport: false },
  });
  const { output } = await bundle.generate({
    format: "esm",
    entryFileNames: "[name].js",
    chunkFileNames: "[name].js",
    comments: { annotation: true, legal: false, jsdoc: false },
    codeSplitting: {
      includeDependenciesRecursively: false,
      groups: [
        {
          debugName: JOINED,
          name(id) {
            if (!id.startsWith(source)) return `${JOINED}/base`;
            const name = nameOf(id);
            return places.get(name) ?? (isEntry.has(id) ? null : name);
          },
        },
      ],
    },
  });
  await bundle.close();
  removeModules(target);
  for (const file of output) {
    if (file.type !== "chunk") continue;
    mkdirSync(dirname(join(target, file.fileName)), { recursive: true });
    writeFileSync(join(target, file.fileName), file.code);
  }
}

/** The modules that are bundled with their SDKs stay apart, and are named by their places. */
function sdkModules(source: string): Plugin {
  const ids = new Map(MODULES.map((name) => [join(source, `${name}.ts`), SDK + name]));
  return {
    name: "sdk-modules",
    async resolveId(given, importer) {
      if (!given.startsWith(".") || importer === undefined) return undefined;
      const id = ids.get(join(dirname(importer), given));
      return id === undefined ? undefined : { id, external: true };
    },
    renderChunk(code, { fileName }) {
      return code.replaceAll(/"sdk:([^"]+)"/g, (_, name: string) => {
        const path = relative(dirname(fileName), `${name}.js`);
        return JSON.stringify(path.startsWith(".") ? path : `./${path}`);
      });
    },
  };
}

/**
 * Marks the calls by which modules begin. The manifest says that none has side effects; once several modules are one, only
 * the mark tells a bundler so.
 */
const pureModules: Plugin = {
  name: "pure-modules",
  transform: {
    order: "post",
    handler(code) {
      const starts = new Set<number>();
      for (const statement of this.parse(code, { lang: "ts" }).body) noteCalls(statement, starts);
      return [...starts]
        .sort((one, other) => other - one)
        .reduce((text, at) => `${text.slice(0, at)}/* @__PURE__ */ ${text.slice(at)}`, code);
    },
  },
};

/** Notes where the calls begin that run with the module. */
function noteCalls(node: unknown, starts: Set<number>): void {
  if (Array.isArray(node)) for (const each of node) noteCalls(each, starts);
  if (!isNode(node) || /Function|^MethodDefinition|^ExpressionStatement/.test(node.type)) return;
  if (node.type === "PropertyDefinition" && node["static"] !== true) return;
  if (node.type === "CallExpression" || node.type === "NewExpression") starts.add(node.start);
  for (const value of Object.values(node)) noteCalls(value, starts);
}

function isNode(value: unknown): value is { type: string; start: number; [key: string]: unknown } {
  return typeof value === "object" && value !== null && "type" in value && "start" in value;
}

function graphOf(context: PluginContext, nameOf: (id: string) => string): Graph {
  const imports = new Map<string, string[]>();
  const loads = new Map<string, string[]>();
  for (const id of context.getModuleIds()) {
    const info = context.getModuleInfo(id);
    if (!id.endsWith(".ts") || !info) continue;
    const names = (ids: readonly string[]): string[] =>
      ids.filter((each) => each.endsWith(".ts")).map(nameOf);
    imports.set(nameOf(id), names(info.importedIds));
    loads.set(nameOf(id), names(info.dynamicallyImportedIds));
  }
  return { imports, loads };
}

/** The modules themselves, with all that they import. */
function closure({ imports }: Graph, names: readonly string[]): Set<string> {
  const found = new Set<string>();
  const visit = (name: string): void => {
    if (found.has(name)) return;
    found.add(name);
    imports.get(name)?.forEach(visit);
  };
  names.forEach(visit);
  return found;
}

function loadedBy(graph: Graph, name: string): string[] {
  return [...closure(graph, [name])].flatMap((each) => graph.loads.get(each) ?? []);
}

/** The part of a closure that loads nothing later. */
function plain(graph: Graph, names: readonly string[]): string[] {
  return [...closure(graph, names)].filter((name) => loadedBy(graph, name).length === 0);
}

/** The part of a closure that loads nothing later but what loads nothing later itself. */
function shallow(graph: Graph, names: readonly string[]): string[] {
  return [...closure(graph, names)].filter((name) =>
    loadedBy(graph, name).every((later) => loadedBy(graph, later).length === 0),
  );
}

function without(names: ReadonlySet<string>, others: ReadonlySet<string>): string[] {
  return [...names].filter((name) => !others.has(name));
}

/** The file of each module that is joined with others. @throws {Error} for a joined file that loads what imports it */
function placesOf(graph: Graph): Map<string, string> {
  const places = new Map<string, string>();
  for (const [file, modulesOf] of Object.entries(FILES)) {
    for (const name of modulesOf(graph)) {
      if (!graph.imports.has(name)) throw new Error(`${file}: there is no module ${name}`);
      if (!places.has(name)) places.set(name, `${JOINED}/${file}`);
    }
  }
  requireNoCircles(graph, places);
  return places;
}

function requireNoCircles({ imports, loads }: Graph, places: ReadonlyMap<string, string>): void {
  const placeOf = (name: string): string => places.get(name) ?? name;
  const uses = new Map<string, Set<string>>();
  for (const [name, imported] of imports) {
    const place = placeOf(name);
    const used = uses.get(place) ?? new Set();
    for (const other of [...imported, ...(loads.get(name) ?? [])]) used.add(placeOf(other));
    used.delete(place);
    uses.set(place, used);
  }
  for (const file of new Set(places.values())) {
    const path = pathBack(uses, file);
    if (path) throw new Error(`A joined file needs itself: ${path.join(" → ")}`);
  }
}

/** The shortest way from a file to itself. */
function pathBack(
  uses: ReadonlyMap<string, ReadonlySet<string>>,
  start: string,
): readonly string[] | undefined {
  const paths = [[start]];
  const seen = new Set<string>();
  for (const path of paths) {
    for (const next of uses.get(path.at(-1) ?? start) ?? []) {
      if (next === start) return [...path, next];
      if (seen.has(next)) continue;
      seen.add(next);
      paths.push([...path, next]);
    }
  }
  return undefined;
}

/** Also those of modules that are gone. */
function removeModules(target: string): void {
  for (const file of readdirSync(target, { recursive: true, encoding: "utf8" }))
    if (file.endsWith(".js") && !file.startsWith("node/")) rmSync(join(target, file));
}
