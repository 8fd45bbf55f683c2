import type { EgressPolicy } from "../../network/policy.ts";
import type { SkillHost } from "./remote-skill.ts";
import type { Skill } from "./skill.ts";

export interface AddSkillOptions {
  platform: SkillHost;
  /** SHA-256 of the file at the address, as 64 lowercase hexadecimal digits. */
  sha256: string;
  /** Allowed addresses; any public host by default. */
  policy?: EgressPolicy | undefined;
  signal?: AbortSignal | undefined;
}

/**
 * Fetches a skill, a `SKILL.md` or a zip or tar.gz of its folder of up to 4 MB, checks it against its hash, and keeps
 * it in the platform's storage. Sessions of that storage whose setting `skills` names the same address and hash use it
 * without fetching it. One that is kept already is not fetched.
 * @throws {ValidationError} for another hash, and for a file that is not a usable skill
 * @throws {EgressError} for an address that is not public or does not answer @throws {ImportError} for a hostile
 * archive
 * @throws {StorageError}
 */
export async function addSkill(
  url: string,
  { sha256, ...options }: AddSkillOptions,
): Promise<Skill> {
  const { fetchSkill } = await import("./remote-skill.ts");
  return fetchSkill({ url, sha256 }, options);
}
