import { contentText, defineTool, type PermissionRequest, type Platform } from "@robota/runtime";
import { memoryPlatform } from "@robota/shell/testing";
import { describe, expect, it } from "vitest";
import {
  agentCall,
  agentFile,
  eventOf,
  hold,
  HOLD_CALL,
  MAIN,
  played,
  results,
  said,
  WORKER,
  agentsOf,
} from "../../support/agent-support.ts";
import { CWD, type Files, type Script } from "../../support/settings-support.ts";

const write = (filePath: string, content: string) => ({
  toolCalls: [{ name: "Write", args: { filePath, content } }],
});
const bash = (command: string) => ({ toolCalls: [{ name: "Bash", args: { command } }] });
const isolated = { toolCalls: [agentCall(undefined, "work", { isolation: "overlay" })] };
const ALLOWED = { allow: ["hold", "Bash"] };

/** A session whose agent works on a copy, and the request about its changes. */
function onCopy(
  work: Script,
  {
    files = { [`${CWD}/a.txt`]: "one\n" },
    answer = true,
    main = [isolated, { text: "ok" }],
    ...options
  }: { files?: Files; answer?: boolean; main?: Script } & Parameters<typeof played>[1] = {},
) {
  const requests: PermissionRequest[] = [];
  const cast = played(
    { [MAIN]: main, [WORKER]: [...work, { text: "worked" }] },
    {
      files,
      permissions: ALLOWED,
      permissionHandler: (_tool, _args, request) => {
        requests.push(request);
        return answer ? true : { allow: false, reason: "not now" };
      },
      ...options,
    },
  );
  return { ...cast, requests };
}

async function textAt({ fs }: Platform, path: string): Promise<string | undefined> {
  return fs.readFile(path).then(
    (bytes) => new TextDecoder().decode(bytes),
    () => undefined,
  );
}

describe("an agent on a copy of the files", () => {
  it("changes nothing before a person has approved all its changes", async () => {
    const seen: (string | undefined)[] = [];
    const { session, platform, requests } = onCopy(
      [write("b.txt", "new\n"), bash("sed -i s/one/two/ a.txt && rm -r old && cat a.txt")],
      {
        files: { [`${CWD}/a.txt`]: "one\n", [`${CWD}/old/c.txt`]: "three\n" },
        permissionHandler: async (_tool, _args, request) => {
          requests.push(request);
          for (const name of ["a.txt", "b.txt", "old/c.txt"])
            seen.push(await textAt(platform, `${CWD}/${name}`));
          return true;
        },
      },
    );
    await session.submit("go");
    expect(seen).toEqual(["one\n", undefined, "three\n"]);
    expect(requests).toHaveLength(1);
    expect(requests[0]).toMatchObject({
      tool: "AgentMerge",
      agent: { type: "general-purpose" },
      preview: {
        changes: [
          { path: `${CWD}/a.txt`, before: "one\n", after: "two\n" },
          { path: `${CWD}/b.txt`, before: null, after: "new\n" },
          { path: `${CWD}/old/c.txt`, before: "three\n", after: null },
        ],
      },
    });
    expect(requests[0]?.suggestedPattern).toBeUndefined();
    expect(await textAt(platform, `${CWD}/a.txt`)).toBe("two\n");
    expect(await textAt(platform, `${CWD}/b.txt`)).toBe("new\n");
    await expect(platform.fs.stat(`${CWD}/old`)).rejects.toMatchObject({ code: "ENOENT" });
    expect(results(session)[0]).toMatch(/^worked\n\nIts changes were merged: \/work\/a\.txt, /);
    await session.shutdown();
  });

  it("has its changes recorded as the session's: they are shown and can be rewound", async () => {
    const { session, platform } = onCopy([write("b.txt", "new\n"), bash("echo two > a.txt")]);
    const ended = eventOf(session, "tool_end", ({ tool }) => tool === "Agent");
    await session.submit("go");
    expect(await ended).toMatchObject({
      outcome: { changes: [{ path: `${CWD}/a.txt` }, { path: `${CWD}/b.txt` }] },
    });
    await session.rewind(session.checkpoints()[0]?.id ?? "", "files");
    expect(await textAt(platform, `${CWD}/a.txt`)).toBe("one\n");
    expect(await textAt(platform, `${CWD}/b.txt`)).toBeUndefined();
    await session.shutdown();
  });

  it("has them discarded when the person denies them, or nobody answers", async () => {
    const refused = onCopy([bash("echo two > a.txt")], { answer: false });
    await refused.session.submit("go");
    expect(await textAt(refused.platform, `${CWD}/a.txt`)).toBe("one\n");
    expect(results(refused.session)[0]).toBe(
      "worked\n\nIts changes in its copy of the files were discarded (not merged: not now): /work/a.txt.",
    );
    await refused.session.shutdown();
  });

  it("requests approval of its changes in every mode, and none without changes", async () => {
    const bypassing = onCopy([write("b.txt", "new\n")], { permissionMode: "bypassPermissions" });
    await bypassing.session.submit("go");
    expect(bypassing.requests.map(({ tool }) => tool)).toEqual(["AgentMerge"]);
    await bypassing.session.shutdown();

    const looking = onCopy([bash("cat a.txt"), bash("echo two > a.txt; echo one > a.txt")]);
    await looking.session.submit("go");
    expect(looking.requests).toEqual([]);
    expect(results(looking.session)).toEqual(["worked"]);
    await looking.session.shutdown();
  });

  it("never overwrites concurrent changes, and shows its own version", async () => {
    const held = hold();
    const { session, platform, requests } = onCopy(
      [
        bash("echo mine > a.txt; echo new > b.txt; rm c.txt; echo same > d.txt"),
        { toolCalls: [HOLD_CALL] },
      ],
      {
        tools: [held.tool],
        files: { [`${CWD}/a.txt`]: "one\n", [`${CWD}/c.txt`]: "three\n", [`${CWD}/d.txt`]: "d\n" },
      },
    );
    const turn = session.submit("go");
    await held.waiting(1);
    await platform.fs.writeFile(`${CWD}/a.txt`, "theirs\n");
    await platform.fs.writeFile(`${CWD}/c.txt`, "theirs too\n");
    await platform.fs.writeFile(`${CWD}/d.txt`, "same\n");
    held.release();
    await turn;
    expect(requests[0]?.preview?.changes?.map(({ path }) => path)).toEqual([`${CWD}/b.txt`]);
    expect(requests[0]?.preview?.note).toBe(
      `Not merged: ${CWD}/a.txt: it has changed meanwhile.\nNot merged: ${CWD}/c.txt: it has changed meanwhile.`,
    );
    expect(await textAt(platform, `${CWD}/a.txt`)).toBe("theirs\n");
    expect(await textAt(platform, `${CWD}/b.txt`)).toBe("new\n");
    expect(await textAt(platform, `${CWD}/c.txt`)).toBe("theirs too\n");
    const [result = ""] = results(session);
    expect(result).toContain("Its changes were merged: /work/b.txt.");
    expect(result).toContain("Not merged: /work/a.txt: it has changed meanwhile.");
    expect(result).toContain("-theirs\n+mine");
    await session.shutdown();
  });

  it("also detects changes made during the approval", async () => {
    const { session, platform } = onCopy([bash("echo mine > a.txt; echo new > b.txt")], {
      permissionHandler: async () => {
        await platform.fs.writeFile(`${CWD}/a.txt`, "theirs\n");
        return true;
      },
    });
    await session.submit("go");
    expect(await textAt(platform, `${CWD}/a.txt`)).toBe("theirs\n");
    expect(await textAt(platform, `${CWD}/b.txt`)).toBe("new\n");
    expect(results(session)[0]).toContain("Not merged: /work/a.txt: it has changed meanwhile.");
    await session.shutdown();
  });

  it("merges nothing outside of the workspace, and no link that leads outside", async () => {
    const { session, platform, requests } = onCopy(
      [bash("echo y > /elsewhere.txt; ln -s /etc/passwd link; echo ok > b.txt")],
      { permissionMode: "bypassPermissions" },
    );
    await session.submit("go");
    const request = requests.find(({ tool }) => tool === "AgentMerge");
    expect(request?.paths).toEqual([`${CWD}/b.txt`]);
    expect(request?.preview?.note?.split("\n")).toEqual([
      "Not merged: /elsewhere.txt: it is outside of the workspace.",
      "Not merged: /work/link: it is a link that leads out of the workspace.",
    ]);
    for (const path of ["/elsewhere.txt", `${CWD}/link`])
      await expect(platform.fs.lstat(path)).rejects.toMatchObject({ code: "ENOENT" });
    await session.shutdown();
  });

  it("obeys the session's rules in its copy, and the present mode when merging", async () => {
    const held = hold();
    const { session, platform, requests } = onCopy(
      [bash("echo x > kept.txt"), bash("echo ok > b.txt"), { toolCalls: [HOLD_CALL] }],
      { tools: [held.tool], permissions: { allow: ["Bash"], deny: ["Write(/kept.txt)"] } },
    );
    const turn = session.submit("go");
    await held.waiting(1);
    await session.setPermissionMode("plan");
    held.release();
    await turn;
    expect(requests).toEqual([]);
    const [agent] = await agentsOf(session);
    expect(agent?.messages[2]).toMatchObject({ role: "tool", tool: "Bash", isError: true });
    expect(results(session)[0]).toContain("Not merged: /work/b.txt: ");
    expect(results(session)[0]).not.toContain("kept.txt");
    for (const name of ["b.txt", "kept.txt"])
      expect(await textAt(platform, `${CWD}/${name}`)).toBeUndefined();
    await session.shutdown();
  });

  it("has no tool that could change anything but the copy", async () => {
    const own = (name: string, access?: "read" | "write" | "network-write") =>
      defineTool({
        name,
        description: "Own",
        parameters: { type: "object" },
        execute: () => "",
        ...(access && { access }),
      });
    const tools = [
      own("unsaid"),
      own("looks", "read"),
      own("writes", "write"),
      own("sends", "network-write"),
    ];
    const { session, asked } = onCopy([], { tools });
    await session.submit("go");
    expect(asked[1]?.tools).toEqual([
      "Bash",
      "Read",
      "Write",
      "Edit",
      "Glob",
      "Grep",
      "WebFetch",
      "WebSearch",
      "looks",
    ]);
    await session.shutdown();
  });

  it("is informed of the copy, also when its file declares isolation, whatever the call says", async () => {
    const fields = { description: "Tries", isolation: "overlay" };
    const { session, platform, players } = played(
      {
        [MAIN]: [{ toolCalls: [agentCall("trier", "try")] }, { text: "ok" }],
        TRIER: [bash("echo two > a.txt"), { text: "tried" }],
      },
      {
        files: {
          [`${CWD}/a.txt`]: "one\n",
          "~/.robota/agents/trier.md": agentFile(fields, "You are the TRIER."),
          "~/.robota/agents/wrong.md": agentFile({ ...fields, isolation: "worktree" }),
        },
        permissions: ALLOWED,
        permissionHandler: () => false,
      },
    );
    await session.submit("go");
    expect(await textAt(platform, `${CWD}/a.txt`)).toBe("one\n");
    const messages = players["TRIER"]?.requests[0]?.messages ?? [];
    const textOf = (role: string) =>
      contentText(messages.find((message) => message.role === role)?.content ?? "");
    expect(textOf("system")).toContain("You work on a copy of the files");
    // The task as it was given: an agent may take it literally.
    expect(textOf("user")).not.toContain("copy of the files");
    expect(session.getSettings()?.warnings).toMatchObject([
      { layer: "~/.robota/agents/wrong.md", message: expect.stringContaining('"overlay"') },
    ]);
    const [start] = await agentsOf(session);
    expect(start).toMatchObject({ isolation: "overlay", agent: "trier" });
    expect(said(session)).toEqual(["go"]);
    await session.shutdown();
  });

  it("is refused when the shell can only run on the original files", async () => {
    const platform = memoryPlatform({ files: { [`${CWD}/`]: "" } });
    const native: Platform = {
      ...platform,
      shell: { kind: "native", exec: (command, options) => platform.shell.exec(command, options) },
    };
    const { session, asked } = onCopy([], { platform: native });
    await session.submit("go");
    expect(results(session)[0]).toContain("can't give an agent a copy of its files");
    expect(asked.map(({ who }) => who)).toEqual([MAIN, MAIN]);
    expect(await agentsOf(session)).toEqual([]);
    await session.shutdown();
  });
});
