import { pathsOfProject, pathsOfUser, type ProjectPaths, type UserPaths } from "./paths.ts";

// Sessions load `paths.ts` late: see permissions/evaluate-permission.ts.

/** The paths in a project's `.robota` directory. `cwd` is absolute. */
export function projectPaths(cwd: string): ProjectPaths {
  return pathsOfProject(cwd);
}

/** The paths in a person's `~/.robota`. `home` is absolute, such as `platform.home`. */
export function userPaths(home: string): UserPaths {
  return pathsOfUser(home);
}
