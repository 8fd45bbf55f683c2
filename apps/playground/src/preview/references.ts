import { dirname, isWithin, resolvePath } from "@robota/runtime/ports";

/** Where a reference in a file of the workspace leads: a file of it, or an address elsewhere; `undefined` for neither. */
export type Reference = { kind: "file"; path: string; hash: string } | { kind: "remote" };

/**
 * Resolves a reference as a server of the workspace would: `/` is its root.
 * @param from the file that it stands in
 */
export function resolveReference(text: string, from: string, root: string): Reference | undefined {
  const reference = text.trim();
  if (reference === "" || /^(?:data|blob|about|javascript|mailto|tel):/i.test(reference))
    return undefined;
  if (/^(?:[a-z][a-z0-9+.-]*:|\/\/)/i.test(reference)) return { kind: "remote" };
  const [, place = "", hash = ""] = /^([^?#]*)(?:\?[^#]*)?(#.*)?$/s.exec(reference) ?? [];
  if (place === "") return undefined;
  const name = decoded(place);
  const path = name.startsWith("/")
    ? resolvePath(root, `.${name}`)
    : resolvePath(dirname(from), name);
  return isWithin(root, path) && path !== root ? { kind: "file", path, hash } : undefined;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

// A string, a comment, an import with a string, or an address: in this order, so that text inside the first two is none.
const CSS_TOKENS =
  /\/\*[\s\S]*?\*\/|(?<import>@import\s+)(?<quoted>"[^"\n]*"|'[^'\n]*')|url\(\s*(?<url>"[^"\n]*"|'[^'\n]*'|[^"'()\s]*)\s*\)|"(?:[^"\\\n]|\\[\s\S])*"|'(?:[^'\\\n]|\\[\s\S])*'/gi;

/** Replaces the addresses in a style sheet, or leaves those for which `replace` has no other. */
export async function replaceInCss(
  css: string,
  replace: (reference: string) => Promise<string | undefined>,
): Promise<string> {
  let result = "";
  let end = 0;
  for (const match of css.matchAll(CSS_TOKENS)) {
    const written = match.groups?.["quoted"] ?? match.groups?.["url"];
    const address = written && (await replace(written.replace(/^["']|["']$/g, "")));
    if (!address) continue;
    result += `${css.slice(end, match.index)}${match.groups?.["import"] ?? ""}url("${address}")`;
    end = match.index + match[0].length;
  }
  return result + css.slice(end);
}

/** Replaces the addresses in a `srcset`, whose candidates may carry a width or a density. */
export async function replaceInSrcset(
  srcset: string,
  replace: (reference: string) => Promise<string | undefined>,
): Promise<string> {
  const candidates = srcset.trim().split(/\s*,\s+|,(?=\S+\s)/);
  const replaced = await Promise.all(
    candidates.map(async (candidate) => {
      const [address = "", ...rest] = candidate.split(/\s+/);
      return [(await replace(address)) ?? address, ...rest].join(" ");
    }),
  );
  return replaced.join(", ");
}
