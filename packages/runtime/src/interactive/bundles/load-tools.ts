import type { JsonObject } from "../../messages/message.ts";
import type { ToolErrorCode } from "../../messages/tool-error-code.ts";
import { boundOutput } from "../../tools/text-limit.ts";
import type { Tool, ToolContext, ToolResult } from "../../tools/tool.ts";
import { errorMessage } from "../../errors.ts";
import type { BundlePluginManifest, BundleWarning } from "./bundle.ts";
import { invalid } from "./bundle-error.ts";
import { type BundleFiles, textOf } from "./bundle-files.ts";
import { inBundle, rootVariables } from "./bundle-root.ts";
import type { CommandToolEntry, ManifestTool } from "./manifest.ts";

/** The longest tool name that model services accept. */
const MAX_NAME = 64;
/** Seconds. */
const DEFAULT_TIMEOUT = 60;
const MAX_OUTPUT_BYTES = 5_000_000;
const NOTHING: JsonObject = { type: "object", properties: {}, additionalProperties: false };

/**
 * The tools that a manifest declares: command lines for the session's shell, and operations of an OpenAPI document. A
 * bundle can't replace another tool: its own all begin with `plugin__<bundle>__`.
 * @throws {BundleError} `BUNDLE_INVALID`
 */
export async function loadTools(
  { name }: BundlePluginManifest,
  entries: readonly ManifestTool[],
  place: {
    files: BundleFiles;
    directory: string;
    manifestFile: string;
    warn: (warning: BundleWarning) => void;
  },
): Promise<Tool[]> {
  const prefix = `plugin__${name}__`;
  const tools: Tool[] = [];
  for (const [index, entry] of entries.entries()) {
    if (isCommand(entry)) tools.push(commandTool(prefix, entry, place.directory));
    else tools.push(...(await apiTools(prefix, inBundle(entry.openapi), place)));
    const names = tools.map((tool) => tool.name);
    const wrong = names.find((one, at) => one.length > MAX_NAME || names.indexOf(one) !== at);
    if (wrong !== undefined)
      throw invalid(
        place.manifestFile,
        `tools[${index}]`,
        `makes ${wrong}, which is ${wrong.length > MAX_NAME ? `over ${MAX_NAME} characters` : "there already"}`,
      );
  }
  return tools;
}

function isCommand(entry: ManifestTool): entry is CommandToolEntry {
  return "command" in entry;
}

async function apiTools(
  prefix: string,
  file: string,
  { files, warn }: { files: BundleFiles; warn: (warning: BundleWarning) => void },
): Promise<Tool[]> {
  // Few bundles have some, and a static import of a main entry's export would load with every session.
  const { createOpenAPITools } = await import("../../tools/openapi/openapi-tools.ts");
  try {
    return await createOpenAPITools(textOf(files, file), {
      prefix,
      onSkip: ({ method, path, reason }) =>
        warn({ file, message: `${method} ${path} is left out: ${reason}` }),
    });
  } catch (cause) {
    throw invalid(file, "", `gives no tools: ${errorMessage(cause)}`, cause);
  }
}

/** A tool that runs a command line. */
interface CommandTool extends Tool {
  readonly command: string;
}

/** A command line of the bundle's author with the arguments as JSON on stdin: none of them is part of the line. */
function commandTool(prefix: string, entry: CommandToolEntry, directory: string): CommandTool {
  const { name, description, command, parameters, timeout = DEFAULT_TIMEOUT } = entry;
  return {
    name: `${prefix}${name}`,
    description,
    command,
    parameters: parameters ? (JSON.parse(JSON.stringify(parameters)) as JsonObject) : NOTHING,
    access: "execute",
    preview: async () => ({ note: command }),
    execute: (args, context) => runCommand({ command, directory, timeout }, args, context),
  };
}

async function runCommand(
  { command, directory, timeout }: { command: string; directory: string; timeout: number },
  args: object,
  context: ToolContext,
): Promise<ToolResult> {
  const { platform, cwd, signal, rules } = context;
  const result = await platform.shell.exec(command, {
    cwd,
    env: rootVariables(directory),
    stdin: `${JSON.stringify(args)}\n`,
    signal,
    rules,
    timeoutMs: timeout * 1000,
    endsLeftovers: true,
    maxOutputBytes: MAX_OUTPUT_BYTES,
  });
  const { exitCode, stdout, stderr, timedOut } = result;
  const whole = [stdout.trimEnd(), stderr.trimEnd() && `[stderr]\n${stderr.trimEnd()}`];
  const { text } = await boundOutput(whole.filter(Boolean).join("\n\n").toWellFormed(), context);
  const output = text || "(no output)";
  if (timedOut) return failed("timeout", `It took over ${timeout} seconds.`, output, exitCode);
  return exitCode === 0
    ? { success: true, output, exitCode }
    : failed("exit_code", `Exit code ${exitCode}`, output, exitCode);
}

function failed(
  errorCode: ToolErrorCode,
  error: string,
  output: string,
  exitCode: number,
): ToolResult {
  return { success: false, output: `${output}\n\n${error}`, error, errorCode, exitCode };
}
