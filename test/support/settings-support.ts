import {
  contentText,
  InteractiveSession,
  type InteractiveSessionOptions,
  type Platform,
} from "@robota/runtime";
import { type ResolvedSettings } from "@robota/runtime/settings";
import { ScriptedProvider } from "@robota/runtime/testing";
import { memoryPlatform } from "@robota/shell/testing";

export type Files = Record<string, object | string>;
export type Script = ConstructorParameters<typeof ScriptedProvider>[0];

export const CWD = "/work";

/** A user's host, in memory, with these files; objects are written as JSON. `~` is the home directory. */
export function hostWith(files: Files, env: Record<string, string> = {}): Platform {
  const written = Object.entries(files).map(([path, content]) => [
    path.replace(/^~/, "/home/user"),
    textOf(content),
  ]);
  return memoryPlatform({
    files: { [`${CWD}/`]: "", ...Object.fromEntries(written) },
    env,
    userSettings: "home",
  });
}

export function textOf(content: object | string): string {
  return typeof content === "string" ? content : JSON.stringify(content, null, 2);
}

/** A session of a user who works in `/work`, with a scripted model. */
export function openSession(
  platform: Platform,
  options: Partial<InteractiveSessionOptions> = {},
  script: Script = [],
): { session: InteractiveSession; provider: ScriptedProvider } {
  const provider = new ScriptedProvider(script);
  const session = new InteractiveSession({ platform, cwd: CWD, provider, ...options });
  return { session, provider };
}

/** The settings in force for a session that opens with these files. */
export async function settingsOf(
  files: Files,
  options: Partial<InteractiveSessionOptions> & { env?: Record<string, string> } = {},
): Promise<ResolvedSettings> {
  const { env, ...rest } = options;
  const { session } = openSession(hostWith(files, env), rest);
  await session.ready;
  const settings = session.getSettings();
  await session.shutdown();
  if (!settings) throw new Error("the session has read no settings");
  return settings;
}

/** The system message of the model's request. */
export function systemText({ requests }: ScriptedProvider): string {
  const first = requests[0]?.messages.find(({ role }) => role === "system");
  return contentText(first?.content ?? "");
}
