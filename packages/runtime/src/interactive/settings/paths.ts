import { resolvePath } from "../../ports/path.ts";

/** Absolute paths of Robota's files. */
export interface SettingsPaths {
  directory: string;
  settings: string;
  agents: string;
  plugins: string;
  skills: string;
}

/** Absolute paths of a project's files for Robota. */
export interface ProjectPaths extends SettingsPaths {
  /** A person's own settings for the project; not for version control. */
  settingsLocal: string;
}

/** Absolute paths of a person's files for Robota. */
export interface UserPaths extends SettingsPaths {
  sessions: string;
}

/** The paths of `projectPaths`. */
export function pathsOfProject(cwd: string): ProjectPaths {
  const directory = resolvePath(cwd, ".robota");
  return { ...pathsIn(directory), settingsLocal: `${directory}/settings.local.json` };
}

/** The paths of `userPaths`. */
export function pathsOfUser(home: string): UserPaths {
  const directory = resolvePath(home, ".robota");
  return { ...pathsIn(directory), sessions: `${directory}/sessions` };
}

function pathsIn(directory: string): SettingsPaths {
  return {
    directory,
    settings: `${directory}/settings.json`,
    agents: `${directory}/agents`,
    plugins: `${directory}/plugins`,
    skills: `${directory}/skills`,
  };
}
