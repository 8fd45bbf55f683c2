import { decodeText } from "@robota/runtime/ports";
import * as engine from "#isomorphic-git";
import { type Options, readOptions } from "./arguments.ts";
import { blobReader, changesOfCommit, splitRevisions } from "./diff-command.ts";
import { fatal, notHere } from "./failure.ts";
import { history, noCommits } from "./repository/history.ts";
import { formatCommit, type LogStyle } from "./output/log-format.ts";
import { patchOptions, patchStyle, showChanges } from "./output/patch-output.ts";
import { pathFilter } from "./pathspec.ts";
import { formatDate, parseDate } from "./repository/people.ts";
import { readReflog } from "./repository/reflog.ts";
import { blobOf, type Repository } from "./repository/repository.ts";
import type { Subcommand } from "./result.ts";
import {
  type Commit,
  currentBranch,
  headOid,
  readCommit,
  refOid,
  resolve,
  short,
} from "./repository/revisions.ts";

const formatNames = {
  flags: [
    "oneline",
    "abbrev-commit",
    "no-abbrev-commit",
    "no-decorate",
    "no-notes",
    "no-pager",
    "no-mailmap",
  ],
  valued: ["format", "date"],
  attached: ["pretty", "decorate", "abbrev"],
} as const;

const NAMED = ["oneline", "short", "medium", "full", "fuller", "raw"];

async function logStyle(repo: Repository, options: Options): Promise<LogStyle> {
  const given = options.get("format") ?? options.get("pretty") ?? "medium";
  const isOneline = options.has("oneline");
  const named = isOneline ? "oneline" : given;
  const isNamed = NAMED.includes(named);
  const text = named.replace(/^t?format:/, "");
  if (!isNamed && text === named && !named.includes("%"))
    throw fatal(`invalid --pretty format: ${named}`);
  const wantsNames =
    (options.has("decorate") && options.get("decorate") !== "no") || /%[dD]/.test(named);
  return {
    format: isNamed ? named : text,
    isSeparated: !isNamed && named.startsWith("format:"),
    date: options.get("date") ?? "default",
    abbreviates: isOneline || options.has("abbrev-commit"),
    decorations: wantsNames ? await decorations(repo) : new Map<string, string>(),
  };
}

/** Ref names such as `HEAD -> main, tag: v1, origin/main`, by commit. */
async function decorations(repo: Repository): Promise<Map<string, string>> {
  const names = new Map<string, string[]>();
  const put = (oid: string | undefined, name: string): void => {
    if (oid !== undefined) names.set(oid, [...(names.get(oid) ?? []), name]);
  };
  const branch = await currentBranch(repo);
  put(await headOid(repo), branch === undefined ? "HEAD" : `HEAD -> ${branch}`);
  for (const tag of (await engine.listTags(repo.at)).sort().reverse()) {
    const oid = await refOid(repo, `refs/tags/${tag}`);
    put(oid && (await resolve(repo, `${oid}^{}`)), `tag: ${tag}`);
  }
  for (const { remote } of await engine.listRemotes(repo.at))
    for (const name of (await engine.listBranches({ ...repo.at, remote })).sort().reverse())
      put(await refOid(repo, `refs/remotes/${remote}/${name}`), `${remote}/${name}`);
  for (const name of (await engine.listBranches(repo.at)).sort().reverse())
    if (name !== branch) put(await refOid(repo, `refs/heads/${name}`), name);
  return new Map([...names].map(([oid, all]) => [oid, all.join(", ")]));
}

const LOG_OPTIONS = {
  flags: [
    ...patchOptions.flags,
    ...formatNames.flags,
    "reverse",
    "all",
    "merges",
    "no-merges",
    "first-parent",
    "i|regexp-ignore-case",
    "F|fixed-strings",
    "E|extended-regexp",
    "graph",
    "follow",
    "branches",
    "tags",
    "g|walk-reflogs",
    "date-order",
    "topo-order",
    "pickaxe-regex",
    "invert-grep",
    "c",
    "m",
    "cc",
  ],
  valued: [
    ...patchOptions.valued,
    ...formatNames.valued,
    "n|max-count",
    "skip",
    "author",
    "committer",
    "grep",
    "since|after",
    "until|before",
    "S",
    "G",
    "L",
  ],
  attached: [...patchOptions.attached, ...formatNames.attached],
};

export const log: Subcommand = async (repo, args) => {
  const options = readOptions("log", args, LOG_OPTIONS);
  for (const [name, instead] of Object.entries({
    L: "use git log -p -- file",
    G: "use -S with the text",
    "walk-reflogs": "use git reflog",
    graph: "use git log --oneline without it",
  }))
    if (options.has(name)) throw notHere(`log ${name.length === 1 ? "-" : "--"}${name}`, instead);
  const { revisions, paths } = await splitRevisions(repo, options.operands, options.paths);
  if (options.has("all") || options.has("branches")) {
    const branches = await engine.listBranches(repo.at);
    revisions.push(...branches.map((name) => `refs/heads/${name}`));
  }
  if (revisions.length === 0) {
    if ((await headOid(repo)) === undefined) throw noCommits(await currentBranch(repo));
    revisions.push("HEAD");
  }
  const style = await logStyle(repo, options);
  const patch = patchStyle(options, []);
  const filter = paths.length > 0 ? pathFilter(repo, paths) : undefined;
  const isWanted = await commitFilter(repo, options);
  const most = Number(options.get("max-count") ?? Number.POSITIVE_INFINITY);
  let skipped = Number(options.get("skip") ?? 0);
  const commits: Commit[] = [];
  const walk = history(repo, {
    revisions,
    firstParent: options.has("first-parent"),
    filter,
  });
  if (most > 0)
    for await (const commit of walk) {
      if (repo.context.signal.aborted) break;
      if (!(await isWanted(commit))) continue;
      if (skipped > 0) {
        skipped -= 1;
        continue;
      }
      commits.push(commit);
      if (commits.length >= most) break;
    }
  if (options.has("reverse")) commits.reverse();
  const texts: string[] = [];
  for (const commit of commits) {
    const changes =
      patch.formats.length > 0 && commit.parents.length < 2
        ? await showChanges(await changesOfCommit(repo, commit, filter), blobReader(repo), patch)
        : "";
    texts.push(entryOf(commit, style, changes));
  }
  return { stdout: joined(texts, style) };
};

function entryOf(commit: Commit, style: LogStyle, changes: string): string {
  const text = formatCommit(commit, style);
  if (NAMED.includes(style.format)) {
    if (changes === "") return text;
    return style.format === "oneline" ? text + changes : `${text}\n${changes}`;
  }
  const head = text === "" ? "" : `${text}\n`;
  return changes === "" ? text : `${head}\n${changes}`.replace(/\n$/, "");
}

function joined(texts: readonly string[], style: LogStyle): string {
  if (style.format === "oneline") return texts.join("");
  if (NAMED.includes(style.format)) return texts.join("\n");
  if (style.isSeparated) return texts.join("\n");
  return texts.map((text) => (text === "" ? "" : `${text}\n`)).join("");
}

async function commitFilter(
  repo: Repository,
  options: Options,
): Promise<(commit: Commit) => Promise<boolean>> {
  const flags = options.has("regexp-ignore-case") ? "im" : "m";
  const matcher = (name: string): RegExp[] =>
    options
      .all(name)
      .map((text) => new RegExp(options.has("fixed-strings") ? escaped(text) : text, flags));
  const [authors, committers, words] = [matcher("author"), matcher("committer"), matcher("grep")];
  const since = whenOf(options.get("since"));
  const until = whenOf(options.get("until"));
  const needle = options.get("S");
  const any = (patterns: readonly RegExp[], text: string): boolean =>
    patterns.length === 0 || patterns.some((pattern) => pattern.test(text));
  return async (commit) => {
    const { author, committer, message, parents } = commit;
    if (options.has("no-merges") && parents.length > 1) return false;
    if (options.has("merges") && parents.length < 2) return false;
    if (since !== undefined && committer.timestamp < since) return false;
    if (until !== undefined && committer.timestamp > until) return false;
    if (!any(authors, `${author.name} <${author.email}>`)) return false;
    if (!any(committers, `${committer.name} <${committer.email}>`)) return false;
    if (words.length > 0 && any(words, message) === options.has("invert-grep")) return false;
    return needle === undefined || changesCount(repo, commit, needle);
  };
}

function escaped(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|]/g, String.raw`\$&`);
}

const SECONDS: Record<string, number> = {
  second: 1,
  minute: 60,
  hour: 3600,
  day: 86_400,
  week: 604_800,
  month: 2_592_000,
  year: 31_536_000,
};

function whenOf(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const ago = /^(\d+)[ .](second|minute|hour|day|week|month|year)s?(?:[ .]ago)?$/.exec(text);
  const now = Math.floor(Date.now() / 1000);
  if (ago) return now - Number(ago[1]) * (SECONDS[ago[2] ?? ""] ?? 0);
  if (text === "yesterday") return now - 86_400;
  if (text === "now") return now;
  return parseDate(text).timestamp;
}

/** Reports whether a commit changes the number of occurrences of a text. */
async function changesCount(repo: Repository, commit: Commit, needle: string): Promise<boolean> {
  for (const { old, new: now } of await changesOfCommit(repo, commit)) {
    const [before, after] = await Promise.all(
      [old, now].map(async (blob) => (blob ? decodeText(await blobOf(repo, blob.oid)) : "")),
    );
    if (before?.split(needle).length !== after?.split(needle).length) return true;
  }
  return false;
}

export const show: Subcommand = async (repo, args) => {
  const options = readOptions("show", args, {
    flags: [...patchOptions.flags, ...formatNames.flags],
    valued: [...patchOptions.valued, ...formatNames.valued, "n"],
    attached: [...patchOptions.attached, ...formatNames.attached],
  });
  const { revisions, paths } = await splitRevisions(repo, options.operands, options.paths);
  const style = await logStyle(repo, options);
  const texts: string[] = [];
  let whole = "";
  for (const revision of revisions.length > 0 ? revisions : ["HEAD"]) {
    const oid = await resolve(repo, revision);
    const shown = await showObject(repo, oid, revision, { options, style, paths });
    if (shown.isCommit) texts.push(shown.text);
    else whole += shown.text;
  }
  return { stdout: whole + joined(texts, style) };
};

async function showObject(
  repo: Repository,
  oid: string,
  revision: string,
  how: { options: Options; style: LogStyle; paths: readonly string[] },
): Promise<{ text: string; isCommit: boolean }> {
  const object = await engine.readObject({ ...repo.at, oid, format: "parsed" });
  if (object.type === "blob") return { text: decodeText(await blobOf(repo, oid)), isCommit: false };
  if (object.type === "tree") {
    const { tree } = await engine.readTree({ ...repo.at, oid });
    const names = tree.map(({ path, type }) => `${path}${type === "tree" ? "/" : ""}\n`);
    return { text: `tree ${revision}\n\n${names.join("")}`, isCommit: false };
  }
  if (object.type === "tag" && "tagger" in object.object) {
    const { tag, tagger, message, object: target } = object.object;
    const head = `tag ${tag}\nTagger: ${tagger.name} <${tagger.email}>\nDate:   ${formatDate(tagger)}\n\n${message.trimEnd()}\n\n`;
    const below = await showObject(repo, target, target, how);
    return { text: head + below.text, isCommit: false };
  }
  const commit = await readCommit(repo, oid);
  const filter = how.paths.length > 0 ? pathFilter(repo, how.paths) : undefined;
  const patch = patchStyle(how.options, ["patch"]);
  const changes =
    commit.parents.length > 1
      ? ""
      : await showChanges(await changesOfCommit(repo, commit, filter), blobReader(repo), patch);
  return { text: entryOf(commit, how.style, changes), isCommit: true };
}

export const reflog: Subcommand = async (repo, args) => {
  const options = readOptions("reflog", args, { valued: ["n|max-count"] });
  const [first, second] = options.operands;
  if (first !== undefined && ["expire", "delete"].includes(first))
    throw notHere(`reflog ${first}`, "leave the reflog as it is");
  const name = (first === "show" ? second : first) ?? "HEAD";
  const entries = await readReflog(repo, name === "HEAD" ? name : `refs/heads/${name}`);
  const kept = entries.slice(0, Number(options.get("max-count") ?? entries.length));
  return {
    stdout: kept
      .map(({ oid, message }, at) => `${short(oid)} ${name}@{${at}}: ${message}\n`)
      .join(""),
  };
};
