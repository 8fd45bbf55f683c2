// The API reference: for each entry of each package, its exported names with their comments and declarations, read from the
// compiled declarations.
import { existsSync, globSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";

const root = join(import.meta.dirname, "../..");

export interface Entry {
  /** Its specifier, such as `@robota/runtime/hooks`. */
  name: string;
  /** Its compiled declarations. */
  file: string;
}

interface Declaration {
  kind: Kind;
  /** Its name where it is declared. */
  declared: string;
  /** Markdown of its comment; empty without one. */
  comment: string;
  code: string;
}

const KINDS = ["class", "function", "const", "interface", "type"] as const;
type Kind = (typeof KINDS)[number];
const TITLES: Record<Kind, string> = {
  class: "Classes",
  function: "Functions",
  const: "Values",
  interface: "Interfaces",
  type: "Types",
};

/** The entries of all published packages. */
export function publicEntries(): Entry[] {
  return globSync("packages/*/package.json", { cwd: root })
    .toSorted()
    .flatMap((path) => {
      const manifest: { name: string; exports?: Record<string, { types?: string }> } = JSON.parse(
        readFileSync(join(root, path), "utf8"),
      );
      return Object.entries(manifest.exports ?? {}).flatMap(([entry, { types }]) =>
        types === undefined || entry.endsWith(".wasm")
          ? []
          : [{ name: manifest.name + entry.slice(1), file: join(root, dirname(path), types) }],
      );
    });
}

/** The declaration of an exported name, and its name there. */
interface Place {
  file: string;
  local: string;
}

/** The names that a file exports. */
export function exportsOf(file: string): Map<string, Place> {
  const source = readFileSync(file, "utf8");
  const names = new Map<string, Place>();
  for (const [, list = "", from] of source.matchAll(
    /^export (?:type )?\{([^}]*)\}(?: from "([^"]+)")?;/gm,
  )) {
    const target = from === undefined ? file : (declarationsAt(file, from) ?? file);
    for (const [exported, local] of namesIn(list)) names.set(exported, { file: target, local });
  }
  for (const [, name = ""] of source.matchAll(
    /^export (?:declare )?(?:abstract )?(?:class|function|const|interface|type) ([\w$]+)/gm,
  ))
    names.set(name, { file, local: name });
  for (const [, from = ""] of source.matchAll(/^export \* from "([^"]+)";/gm)) {
    const target = declarationsAt(file, from);
    if (target) for (const [name, place] of exportsOf(target)) names.set(name, place);
  }
  return names;
}

/** The names of an import or export list: outside and inside. */
function namesIn(list: string): [outer: string, inner: string][] {
  return list.split(",").flatMap((item) => {
    const [, inner, outer = inner] = /^\s*(?:type )?([\w$]+)(?: as ([\w$]+))?\s*$/.exec(item) ?? [];
    const pair: [string, string][] =
      inner === undefined || outer === undefined ? [] : [[outer, inner]];
    return pair;
  });
}

/** The declaration behind a name that a file imports, or passes on from another one. */
function elsewhere(name: string, file: string): Place | undefined {
  const exported = exportsOf(file).get(name);
  if (exported && exported.file !== file) return exported;
  const local = exported?.local ?? name;
  const source = readFileSync(file, "utf8");
  for (const [, list = "", from = ""] of source.matchAll(
    /^import (?:type )?\{([^}]*)\} from "([^"]+)";/gm,
  )) {
    const found = namesIn(list).find(([outer]) => outer === local);
    const target = declarationsAt(file, from);
    if (found && target) return { file: target, local: found[1] };
  }
  return local === name ? undefined : { file, local };
}

function declarationsAt(file: string, from: string): string | undefined {
  if (!from.startsWith(".")) return publicEntries().find(({ name }) => name === from)?.file;
  const target = join(dirname(file), from.replace(/\.(?:js|ts)$/, ".d.ts"));
  return existsSync(target) ? target : undefined;
}

/** The Markdown of an entry's page. */
export function referencePage({ name, file }: Entry): string {
  const groups = new Map<Kind, string[]>();
  for (const [exported, place] of [...exportsOf(file)].toSorted(([one], [other]) =>
    one < other ? -1 : 1,
  )) {
    const found = find(place);
    if (!found) continue;
    const { kind, comment, code, declared } = found;
    const alias = declared === exported ? "" : `Another name of \`${declared}\`.`;
    const parts = [`### ${exported}`, alias, comment, `\`\`\`ts\n${code}\n\`\`\``];
    const text = parts.filter((part) => part !== "").join("\n\n");
    groups.set(kind, [...(groups.get(kind) ?? []), text]);
  }
  const sections = KINDS.flatMap((kind) => {
    const members = groups.get(kind);
    return members ? [`## ${TITLES[kind]}\n\n${members.join("\n\n")}`] : [];
  });
  return `# ${name}\n\n${sections.join("\n\n")}\n`;
}

/** The declaration at a place, or where that has it from. */
function find({ file, local }: Place): Declaration | undefined {
  const source = readFileSync(file, "utf8");
  const start = new RegExp(
    `^(?:export )?(?:declare )?(?:abstract )?(class|function|const|interface|type) ${local.replaceAll("$", "\\$")}(?![\\w$])`,
    "m",
  ).exec(source);
  if (!start) {
    const place = elsewhere(local, file);
    return place && find(place);
  }
  return {
    kind: start[1] as Kind,
    declared: local,
    comment: commentBefore(source.slice(0, start.index)),
    code: declarationAt(source.slice(start.index)),
  };
}

/** The documentation comment that a text ends with, as Markdown. */
function commentBefore(text: string): string {
  const [, comment] = /\/\*\*((?:(?!\*\/)[^])*)\*\/\s*$/.exec(text) ?? [];
  if (comment === undefined) return "";
  const lines = comment.split("\n").map((line) => line.replace(/^\s*\* ?/, "").trimEnd());
  return lines
    .join("\n")
    .trim()
    .replace(
      /@example\n([^]*?)(?=\n@|$)/g,
      (_, code: string) => `\n\`\`\`tsx\n${code.trim()}\n\`\`\``,
    )
    .replace(/\{@link ([^}]+)\}/g, "`$1`")
    .replace(/^@throws (?:\{([^}]+)\} ?)?/gm, "\nThrows `$1` ")
    .replace(/^@param ([\w.]+)/gm, "\n`$1`:")
    .replace(/^@(\w+)/gm, "\n$1:");
}

/** The text of the declaration that a text begins with, without private members. */
function declarationAt(text: string): string {
  let depth = 0;
  for (let at = 0; at < text.length; at++) {
    const letter = text[at] ?? "";
    if (text.startsWith("/*", at)) at = text.indexOf("*/", at) + 1;
    else if ("{([".includes(letter)) depth += 1;
    else if ("})]".includes(letter)) depth -= 1;
    const isBlock = /^(?:export )?(?:declare )?(?:abstract )?(?:class|interface)/.test(text);
    if (depth === 0 && (letter === ";" || (isBlock && letter === "}")))
      return text
        .slice(0, at + 1)
        .replace(/^ *(?:#private;|private [^;]*;)\n/gm, "")
        .replace(/^export (?:declare )?/, "");
  }
  return text;
}
