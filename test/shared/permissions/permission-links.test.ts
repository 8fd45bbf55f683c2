import { withHost } from "#host";
import { contentText, InteractiveSession, type PermissionMode } from "@robota/runtime";
import { ScriptedProvider } from "@robota/runtime/testing";
import { expect, it } from "vitest";

const SECRET = "do not show this";

it.each<[string, string]>([
  ["at the workspace", "Read(/secrets/**)"],
  ["relative", "Read(secrets/**)"],
  ["by the name of the link", "Read(//LINK/secrets/**)"],
  ["by the real name", "Read(//REAL/secrets/**)"],
])("a rule applies by either path of a linked working directory: %s", (_name, rule) =>
  withHost(async ({ platform, cwd }) => {
    const real = `${await platform.fs.realpath(cwd)}/real`;
    const link = `${cwd}/link`;
    await platform.fs.mkdir(`${real}/secrets`, { recursive: true });
    await platform.fs.writeFile(`${real}/secrets/key.txt`, SECRET);
    await platform.fs.writeFile(`${real}/plain.txt`, "plain");
    await platform.fs.symlink(real, link);
    const deny = [rule.replace("/LINK", link).replace("/REAL", real)];
    const bash = (command: string) => ({ name: "Bash", args: { command } });
    const tries = [link, real, "."].flatMap((base) => [
      { name: "Read", args: { filePath: `${base}/secrets/key.txt` } },
      { name: "Grep", args: { pattern: "show", path: `${base}/secrets` } },
      bash(`cat ${base}/secrets/key.txt`),
      bash(`cd ${base} && cat secrets/key.txt`),
      bash(`cat < ${base}/secrets/key.txt`),
    ]);
    tries.push(bash('cat "$(realpath .)"/secrets/key.txt'));
    const session = new InteractiveSession({
      platform,
      cwd: link,
      provider: new ScriptedProvider([{ toolCalls: tries }, { text: "done" }]),
      permissions: { deny },
      permissionMode: "bypassPermissions",
    });
    session.on("permission_request", ({ id }) => {
      void session.resolvePermission(id, { allow: false });
    });
    await session.submit("go");
    const texts = session
      .getMessages()
      .filter(({ role }) => role === "tool")
      .map(({ content }) => contentText(content));
    expect(texts).toHaveLength(tries.length);
    for (const [index, text] of texts.entries())
      expect(text, JSON.stringify(tries[index])).not.toContain(SECRET);
    await session.shutdown();
  }),
);

it.each<PermissionMode>(["default", "acceptEdits"])(
  "ordinary work in a linked working directory needs no additional approval in %s mode",
  (permissionMode) =>
    withHost(async ({ platform, cwd }) => {
      const real = `${await platform.fs.realpath(cwd)}/real`;
      const link = `${cwd}/link`;
      await platform.fs.mkdir(`${real}/src`, { recursive: true });
      await platform.fs.writeFile(`${real}/src/a.ts`, "export {};\n");
      await platform.fs.symlink(real, link);
      const calls = [
        { name: "Read", args: { filePath: `${link}/src/a.ts` } },
        { name: "Read", args: { filePath: `${real}/src/a.ts` } },
        { name: "Grep", args: { pattern: "export" } },
        { name: "Bash", args: { command: "cat src/a.ts" } },
        { name: "Bash", args: { command: "cd src && ls" } },
      ];
      const session = new InteractiveSession({
        platform,
        cwd: link,
        provider: new ScriptedProvider([
          ...calls.map((call) => ({ toolCalls: [call] })),
          { text: "done" },
        ]),
        permissionMode,
      });
      const asked: string[] = [];
      session.on("permission_request", ({ id, tool, reason }) => {
        asked.push(`${tool}: ${reason}`);
        void session.resolvePermission(id, { allow: false });
      });
      await session.submit("go");
      expect(asked).toEqual([]);
      const last = session.getMessages().findLast(({ role }) => role === "tool");
      expect(contentText(last?.content ?? "")).toContain(`The next command starts in ${link}/src.`);
      await session.shutdown();
    }),
);
