/** Headers for the paths that begin with a prefix, or for one path alone; `undefined` takes an earlier one away. */
export interface HeaderRule {
  path: string;
  headers: [name: string, value: string | undefined][];
}

/** Reads the lines of a `_headers` file, as hosts of static sites do. */
export function parseHeaderRules(text: string): HeaderRule[] {
  const rules: HeaderRule[] = [];
  for (const line of text.split("\n")) {
    if (line.startsWith("/")) rules.push({ path: line.trim(), headers: [] });
    const [, isTaken, name = "", value] =
      /^\s+(! )?([\w-]+)(?:: (.*))?$/.exec(line.trimEnd()) ?? [];
    if (name) rules.at(-1)?.headers.push([name, isTaken ? undefined : value]);
  }
  return rules;
}

/** The headers that the rules demand for a path: those of later rules replace those of earlier ones. */
export function headersFor(rules: readonly HeaderRule[], path: string): Map<string, string> {
  const found = new Map<string, string>();
  for (const rule of rules) {
    const prefix = /^(.*)\*$/.exec(rule.path)?.[1];
    if (prefix === undefined ? path !== rule.path : !path.startsWith(prefix)) continue;
    for (const [name, value] of rule.headers)
      if (value === undefined) found.delete(name);
      else found.set(name, value);
  }
  return found;
}
