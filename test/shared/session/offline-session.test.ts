import { InteractiveSession, type Platform } from "@robota/runtime";
import { OfflineProvider, sampleProject } from "@robota/runtime/providers/offline";
import { memoryPlatform } from "@robota/shell/testing";
import { expect, it } from "vitest";

const cwd = "/workspace";
const script = (title: string): string => {
  const prompt = sampleProject.prompts.find((entry) => entry.title === title);
  if (!prompt) throw new Error(`no prompt ${title}`);
  return prompt.commands.join("\n");
};
const samplePlatform = (): Platform =>
  memoryPlatform({
    files: Object.fromEntries(
      Object.entries(sampleProject.files).map(([path, text]) => [`${cwd}/${path}`, text]),
    ),
  });

it("fixes the sample project with the real tools, once the change is approved", async () => {
  const platform = samplePlatform();
  const asked: string[] = [];
  const session = new InteractiveSession({
    platform,
    cwd,
    provider: new OfflineProvider(),
    permissionHandler: (tool) => {
      asked.push(tool);
      return true;
    },
  });
  const turn = await session.submit(script("Fix the failing test"));
  expect(turn.state).toBe("complete");
  expect(asked).toEqual(["Bash", "Edit", "Bash"]);
  expect(turn.toolSummaries.map(({ toolName }) => toolName)).toEqual([
    "Bash",
    "Read",
    "Edit",
    "Bash",
  ]);
  expect(turn.response).toContain("0 failed");
  const rules = new TextDecoder().decode(await platform.fs.readFile(`${cwd}/src/rules.js`));
  expect(rules).toContain("[^a-z0-9]+/g");
  await session.shutdown();
});

it("leaves the sample project unchanged when the change is denied, and says so", async () => {
  const platform = samplePlatform();
  const session = new InteractiveSession({
    platform,
    cwd,
    provider: new OfflineProvider(),
    permissionHandler: (tool) => tool !== "Edit",
  });
  const turn = await session.submit(
    'replace "[^a-z0-9]/g" with "x" in src/rules.js\nrun sh check.sh',
  );
  expect(turn.response).toContain("was denied. I won't try anything else.");
  expect(turn.response).toContain("Not run:\n- `run sh check.sh`");
  const rules = new TextDecoder().decode(await platform.fs.readFile(`${cwd}/src/rules.js`));
  expect(rules).toBe(sampleProject.files["src/rules.js"]);
  await session.shutdown();
});

it("continues a script after a reload during a pending approval", async () => {
  const platform = samplePlatform();
  const first = new InteractiveSession({ platform, cwd, provider: new OfflineProvider() });
  const waiting = new Promise<void>((resolve) => first.on("permission_request", () => resolve()));
  const cut = expect(first.submit("read cases.txt\nrun sh check.sh\nlist")).rejects.toMatchObject({
    code: "FENCED",
  });
  await waiting;

  const second = new InteractiveSession({
    platform,
    provider: new OfflineProvider(),
    resumeSessionId: first.sessionId,
    takeOver: true,
  });
  await second.ready;
  const [request] = second.pendingPermissions();
  if (!request) throw new Error("nothing waits");
  expect(request.args).toEqual({ command: "sh check.sh" });
  const ended = new Promise<string>((resolve) =>
    second.on("complete", ({ response }) => resolve(response)),
  );
  await second.resolvePermission(request.id, { allow: true });
  const response = await ended;
  expect(response).toContain("Output of `list`:");
  const names = second
    .getMessages()
    .flatMap((message) =>
      message.role === "assistant" ? (message.toolCalls ?? []).map(({ name }) => name) : [],
    );
  expect(names).toEqual(["Read", "Bash", "Glob"]);
  await cut;
  await second.shutdown();
});
