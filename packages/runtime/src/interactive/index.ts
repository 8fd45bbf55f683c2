// Names of their own, so that a bundler keeps what loads late out of the first load; see permissions/index.ts.
import { BUILT_IN_AGENTS as AGENTS } from "./agents/agent-definition.ts";
import { assembleSubagentPrompt as assemblePrompt } from "./agents/subagent-prompt.ts";
import { projectPaths as pathsOfProject, userPaths as pathsOfUser } from "./settings/paths.ts";

/** The agents that every session has. */
export const BUILT_IN_AGENTS: typeof AGENTS = AGENTS;

/** What a subagent is told as a system. */
export const assembleSubagentPrompt: typeof assemblePrompt = assemblePrompt;

/** What a project has in its `.robota` directory. `cwd` is absolute. */
export const projectPaths: typeof pathsOfProject = pathsOfProject;

/** What a person has in `~/.robota`. `home` is absolute, such as `platform.home`. */
export const userPaths: typeof pathsOfUser = pathsOfUser;
