import { readFile } from "node:fs/promises";
import { ConfigurationError, RobotaError } from "@robota/runtime";
import { errnoOf } from "../files/file-error.ts";
import { nodePlatform } from "../platform.ts";
import type { CliCommand } from "./arguments/commands.ts";
import { helpText } from "./arguments/help.ts";
import { checkDirectories } from "./arguments/check-directories.ts";
import { parseArguments } from "./arguments/parse-arguments.ts";
import { UsageError } from "./arguments/usage-error.ts";
import { tooOld } from "./start/node-version.ts";
import { printable } from "./printable.ts";
import { Interrupted } from "./workspace-trust.ts";

/** Runs a command line, flushes its output, and ends the process with its exit code. */
export async function runProgram(args: readonly string[]): Promise<void> {
  let outputError: Error | null | undefined;
  process.stdout.on("error", (error) => (outputError ??= error));
  let exitCode = await main(args);
  // Keep-alive connections would hold the process; output has to be flushed first.
  process.stdout.write("", (failure) => {
    // The callback of a failed write comes before its event.
    outputError ??= failure;
    // A reader that stops early, such as `head`, is not a failure.
    if (outputError && errnoOf(outputError) !== "EPIPE") {
      complain(`can't write the output: ${outputError.message}`);
      exitCode ||= 1;
    }
    process.exit(exitCode);
  });
}

async function main(args: readonly string[]): Promise<number> {
  try {
    const { env: environment, stdin, stdout } = process;
    const isTerminal = stdin.isTTY && stdout.isTTY && environment["TERM"] !== "dumb";
    const command = parseArguments(args, { cwd: workingDirectory(), environment, isTerminal });
    await checkDirectories(command);
    return await execute(command);
  } catch (error) {
    if (error instanceof Interrupted) return 130;
    if (error instanceof UsageError) {
      complain(error.message, "See robota --help.");
      return 2;
    }
    report(error);
    return 1;
  }
}

/** @throws {ConfigurationError} when it was deleted, or may not be read */
function workingDirectory(): string {
  try {
    return process.cwd();
  } catch (cause) {
    throw new ConfigurationError(`The working directory can't be read: ${errnoOf(cause)}`, {
      hint: "Go to one that is there with cd, and start again.",
      cause,
    });
  }
}

function report(error: unknown): void {
  if (error instanceof RobotaError) complain(error.message, error.hint);
  else complain(error instanceof Error ? (error.stack ?? error.message) : String(error));
}

async function execute(command: CliCommand): Promise<number> {
  const allowEnv = "allowEnv" in command ? command.allowEnv : [];
  await using platform = nodePlatform({ allowEnv });
  switch (command.name) {
    case "help":
      process.stdout.write(helpText());
      return 0;
    case "version":
      process.stdout.write(`${await readVersion()}\n`);
      return 0;
    case "list-sessions":
      await (
        await import("./stored/print-sessions.ts")
      ).printSessions(platform, command.outputFormat);
      return 0;
    case "show-session":
      await (
        await import("./stored/print-sessions.ts")
      ).printSession(platform, command.id, command.outputFormat);
      return 0;
    case "move-session": {
      const { moveSession } = await import("./stored/move-session.ts");
      await moveSession(command, platform);
      return 0;
    }
    case "rename-session":
    case "delete-session":
    case "rewind-session":
    case "export-session":
    case "import-session":
    case "replay-session": {
      const { executeStored } = await import("./stored/execute-stored.ts");
      return await executeStored(command, platform);
    }
    case "serve": {
      const { serveSessions } = await import("./serve/serve-sessions.ts");
      return await serveSessions(command, platform, report);
    }
    case "playground": {
      const { servePlayground } = await import("./serve/serve-playground.ts");
      return await servePlayground(command);
    }
    case "completion": {
      const { completionScript } = await import("./completion.ts");
      process.stdout.write(completionScript(command.shell));
      return 0;
    }
    case "doctor": {
      const { runDoctor } = await import("./doctor/run-doctor.ts");
      return await runDoctor(command, platform);
    }
    case "init": {
      const { initProject } = await import("./init-project.ts");
      return await initProject(command.cwd, platform);
    }
    case "acp": {
      const { serveAcp } = await import("./serve-acp.ts");
      return await serveAcp(command, platform, { version: await readVersion(), onError: report });
    }
    case "mcp":
      return await (await import("./run-mcp.ts")).runMcp(command, platform);
    case "conversation": {
      const problem = tooOld("conversation");
      if (problem !== undefined)
        throw new ConfigurationError(problem, {
          hint: "Install a newer Node from https://nodejs.org, or run single prompts with robota -p.",
        });
      const { converse } = await import("./converse.ts");
      return await converse(command, platform, await readVersion());
    }
    case "prompt":
      // Awaited here: the platform is closed as soon as this function returns.
      if (command.remote === undefined)
        return await (await import("./run-prompt.ts")).runPrompt(command, platform);
      return await (
        await import("./run-remote.ts")
      ).runRemote({ ...command, remote: command.remote }, platform);
  }
}

async function readVersion(): Promise<string> {
  const text = await readFile(new URL("../../package.json", import.meta.url), "utf8");
  const { version }: { version: string } = JSON.parse(text);
  return version;
}

function complain(message: string, hint = ""): void {
  process.stderr.write(`robota: ${printable(message)}\n`);
  if (hint) process.stderr.write(`${printable(hint)}\n`);
}
