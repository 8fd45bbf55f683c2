import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import type { JsonObject } from "@robota/runtime/providers";
import { UsageError } from "./arguments/usage-error.ts";

/** The JSON object that an option has itself or in a file. @throws {UsageError} */
export async function readJsonOption(
  option: string,
  given: string,
  cwd: string,
): Promise<JsonObject> {
  const isJson = given.trimStart().startsWith("{");
  const text = isJson ? given : await readOptionFile(option, given, cwd);
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch (cause) {
    throw new UsageError(`${option} ${isJson ? "" : `${given} `}is not JSON: ${String(cause)}`, {
      cause,
    });
  }
  if (typeof parsed === "object" && parsed !== null && !Array.isArray(parsed))
    return parsed as JsonObject;
  throw new UsageError(`${option} needs a JSON object, or the path of a file with one`);
}

async function readOptionFile(option: string, path: string, cwd: string): Promise<string> {
  try {
    return await readFile(resolve(cwd, path), "utf8");
  } catch (cause) {
    throw new UsageError(`${option} can't read ${path}; give a file or a JSON object`, { cause });
  }
}
