const HEADER = /^\[\[?([^\]]+)\]\]?[ \t]*(?:#.*)?$/;
const ENTRY = /^((?:[\w-]+|"[^"]*"|'[^']*')(?:\s*\.\s*(?:[\w-]+|"[^"]*"|'[^']*'))*)\s*=\s*(.*)$/;
const STRING = /^(?:"((?:[^"\\]|\\.)*)"|'([^']*)')/;

/** Entries of a TOML file by table and key, each value as its first line has it. */
export type TomlTables = ReadonlyMap<string, ReadonlyMap<string, string>>;

/** Reads the tables of a TOML file as far as manifests need them: names, and the first line of each value. */
export function tomlTables(text: string): TomlTables {
  const tables = new Map<string, Map<string, string>>([["", new Map()]]);
  let table = "";
  let openText = "";
  let depth = 0;
  for (const raw of text.split(/\r?\n/)) {
    const line = raw.trim();
    if (openText !== "") {
      if (line.includes(openText)) openText = "";
      continue;
    }
    if (depth > 0) {
      depth += bracketsIn(line);
      continue;
    }
    const [, header] = HEADER.exec(line) ?? [];
    const [, key = "", value = ""] = header === undefined ? (ENTRY.exec(line) ?? []) : [];
    if (header !== undefined) {
      table = plainKey(header.trim());
      if (!tables.has(table)) tables.set(table, new Map());
    } else if (key !== "") {
      tables.get(table)?.set(plainKey(key), value);
      const [, quotes = ""] = /^("""|''')/.exec(value) ?? [];
      if (quotes !== "" && !value.slice(3).includes(quotes)) openText = quotes;
      else depth = Math.max(0, bracketsIn(value));
    }
  }
  return tables;
}

/** The text of a TOML string. */
export function tomlString(value: string | undefined): string | undefined {
  const [whole, double, single] = STRING.exec(value ?? "") ?? [];
  return whole === undefined ? undefined : (double ?? single);
}

/** Open brackets less closed ones, outside of strings and comments. */
function bracketsIn(line: string): number {
  const bare = line.replace(/"(?:[^"\\]|\\.)*"|'[^']*'/g, "").replace(/#.*$/, "");
  return bare.replace(/[^[{]/g, "").length - bare.replace(/[^\]}]/g, "").length;
}

function plainKey(key: string): string {
  return key.replace(/["']/g, "").replace(/\s*\.\s*/g, ".");
}
