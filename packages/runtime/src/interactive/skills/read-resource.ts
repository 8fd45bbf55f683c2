import { FileSystemError, ValidationError } from "../../errors.ts";
import type { FileSystem } from "../../ports/file-system.ts";
import { isWithin, resolvePath } from "../../ports/path.ts";
import type { Skill } from "./skill.ts";

/** Bytes; a session shortens long results of tools, and keeps the whole in a file. */
const MAX_FILE = 1_000_000;

/**
 * Reads a file beside a skill's instructions as text, by its name relative to the skill.
 * @throws {ValidationError} for a name that leads out of the skill, also through a link, or a too large file
 * @throws {FileSystemError} `ENOENT` and others
 */
export async function readResource(skill: Skill, name: string, fs: FileSystem): Promise<string> {
  const { directory, files = fs } = skill;
  if (directory === undefined) throw new FileSystemError("ENOENT", name);
  const path = resolvePath(directory, name);
  if (name.startsWith("/") || !isWithin(directory, path) || name.includes("\0"))
    throw leadsOut(skill, name);
  const [real, top] = await Promise.all([files.realpath(path), files.realpath(directory)]);
  if (!isWithin(top, real)) throw leadsOut(skill, name);
  const { size } = await files.stat(real);
  if (size > MAX_FILE)
    throw new ValidationError(`${name} of the skill ${skill.name} is larger than a megabyte`, {
      hint: "Use a smaller file.",
    });
  return new TextDecoder().decode(await files.readFile(real));
}

function leadsOut({ name: skill }: Skill, name: string): ValidationError {
  return new ValidationError(`${JSON.stringify(name)} leads out of the skill ${skill}`, {
    hint: "Name a file of the skill, relative to its folder.",
  });
}
