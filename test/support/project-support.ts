import type { FileSystem } from "@robota/runtime";
import { detectProject, type ProjectInfo } from "@robota/runtime/settings";
import { memoryPlatform } from "@robota/shell/testing";
import { type Files, textOf } from "./settings-support.ts";

/** Files in memory; objects are written as JSON. */
export function filesWith(files: Files): FileSystem {
  const written = Object.entries(files).map(([path, content]) => [path, textOf(content)]);
  return memoryPlatform({ files: Object.fromEntries(written) }).fs;
}

/** The project of the directory `/p`, with these files. */
export function detected(files: Files): Promise<ProjectInfo> {
  const inPlace = Object.entries(files).map(([name, content]) => [`/p/${name}`, content]);
  return detectProject(filesWith({ "/p/": "", ...Object.fromEntries(inPlace) }), "/p");
}
