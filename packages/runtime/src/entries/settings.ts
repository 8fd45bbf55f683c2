// Settings, workspace trust, and the files a project brings along.
export type { PromptSectionReport, SystemPromptReport } from "../context/prompt-report.ts";
export { type AgentDefinition, BUILT_IN_AGENTS } from "../interactive/agents/agent-definition.ts";
export { agentsIn } from "../interactive/agents/agents-in.ts";
export type { SubagentSessionOptions } from "../interactive/agents/subagent-options.ts";
export type { SubagentPromptOptions } from "../interactive/agents/subagent-prompt.ts";
export type { ProjectInstructions } from "../interactive/instructions/project-instructions.ts";
export { detectProject, type DetectProjectOptions } from "../interactive/project/detect-project.ts";
export type {
  PackageManager,
  ProjectCommands,
  ProjectFacts,
  ProjectInfo,
  ProjectLanguage,
  ProjectProblem,
  ProjectType,
} from "../interactive/project/project-info.ts";
export type { LoadSettingsOptions } from "../interactive/settings/load-settings.ts";
export type { ProjectPaths, SettingsPaths, UserPaths } from "../interactive/settings/paths.ts";
export { requireSettings } from "../interactive/settings/read-settings.ts";
export { readSettings } from "../interactive/settings/read-settings.ts";
export { addSkill, type AddSkillOptions } from "../interactive/skills/add-skill.ts";
export type { SkillHost } from "../interactive/skills/remote-skill.ts";
export type { SkillReference } from "../interactive/skills/skill-reference.ts";
export type { SkillSourceOptions } from "../interactive/skills/skill-command-source.ts";
export type { Skill } from "../interactive/skills/skill.ts";
export type { Skills } from "../interactive/skills/skills-in-force.ts";
export type {
  McpServerSettings,
  ProviderSettings,
  ResolvedSettings,
  Settings,
  SettingsOptions,
  SettingsWarning,
} from "../interactive/settings/settings.ts";
export { updateSettings } from "../interactive/settings/change-settings.ts";
export type {
  SettingsChange,
  SettingsFileLayer,
  SettingsUpdate,
  UpdateSettingsOptions,
} from "../interactive/settings/update-settings.ts";
export type {
  TrustState,
  WorkspaceFinding,
  WorkspaceTrust,
  WorkspaceTrustRequest,
} from "../interactive/settings/workspace-trust.ts";
