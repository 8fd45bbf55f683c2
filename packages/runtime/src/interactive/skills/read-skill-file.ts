import { errorMessage } from "../../errors.ts";
import type { FileSystem } from "../../ports/file-system.ts";
import { resolvePath } from "../../ports/path.ts";
import { NOT_A_FILE, readFileWithin } from "../settings/read-file-within.ts";
import { type ParsedSkill, parseCommandFile, parseSkillFile } from "./parse-skill-file.ts";
import type { SkillEntry, SkillPlace } from "./skill-files.ts";
import type { SkillFile } from "./skill.ts";

/** Bytes; twenty times the 5,000 tokens that the Agent Skills specification recommends. */
const MAX_FILE = 100_000;

/** Where a skill's file is, and whose it is. */
export interface SkillFileLocation {
  place: SkillPlace;
  entry: SkillEntry;
  scope: SkillFile["scope"];
  /** No link may lead out of this directory. */
  root: string;
}

/** Reads and parses a skill's file; `undefined` when there is none. An unusable one comes with its problem. */
export async function readSkillFile(
  fs: FileSystem,
  { place, entry, scope, root }: SkillFileLocation,
): Promise<SkillFile | undefined> {
  const read = await readFile(fs, resolvePath(place.path, entry.file), root);
  return read && withDigests(fs, await skillFile(place, entry, scope, read));
}

type Read = { text: string } | { problem: string };

async function readFile(fs: FileSystem, path: string, root: string): Promise<Read | undefined> {
  const read = await readFileWithin(fs, path, root, MAX_FILE);
  if (!read || !("problem" in read)) return read && { text: new TextDecoder().decode(read.bytes) };
  return read.problem === NOT_A_FILE ? undefined : { problem: read.problem };
}

async function skillFile(
  place: SkillPlace,
  { name, file }: SkillEntry,
  scope: SkillFile["scope"],
  read: Read,
): Promise<SkillFile> {
  const source = `${place.name}/${file}`;
  if ("problem" in read) return { name: source, scope, text: "", problem: read.problem };
  const { text } = read;
  const isCommand = place.kind === "commands";
  const parsed = isCommand ? await parseCommandFile(text, name) : await parseSkillFile(text, name);
  if ("problem" in parsed) return { name: source, scope, text, problem: parsed.problem };
  const skill: ParsedSkill = parsed.skill;
  const directory = isCommand ? undefined : resolvePath(place.path, name);
  return { name: source, scope, text, skill: { ...skill, source, scope, directory } };
}

/** Adds the digests of a project skill's resources: `allowed-tools` may run them, so they are trusted together with it. */
async function withDigests(fs: FileSystem, file: SkillFile): Promise<SkillFile> {
  const { skill, scope, name } = file;
  if (scope === "user" || !skill?.directory || skill.allowedTools.length === 0) return file;
  try {
    const { resourceDigests } = await import("./resource-digests.ts");
    const found = await resourceDigests(fs, skill.directory);
    if ("problem" in found) return { name, scope, text: "", problem: found.problem };
    if (found.lines === "") return file;
    return { ...file, text: `${file.text}\n\nFiles beside it:\n${found.lines}` };
  } catch (error) {
    return { name, scope, text: "", problem: `can't be read: ${errorMessage(error)}` };
  }
}
