import { errorMessage, RobotaError } from "../../errors.ts";
import type { Settings, SettingsWarning } from "../settings/settings.ts";
import { fetchSkill, type SkillHost } from "./remote-skill.ts";
import type { SkillFile } from "./skill.ts";
import { hiddenSkills } from "./skills-in-force.ts";

/** Milliseconds that a session waits for skills that it does not have yet. */
const TIMEOUT_MS = 10_000;

/** The skills of the setting `skills`, and what is wrong with them. */
export interface RemoteSkills {
  fetched: readonly SkillFile[];
  warnings: SettingsWarning[];
}

/** Reads or fetches the skills that settings in force name by address. One that fails is a warning, and left out. */
export async function withRemoteSkills(
  files: readonly SkillFile[],
  { skills: references = [] }: Settings,
  { platform, signal }: { platform: SkillHost; signal: AbortSignal },
): Promise<RemoteSkills> {
  const fetched = await Promise.all(
    references.map(async (reference): Promise<SkillFile> => {
      const found = { name: reference.url, scope: "user" as const, text: "" };
      try {
        const options = { platform, signal, timeoutMs: TIMEOUT_MS };
        return { ...found, skill: await fetchSkill(reference, options) };
      } catch (error) {
        const hint = error instanceof RobotaError ? ` ${error.hint}` : "";
        return { ...found, problem: `${errorMessage(error)}.${hint}`.replace("..", ".") };
      }
    }),
  );
  const all = [...files, ...fetched];
  const problems = [...fetched, ...hiddenSkills(all)].flatMap(({ name, problem }) =>
    fetched.some((file) => file.name === name) && problem !== undefined ? [{ name, problem }] : [],
  );
  const warnings = problems.map(({ name, problem }) => ({
    layer: name,
    setting: "skill",
    message: problem,
  }));
  return { fetched, warnings };
}
