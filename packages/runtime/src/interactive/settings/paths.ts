import { resolvePath } from "../../ports/path.ts";

/** Where something keeps what belongs to Robota; all absolute. */
export interface SettingsPaths {
  directory: string;
  settings: string;
  agents: string;
  plugins: string;
  skills: string;
}

export interface ProjectPaths extends SettingsPaths {
  /** For one person's own settings of the project; kept out of version control. */
  settingsLocal: string;
}

export interface UserPaths extends SettingsPaths {
  sessions: string;
}

/** What a project has in its `.robota` directory. `cwd` is absolute. */
export function projectPaths(cwd: string): ProjectPaths {
  const directory = resolvePath(cwd, ".robota");
  return { ...pathsIn(directory), settingsLocal: `${directory}/settings.local.json` };
}

/** What a person has in `~/.robota`. `home` is absolute, such as `platform.home`. */
export function userPaths(home: string): UserPaths {
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
