import { decodeText, dirname, normalizePath } from "@robota/runtime/ports";
import { refused } from "./files.ts";
import type { Snapshot } from "./snapshot.ts";

const ENDINGS = ["", ".js", ".mjs", ".cjs", ".ts", ".mts", ".cts", ".tsx", ".jsx", ".json"];
const CONDITIONS = new Set(["import", "require", "node", "default"]);

/** Resolves a module specifier to a file, by the rules of Node and TypeScript; or returns a refusal. */
export function resolveModule({ entries }: Snapshot, directory: string, name: string): string {
  const isFile = (path: string): boolean => entries.get(path)?.type === "file";
  const manifestOf = (path: string): Record<string, unknown> => {
    const bytes = entries.get(`${path}/package.json`)?.bytes;
    const manifest: unknown = bytes ? parsed(decodeText(bytes)) : undefined;
    return isRecord(manifest) ? manifest : {};
  };
  const asFile = (path: string): string | undefined => {
    const found = ENDINGS.map((ending) => path + ending).find(isFile);
    if (found !== undefined) return found;
    // TypeScript names the output file: `./x.js` for `x.ts`.
    const typed = path.replace(/\.([cm]?)js$/, ".$1ts");
    return typed !== path && isFile(typed) ? typed : undefined;
  };
  const asDirectory = (path: string): string | undefined => {
    const { main } = manifestOf(path);
    const named = typeof main === "string" ? normalizePath(`${path}/${main}`) : undefined;
    return (named && (asFile(named) ?? asFile(`${named}/index`))) || asFile(`${path}/index`);
  };
  const found = ((): string | undefined => {
    if (name.startsWith("/") || /^\.\.?(?:\/|$)/.test(name)) {
      const path = name.startsWith("/")
        ? normalizePath(name)
        : normalizePath(`${directory}/${name}`);
      return (name.endsWith("/") ? undefined : asFile(path)) ?? asDirectory(path);
    }
    const [, owner = name, rest = ""] = /^((?:@[^/]+\/)?[^/]+)(?:\/(.*))?$/.exec(name) ?? [];
    for (let at = directory; ; at = dirname(at)) {
      const path = normalizePath(`${at}/node_modules/${owner}`);
      if (entries.has(path)) {
        const target = exported(manifestOf(path)["exports"], rest === "" ? "." : `./${rest}`);
        if (target !== undefined) return asFile(normalizePath(`${path}/${target}`));
        return rest === ""
          ? asDirectory(path)
          : (asFile(`${path}/${rest}`) ?? asDirectory(`${path}/${rest}`));
      }
      if (at === "/") return undefined;
    }
  })();
  return found ?? refused("MODULE_NOT_FOUND", `Cannot find module '${name}' from ${directory}`);
}

/** Resolves a path below a package through its `exports`. */
function exported(exports: unknown, path: string): string | undefined {
  if (exports === undefined) return undefined;
  const isMap = isRecord(exports) && Object.keys(exports).some((key) => key.startsWith("."));
  if (!isMap) return path === "." ? conditional(exports) : undefined;
  if (Object.hasOwn(exports, path)) return conditional(exports[path]);
  for (const [key, value] of Object.entries(exports)) {
    const [before = "", after] = key.split("*");
    if (after === undefined || !path.startsWith(before) || !path.endsWith(after)) continue;
    const middle = path.slice(before.length, path.length - after.length);
    return conditional(value)?.replaceAll("*", middle);
  }
  return undefined;
}

function conditional(value: unknown): string | undefined {
  if (typeof value === "string") return value;
  if (!isRecord(value)) return undefined;
  for (const [condition, below] of Object.entries(value)) {
    const found = CONDITIONS.has(condition) ? conditional(below) : undefined;
    if (found !== undefined) return found;
  }
  return undefined;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
