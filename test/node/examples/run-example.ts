import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";

const folder = join(import.meta.dirname, "../../../examples/node");

/** How an example is run, with a home of its own and no key of the machine's. */
export function runExample(name: string, home: string, env: Record<string, string> = {}) {
  return {
    command: process.execPath,
    args: ["--conditions=@robota/source", join(folder, name)],
    options: {
      cwd: home,
      env: { HOME: home, PATH: process.env.PATH ?? "", TOKEN: "secret", ...env },
    },
  };
}

export interface ServedExample extends AsyncDisposable {
  url: string;
  /** SIGKILL: nothing of it runs any more. */
  kill(): Promise<void>;
  /** SIGTERM. Resolves to the exit code; `null` when it did not end by itself. */
  terminate(): Promise<number | null>;
}

/** Starts an example that prints the address it listens on. */
export async function serveExample(
  name: string,
  home: string,
  env: Record<string, string> = {},
): Promise<ServedExample> {
  const { command, args, options } = runExample(name, home, env);
  const child = spawn(command, args, { ...options, stdio: ["ignore", "pipe", "inherit"] });
  const end = async (signal: NodeJS.Signals): Promise<number | null> => {
    if (child.exitCode === null && child.signalCode === null) {
      const exited = once(child, "exit");
      child.kill(signal);
      await exited;
    }
    return child.exitCode;
  };
  const kill = async (): Promise<void> => void (await end("SIGKILL"));
  const terminate = (): Promise<number | null> => end("SIGTERM");
  return { url: await printedUrl(child), kill, terminate, [Symbol.asyncDispose]: kill };
}

async function printedUrl({ stdout }: ChildProcess): Promise<string> {
  let output = "";
  for await (const piece of stdout ?? []) {
    output += String(piece);
    const [url] = /http:\S+/.exec(output) ?? [];
    if (url !== undefined) return url;
  }
  throw new Error(`The example ended before it listened (${output})`);
}
