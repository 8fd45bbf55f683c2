import { pathsOfProject, pathsOfUser, type ProjectPaths, type UserPaths } from "./paths.ts";

// Sessions load `paths.ts` late: see permissions/evaluate-permission.ts.

/** What a project has in its `.robota` directory. `cwd` is absolute. */
export function projectPaths(cwd: string): ProjectPaths {
  return pathsOfProject(cwd);
}

/** What a person has in `~/.robota`. `home` is absolute, such as `platform.home`. */
export function userPaths(home: string): UserPaths {
  return pathsOfUser(home);
}
