import type { AgentDefinition } from "../agents/agent-definition.ts";
import { parseAgentFile } from "../agents/parse-agent-file.ts";
import { parseFrontMatter } from "../front-matter.ts";
import { parseSkillFile } from "../skills/parse-skill-file.ts";
import type { BundleSkill, BundleText, BundleWarning } from "./bundle.ts";
import { type BundleFiles, textOf } from "./bundle-files.ts";

const MAX_DESCRIPTION = 1024;
const MAX_TEXT = 100_000;
const NAME = /^[A-Za-z0-9][A-Za-z0-9_.:-]{0,63}$/;

/** Further locations of a part of a bundle, besides the conventional folder. */
export type NamedPaths = string | readonly string[] | undefined;

/** Commands: `commands/**\/*.md`, where a folder is a namespace: `commands/git/tidy.md` is `git:tidy`. */
export async function loadCommands(
  files: BundleFiles,
  named: NamedPaths,
  warn: (warning: BundleWarning) => void,
): Promise<BundleText[]> {
  const found = textFiles(files, "commands", named, (path) => path.endsWith(".md"));
  return readAll(files, found, warn, (path, folder) =>
    path.slice(folder.length, -".md".length).replace(/^\//, "").replaceAll("/", ":"),
  );
}

/** Skills: `skills/<name>/SKILL.md`. */
export async function loadSkills(
  files: BundleFiles,
  named: NamedPaths,
  warn: (warning: BundleWarning) => void,
): Promise<BundleSkill[]> {
  const found = textFiles(files, "skills", named, (path) => path.endsWith("/SKILL.md"));
  const texts = await readAll(files, found, warn, (path) => path.split("/").at(-2) ?? "");
  const skills: BundleSkill[] = [];
  for (const text of texts) {
    const read = await parseSkillFile(textOf(files, text.file), text.file.split("/").at(-2));
    if ("problem" in read) warn({ file: text.file, message: read.problem });
    else skills.push({ ...text, skill: read.skill });
  }
  return skills;
}

/** Agents: `agents/*.md`, in the form of a person's agent files. */
export async function loadAgents(
  files: BundleFiles,
  named: NamedPaths,
  warn: (warning: BundleWarning) => void,
): Promise<AgentDefinition[]> {
  const agents: AgentDefinition[] = [];
  for (const { path } of textFiles(files, "agents", named, (one) => one.endsWith(".md"))) {
    const name = path.slice(path.lastIndexOf("/") + 1, -".md".length);
    const read = await parseAgentFile(textOf(files, path), name);
    if ("definition" in read) agents.push(read.definition);
    else warn({ file: path, message: read.problem });
  }
  return agents;
}

function textFiles(
  files: BundleFiles,
  conventional: string,
  named: NamedPaths,
  isOne: (path: string) => boolean,
): { path: string; folder: string }[] {
  const places = [
    conventional,
    ...[named ?? []].flat().map((path) => path.replace(/^\.\//, "").replace(/\/$/, "")),
  ];
  const found = new Map<string, string>();
  for (const place of places) {
    for (const path of [...files.keys()].toSorted()) {
      const isNamed = path === place;
      if ((isNamed || path.startsWith(`${place}/`) || place === "") && isOne(path))
        found.set(path, isNamed ? path.slice(0, path.lastIndexOf("/") + 1) : place);
    }
  }
  return [...found].map(([path, folder]) => ({ path, folder }));
}

async function readAll(
  files: BundleFiles,
  found: readonly { path: string; folder: string }[],
  warn: (warning: BundleWarning) => void,
  nameOf: (path: string, folder: string) => string,
): Promise<BundleText[]> {
  const texts = new Map<string, BundleText>();
  for (const { path, folder } of found) {
    const read = await readText(textOf(files, path), nameOf(path, folder));
    if ("problem" in read) warn({ file: path, message: read.problem });
    else if (texts.has(read.name)) warn({ file: path, message: `is a second ${read.name}` });
    else texts.set(read.name, { ...read, file: path });
  }
  return [...texts.values()];
}

async function readText(
  source: string,
  fileName: string,
): Promise<Omit<BundleText, "file"> | { problem: string }> {
  if (source.length > MAX_TEXT) return { problem: `has over ${MAX_TEXT} characters` };
  const front = await parseFrontMatter(source);
  if (front && "problem" in front) return front;
  const fields = Object.fromEntries(front?.fields ?? []);
  const text = front?.body ?? source.trim();
  const { name: given, description: described } = fields;
  const name = typeof given === "string" ? given : fileName;
  if (!NAME.test(name)) return { problem: "needs a name of letters, digits, -, _, . and :" };
  const description =
    typeof described === "string" ? described.trim() : (text.split("\n", 1)[0] ?? "");
  if (text === "") return { problem: "is empty" };
  return { name, description: description.slice(0, MAX_DESCRIPTION), fields, text };
}
