export { type CommandHelp, offlineCommands } from "./command.ts";
export { OfflineProvider, type OfflineProviderOptions } from "./offline-provider.ts";
export { type GuidedPrompt, type SampleProject, sampleProject } from "./sample-project.ts";
