/** A setting of Git. Section and name are in small letters, as Git compares them; the subsection is as written. */
export interface GitSetting {
  section: string;
  /** The quoted part of the section header, such as the name of a remote. */
  subsection?: string | undefined;
  name: string;
  value: string;
}

const HEADER =
  /^\[[ \t]*([A-Za-z0-9-]+)(?:\.([A-Za-z0-9.-]+)|[ \t]+"((?:[^"\\]|\\[^])*)")?[ \t]*\][ \t]*/;
const ENTRY = /^([A-Za-z][A-Za-z0-9-]*)[ \t]*(?:=(.*)|)$/;
const ESCAPES: Readonly<Record<string, string>> = {
  n: "\n",
  t: "\t",
  b: "\b",
  '"': '"',
  "\\": "\\",
};

/**
 * Parses a file such as `.git/config`; `undefined` when any of it is written in a way that this parser does not read
 * exactly as Git does, such as a continued line. Nothing is skipped silently: the search for settings that run programs
 * must see all of them.
 */
export function readGitConfig(text: string): GitSetting[] | undefined {
  const settings: GitSetting[] = [];
  let place: Pick<GitSetting, "section" | "subsection"> | undefined;
  for (const line of text.split("\n")) {
    let rest = line.replace(/\r$/, "").replace(/^[ \t]+/, "");
    if (hasControl(rest)) return undefined;
    const header = HEADER.exec(rest);
    if (header) {
      place = placeOf(header);
      rest = rest.slice(header[0].length);
    }
    if (/^(?:$|[#;])/.test(rest)) continue;
    const [, name, assigned] = ENTRY.exec(rest.replace(/(?<![ \t])[ \t]+$/, "")) ?? [];
    // A name alone says yes.
    const value = assigned === undefined ? "true" : readValue(assigned);
    if (!place || name === undefined || value === undefined) return undefined;
    settings.push({ ...place, name: name.toLowerCase(), value });
  }
  return settings;
}

function placeOf([, section = "", dotted, quoted]: RegExpExecArray): Pick<
  GitSetting,
  "section" | "subsection"
> {
  const subsection = dotted?.toLowerCase() ?? quoted?.replace(/\\([^])/g, "$1");
  return { section: section.toLowerCase(), subsection };
}

/** Reads a value without quotes, escapes, the comment after it and the spaces around it. */
function readValue(text: string): string | undefined {
  let value = "";
  let kept = 0;
  let isQuoted = false;
  for (let index = 0; index < text.length; index++) {
    const char = text.charAt(index);
    if (char === '"') {
      isQuoted = !isQuoted;
      kept = value.length;
      continue;
    }
    if (!isQuoted && (char === "#" || char === ";")) break;
    if (!isQuoted && (char === " " || char === "\t")) {
      if (value !== "") value += char;
      continue;
    }
    if (char === "\\") {
      const escaped = ESCAPES[text.charAt(++index)];
      if (escaped === undefined) return undefined;
      value += escaped;
    } else value += char;
    kept = value.length;
  }
  return isQuoted ? undefined : value.slice(0, kept);
}

function hasControl(text: string): boolean {
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    if ((code < 32 && code !== 9) || code === 127) return true;
  }
  return false;
}
