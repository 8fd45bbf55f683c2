import type * as JsonEditor from "jsonc-parser";
import { ConfigurationError, FileSystemError, requireArgument } from "../../errors.ts";
import type { FileSystem } from "../../ports/file-system.ts";
import { dirname } from "../../ports/path.ts";
import type { Platform } from "../../ports/platform.ts";
import { workingDirectory } from "../../ports/working-directory.ts";
import { parseSettings } from "./layers.ts";
import { pathsOfProject, pathsOfUser } from "./paths.ts";
import { checkSettings } from "./setting-fields.ts";
import { isObject, type SettingsObject } from "./settings-object.ts";
import type { Settings } from "./settings.ts";

/** A file of settings: the person's, the project's, or the person's own for the project. */
export type SettingsFileLayer = "user" | "project" | "local";

/** New values of settings, at any depth; `undefined` removes one. A list is replaced as a whole. */
export type SettingsChange<Value = Settings> = {
  readonly [Key in keyof Value]?: Value[Key] extends readonly unknown[] | undefined
    ? Value[Key] | undefined
    : Value[Key] extends object | undefined
      ? SettingsChange<NonNullable<Value[Key]>> | undefined
      : Value[Key] | undefined;
};

/** A change, or a function that makes it of the file's present settings, as one that adds to a list. */
export type SettingsUpdate = SettingsChange | ((present: Settings) => SettingsChange);

export interface UpdateSettingsOptions {
  /** Absolute: the workspace. */
  cwd: string;
  signal?: AbortSignal | undefined;
}

/** The part of a platform for writing settings. */
export type WritingPlatform = Pick<Platform, "fs" | "storage" | "home" | "userSettings">;

const MAX_TRIES = 20;
const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** Implements `updateSettings`. */
export async function writeSettings(
  platform: WritingPlatform,
  layer: SettingsFileLayer,
  update: SettingsUpdate,
  { cwd, signal }: UpdateSettingsOptions,
): Promise<void> {
  if (layer === "user" && platform.userSettings !== "home")
    throw new ConfigurationError("A person has no settings file on this host", {
      hint: "The host sets the person's layer: see userSettings of its platform. Change the project's settings instead.",
    });
  const { path, name } = placeOf(layer, cwd, platform.home);
  await using _turn = await platform.storage.acquire(`settings${path}`, signal && { signal });
  for (let tries = 1; ; tries++) {
    const before = await read(platform.fs, path);
    const text = await edited(before ?? "", name, update);
    // Programs that take no turns, such as an editor, may have written meanwhile.
    if (before !== (await read(platform.fs, path)) && tries < MAX_TRIES) continue;
    if (text === before) return;
    await platform.fs.mkdir(dirname(path), { recursive: true });
    // Awaited here, before the next writer has its turn.
    await platform.fs.writeFile(path, encoder.encode(text));
    return;
  }
}

/** Implements `InteractiveSession.updateSettings`. */
export async function updateSettingsOf(
  { platform, cwd }: { platform?: Platform | undefined; cwd?: string | undefined },
  layer: SettingsFileLayer,
  update: SettingsUpdate,
): Promise<void> {
  if (!platform)
    throw new ConfigurationError("A prepared session has no settings files", {
      hint: "Call updateSettings of @robota/runtime/settings with the platform.",
    });
  await writeSettings(platform, layer, update, { cwd: workingDirectory(cwd, platform) });
}

function placeOf(
  layer: SettingsFileLayer,
  cwd: string,
  home: string,
): { path: string; name: string } {
  if (layer === "user")
    return { path: pathsOfUser(home).settings, name: "~/.robota/settings.json" };
  const { settings, settingsLocal } = pathsOfProject(cwd);
  return layer === "project"
    ? { path: settings, name: ".robota/settings.json" }
    : { path: settingsLocal, name: ".robota/settings.local.json" };
}

async function read(fs: FileSystem, path: string): Promise<string | undefined> {
  try {
    return decoder.decode(await fs.readFile(path));
  } catch (error) {
    if (error instanceof FileSystemError && /^(?:ENOENT|ENOTDIR)$/.test(error.code))
      return undefined;
    throw error;
  }
}

/** The text of the file after a change. @throws {ConfigurationError} when it would not be valid settings */
async function edited(before: string, name: string, update: SettingsUpdate): Promise<string> {
  const isNew = before.trim() === "";
  const present = isNew ? {} : parseSettings(encoder.encode(before), name);
  // Its reader checks it, and reports unknown fields.
  if (typeof update !== "function") requireArgument("change", update, "object");
  const change = typeof update === "function" ? update(present as Settings) : update;
  const { modify, applyEdits } = await loadEditor();
  const formattingOptions = formatOf(before);
  let text = isNew ? "{}\n" : before;
  for (const [path, value] of changesIn(change, present))
    text = applyEdits(text, modify(text, path, value, { formattingOptions }));
  checkSettings(parseSettings(encoder.encode(text), name), name);
  return text;
}

/** Each changed value by its path. An object replaces any other value. */
function changesIn(
  change: object,
  present: SettingsObject,
  path: readonly string[] = [],
): [path: string[], value: unknown][] {
  return Object.entries(change).flatMap(([key, value]: [string, unknown]) => {
    const now = Object.hasOwn(present, key) ? present[key] : undefined;
    const place = [...path, key];
    if (isObject(value) && isObject(now)) return changesIn(value, now, place);
    return value === now ? [] : [[place, withoutUndefined(value)]];
  });
}

function withoutUndefined(value: unknown): unknown {
  const json = JSON.stringify(value) as string | undefined;
  return json === undefined ? undefined : JSON.parse(json);
}

/** The indentation and the line ends of a text; two spaces for one without any. */
function formatOf(text: string): { insertSpaces: boolean; tabSize: number; eol: string } {
  const [, indent = "  "] = /\n([ \t]+)\S/.exec(text) ?? [];
  const eol = text.includes("\r\n") ? "\r\n" : "\n";
  return { insertSpaces: !indent.startsWith("\t"), tabSize: indent.length, eol };
}

/** Bundlers load its modules; Node loads its CommonJS form, whose names are behind `default`. */
async function loadEditor(): Promise<Pick<typeof JsonEditor, "modify" | "applyEdits">> {
  const loaded: Partial<typeof JsonEditor> & { default: unknown } = await import("jsonc-parser");
  const { modify, applyEdits } = loaded;
  // Its own types describe the first of the two alone.
  return modify && applyEdits ? { modify, applyEdits } : (loaded.default as typeof JsonEditor);
}
