import type { Settings } from "@robota/runtime/settings";

/** The line by which the sample is recognised in settings. */
const SAMPLE = {
  type: "command",
  command:
    "if grep -q '\"command\":\"rm '; then echo 'The sample hook keeps your files: rm is blocked.' >&2; exit 2; fi",
} as const;
const GROUP = { matcher: "Bash", hooks: [SAMPLE] };

/** True for settings with the sample hook, which blocks every command that begins with `rm`. */
export function hasSample(settings: Settings | undefined): boolean {
  return groupsOf(settings).some(isSample);
}

/** The settings with the sample hook, or without it. Other hooks stay. */
export function withSample(settings: Settings, isOn: boolean): Settings {
  const others = groupsOf(settings).filter((group) => !isSample(group));
  const groups = isOn ? [...others, GROUP] : others;
  const { PreToolUse: _, ...hooks } = settings.hooks ?? {};
  const next = groups.length > 0 ? { ...hooks, PreToolUse: groups } : hooks;
  return { ...settings, hooks: next };
}

type Group = NonNullable<NonNullable<Settings["hooks"]>["PreToolUse"]>[number];

function groupsOf(settings: Settings | undefined): readonly Group[] {
  return settings?.hooks?.PreToolUse ?? [];
}

function isSample({ hooks }: Group): boolean {
  return hooks.some((hook) => hook.type === "command" && hook["command"] === SAMPLE.command);
}
