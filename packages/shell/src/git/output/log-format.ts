import { formatDate, formatZone } from "../repository/people.ts";
import { type Commit, short } from "../repository/revisions.ts";

export interface LogStyle {
  /** `medium`, `oneline`, `short`, `full`, `fuller`, `raw`, or a text with placeholders. */
  format: string;
  /** True if a placeholder format ends each commit with a newline (`tformat`), false if it separates commits. */
  isSeparated: boolean;
  date: string;
  abbreviates: boolean;
  /** Names of refs by commit; empty when not shown. */
  decorations: ReadonlyMap<string, string>;
}

export function subjectOf({ message }: Commit): string {
  return (message.split(/\n\s*\n/, 1)[0] ?? "").trim().replaceAll("\n", " ");
}

function bodyOf({ message }: Commit): string {
  const end = /\n\s*\n/.exec(message);
  return end ? message.slice(end.index + end[0].length) : "";
}

/** Formats one commit without its changes. */
export function formatCommit(commit: Commit, style: LogStyle): string {
  const { author, committer, message, oid, parents } = commit;
  const id = style.abbreviates ? short(oid) : oid;
  const names = style.decorations.get(oid);
  const decorated = names === undefined ? "" : ` (${names})`;
  if (style.format === "oneline") return `${id}${decorated} ${subjectOf(commit)}\n`;
  const person = (who: Commit["author"]): string => `${who.name} <${who.email}>`;
  const merge = parents.length > 1 ? `Merge: ${parents.map(short).join(" ")}\n` : "";
  const head = `commit ${id}${decorated}\n`;
  const text = message.replace(/\n+$/, "");
  const indented =
    text === ""
      ? ""
      : `${text
          .split("\n")
          .map((line) => `    ${line}`.replace(/^ {4}$/, style.format === "raw" ? "    " : "    "))
          .join("\n")}\n`;
  switch (style.format) {
    case "medium":
      return `${head}${merge}Author: ${person(author)}\nDate:   ${formatDate(author, style.date)}\n\n${indented}`;
    case "short":
      return `${head}${merge}Author: ${person(author)}\n\n    ${subjectOf(commit)}\n`;
    case "full":
      return `${head}${merge}Author: ${person(author)}\nCommit: ${person(committer)}\n\n${indented}`;
    case "fuller":
      return `${head}${merge}Author:     ${person(author)}\nAuthorDate: ${formatDate(author, style.date)}\nCommit:     ${person(committer)}\nCommitDate: ${formatDate(committer, style.date)}\n\n${indented}`;
    case "raw": {
      const when = (who: Commit["author"]): string =>
        `${person(who)} ${who.timestamp} ${formatZone(who.timezoneOffset)}`;
      const lines = parents.map((parent) => `parent ${parent}\n`).join("");
      return `${head}tree ${commit.tree}\n${lines}author ${when(author)}\ncommitter ${when(committer)}\n\n${indented}`;
    }
  }
  return fill(commit, style);
}

function fill(commit: Commit, style: LogStyle): string {
  const { oid, tree, parents, author, committer } = commit;
  const names = style.decorations.get(oid) ?? "";
  const person = (who: Commit["author"], letter: string): string | undefined => {
    const dates: Record<string, string> = {
      d: style.date,
      D: "rfc",
      r: "relative",
      t: "unix",
      i: "iso",
      I: "iso-strict",
      s: "short",
    };
    if (letter === "n" || letter === "N") return who.name;
    if (letter === "e" || letter === "E") return who.email;
    if (letter === "l" || letter === "L") return who.email.split("@", 1)[0];
    const date = dates[letter];
    return date === undefined ? undefined : formatDate(who, date);
  };
  const simple: Record<string, () => string> = {
    H: () => oid,
    h: () => short(oid),
    T: () => tree,
    t: () => short(tree),
    P: () => parents.join(" "),
    p: () => parents.map(short).join(" "),
    s: () => subjectOf(commit),
    f: () =>
      subjectOf(commit)
        .replace(/[^A-Za-z0-9._]+/g, "-")
        .replace(/^-+|[-.]+$/g, ""),
    b: () => bodyOf(commit),
    B: () => commit.message,
    d: () => (names === "" ? "" : ` (${names})`),
    D: () => names,
    n: () => "\n",
    "%": () => "%",
    e: () => "",
    N: () => "",
    m: () => ">",
  };
  return style.format.replace(
    /%(?:C\([^)]*\)|C(?:red|green|blue|reset)|x([0-9a-fA-F]{2})|([ac])([A-Za-z])|([A-Za-z%]))/g,
    (whole, hex?: string, who?: string, detail?: string, letter?: string) => {
      if (whole.startsWith("%C")) return "";
      if (hex !== undefined) return String.fromCharCode(Number.parseInt(hex, 16));
      if (who !== undefined && detail !== undefined)
        return person(who === "a" ? author : committer, detail) ?? whole;
      return simple[letter ?? ""]?.() ?? whole;
    },
  );
}
