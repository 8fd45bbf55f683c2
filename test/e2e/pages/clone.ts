import { type BrowserPlatform, browserPlatform } from "@robota/adapters-web";

/** Runs what the address asks for in the shell of the workspace `clone`, and posts how it went. */
async function run({ fs, shell }: BrowserPlatform): Promise<void> {
  await fs.mkdir("/code", { recursive: true });
  const command = new URLSearchParams(location.search).get("command") ?? "true";
  const { stdout, stderr, exitCode } = await shell.exec(command, { cwd: "/code" });
  await fetch("/ran", { method: "POST", body: JSON.stringify({ stdout, stderr, exitCode }) });
}

const corsProxy = new URLSearchParams(location.search).get("proxy") ?? "";
const allowPrivateOrigins = new URLSearchParams(location.search).getAll("private");
const network =
  corsProxy === ""
    ? {}
    : {
        git: { fetch: fetch.bind(globalThis), corsProxy },
        shellPolicy: { allowPrivateOrigins },
      };
run(browserPlatform({ workspace: "clone", ...network })).catch((error: Error) =>
  fetch("/failed", { method: "POST", body: String(error) }),
);
