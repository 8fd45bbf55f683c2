import { browserPlatform } from "@robota/adapters-web";
import { contentText, InteractiveSession } from "@robota/runtime";
import { BundlePluginInstaller, MarketplaceClient } from "@robota/runtime/plugins";
import { ScriptedProvider } from "@robota/runtime/testing";

const TOOL = "plugin__greeter__greet";
const CWD = "/workspace";

/** The model's latest request: its words, and whether it offers the bundle's tool. */
function given({ requests }: ScriptedProvider): { words: string; hasTool: boolean } {
  const { messages = [], options } = requests.at(-1) ?? {};
  return {
    words: messages.map(({ content }) => contentText(content)).join("\n"),
    hasTool: (options?.tools ?? []).some(({ name }) => name === TOOL),
  };
}

/** Installs a bundle from the marketplace at `market`, uses it in a session, and disables it there. */
async function firstVisit(market: string): Promise<object> {
  await using platform = browserPlatform({ workspace: "bundles" });
  const installer = new BundlePluginInstaller(platform, { cwd: CWD });
  const client = new MarketplaceClient(platform, { cwd: CWD, installer, defaultSource: false });
  await client.addSource(market);
  const found = (await client.search({ keyword: "hello" })).plugins.map((one) => one.qualifiedName);
  let shown = "";
  await client.install("greeter", {
    approve: ({ text }) => {
      shown = text;
      return true;
    },
  });
  const provider = new ScriptedProvider([
    { toolCalls: [{ name: TOOL, args: {} }] },
    { text: "Hello, Ada!" },
    { text: "ok" },
  ]);
  await using session = new InteractiveSession({ platform, cwd: CWD, provider });
  const answer = await session.executeCommand("greeter:hello", "Ada");
  const used = given(provider);
  await installer.disable("greeter");
  await session.submit("Are you still there?");
  const disabled = given(provider);
  const command = await session.executeCommand("greeter:hello", "Ada");
  return { found, shown, answer: answer?.message, used, disabled, command };
}

/** Finds the bundle as it was left, and removes it. */
async function secondVisit(): Promise<object> {
  await using platform = browserPlatform({ workspace: "bundles" });
  const installer = new BundlePluginInstaller(platform, { cwd: CWD });
  const left = (await installer.list()).map(({ name, enabled }) => ({ name, enabled }));
  await installer.uninstall("greeter");
  const files = await platform.fs.readdir(
    `${platform.home === "/" ? "" : platform.home}/.robota/plugins`,
  );
  return { left, after: await installer.list(), files: files.map(({ name }) => name) };
}

const market = new URLSearchParams(location.search).get("market");
(market === null ? secondVisit() : firstVisit(market))
  .then((result) => fetch("/ran", { method: "POST", body: JSON.stringify(result) }))
  .catch((error: Error) => fetch("/failed", { method: "POST", body: `${error.stack ?? error}` }));
