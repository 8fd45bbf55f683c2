import type { OptionForms } from "../option-forms.ts";
import type { RobotaOptions } from "./robota.ts";

/** Every option of an agent. Numbers are checked where they are used. */
export const ROBOTA_OPTIONS: OptionForms<RobotaOptions> = {
  provider: "object",
  tools: "array",
  systemMessage: "string",
  maxExecutionRounds: "any",
  timeout: "any",
  progressTimeout: "any",
  callTimeout: "any",
  contextWindow: "any",
  models: "array",
  budget: "any",
  platform: "object",
  cwd: "string",
  plugins: "array",
  eventService: "object",
  onPluginError: "function",
  authorize: "function",
};
