import { decodeText } from "../../bytes.ts";
import { sha256 as digestOf } from "../../digest.ts";
import { ValidationError } from "../../errors.ts";
import { guardedFetch } from "../../network/guarded-fetch.ts";
import type { EgressPolicy } from "../../network/policy.ts";
import { basename } from "../../ports/path.ts";
import type { Platform } from "../../ports/platform.ts";
import { parseSkillFile } from "./parse-skill-file.ts";
import type { Skill } from "./skill.ts";
import type { SkillReference } from "./skill-reference.ts";

/** Bytes of a download; a skill is text for a model. */
const MAX_BYTES = 4_000_000;
const MAX_SKILL_FILE = 100_000;
const SHA_256 = /^[0-9a-f]{64}$/;

/** The part of a platform that fetches and keeps skills. */
export type SkillHost = Pick<Platform, "fetch" | "pinnedFetch" | "storage">;

export interface FetchSkillOptions {
  platform: SkillHost;
  /** Allowed addresses; any public host by default. */
  policy?: EgressPolicy | undefined;
  signal?: AbortSignal | undefined;
  /** Milliseconds; 30,000 by default. */
  timeoutMs?: number | undefined;
}

/** The bytes at an address that have the expected hash, with the skill that they are. */
export async function fetchSkill(
  reference: SkillReference,
  options: FetchSkillOptions,
): Promise<Skill> {
  const { url, sha256 } = reference;
  if (!SHA_256.test(sha256))
    throw new ValidationError(`${JSON.stringify(sha256)} is not a SHA-256`, {
      hint: "Give the hash of the file as 64 lowercase hexadecimal digits: sha256sum SKILL.md",
    });
  const { storage } = options.platform;
  const key = `skills/${sha256}`;
  const kept = await storage.get(key);
  if (kept && (await digestOf(kept)) === sha256) return readSkill(kept, url);
  const bytes = await download(url, options);
  const found = await digestOf(bytes);
  if (found !== sha256)
    throw new ValidationError(`The skill at ${url} is not the one with the hash ${sha256}`, {
      hint: `It has changed since, or was changed on its way. Review the present content before you give its hash, ${found}.`,
    });
  const skill = await readSkill(bytes, url);
  await storage.set(key, bytes);
  return skill;
}

async function download(
  url: string,
  { platform, policy, signal, timeoutMs }: FetchSkillOptions,
): Promise<Uint8Array> {
  const { fetch, pinnedFetch } = platform;
  const guarded = { fetch, pinnedFetch, policy, signal, timeoutMs, maxBytes: MAX_BYTES };
  const answer = await guardedFetch(url, {}, guarded);
  if (answer.ok) return answer.bytes();
  answer.cancel();
  throw new ValidationError(`${url} answered with ${answer.status}`, {
    hint: "Check the address of the skill.",
  });
}

/** @throws {ValidationError} for anything but a usable skill @throws {ImportError} for a hostile or damaged archive */
async function readSkill(bytes: Uint8Array, url: string): Promise<Skill> {
  const { isArchive, openArchive } = await import("./skill-archive.ts");
  const archive = isArchive(bytes)
    ? await openArchive(bytes, basename(new URL(url).pathname))
    : undefined;
  const file = archive ? archive.file : bytes;
  if (file.length > MAX_SKILL_FILE) throw unusable(url, `is larger than ${MAX_SKILL_FILE} bytes`);
  const parsed = await parseSkillFile(decodeText(file));
  if ("problem" in parsed) throw unusable(url, parsed.problem);
  const { directory, files, fileNames } = archive ?? {};
  return { ...parsed.skill, source: url, scope: "user", directory, files, fileNames };
}

function unusable(url: string, problem: string): ValidationError {
  return new ValidationError(`The skill at ${url} ${problem}`, {
    hint: "Give the address of a SKILL.md, or of a zip or tar.gz with one at its top.",
  });
}
