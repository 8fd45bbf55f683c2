import { withHost } from "#host";
import type { PermissionMode } from "@robota/runtime";
import { VirtualShell } from "@robota/shell";
import { expect, it } from "vitest";
import { COMMITS, gitSession } from "../../support/git/git-session.ts";

const decoder = new TextDecoder();

it.each<PermissionMode>(["default", "bypassPermissions"])(
  "git of the virtual shell works on the repository of a session, in %s",
  async (mode) => {
    await withHost(async ({ platform, cwd }) => {
      const shell = new VirtualShell({ fs: platform.fs });
      const outputs = await gitSession({
        platform: { ...platform, shell },
        cwd,
        lines: COMMITS,
        mode,
      });
      expect(outputs.join("\n")).not.toMatch(/EACCES|not permitted|fatal/);
      expect(outputs.at(-1)).toMatch(/^"second\\nfirst\\n *[4-9]/);
    });
  },
);

it("only git writes inside a repository, and git writes no hook", async () => {
  await withHost(async ({ platform, cwd }) => {
    const shell = new VirtualShell({ fs: platform.fs });
    const hidden =
      "d=.gi; d=${d}t; echo evil > $d/config; mkdir -p $d/hooks; echo evil > $d/hooks/x";
    const outputs = await gitSession({
      platform: { ...platform, shell },
      cwd,
      lines: [
        COMMITS[0] ?? "",
        hidden,
        `git status & ${hidden}`,
        "git config core.fsmonitor evil; git remote add x 'ext::evil'; git config alias.st '!evil'; " +
          "git config user.name $'x\\n[core]\\nfsmonitor = evil'; git config 'remote.x\"] [core] fsmonitor = evil #.fetch' y; " +
          "git commit -qam x; git branch -u main $'m\"]\\n[core]\\nfsmonitor = evil\\n[x \"y'",
        "git mv a $(printf .git)/config; git mv a $(printf .git)/hooks/pre-commit; git rm -q --cached a",
      ],
      mode: "bypassPermissions",
    });
    expect(outputs[1]).toMatch(/config is protected/);
    expect(outputs[2]).toMatch(/config is protected/);
    expect(outputs[3]).toMatch(
      /not setting core\.fsmonitor: Git may run.*remote\.x\.url.*alias\.st/s,
    );
    expect(decoder.decode(await platform.fs.readFile(`${cwd}/.git/config`))).not.toContain("evil");
    expect(decoder.decode(await platform.fs.readFile(`${cwd}/a`))).toBe("one\n");
    expect(await platform.fs.readdir(`${cwd}/.git/hooks`)).toEqual([]);
  });
});

it("a rule that denies writing to a repository applies to git too", async () => {
  await withHost(async ({ platform, cwd }) => {
    const shell = new VirtualShell({ fs: platform.fs });
    await shell.exec("git init -q; echo one > a", { cwd });
    const [outputs] = await gitSession({
      platform: { ...platform, shell },
      cwd,
      lines: ["git add a"],
      mode: "bypassPermissions",
      deny: ["Write(/.git/**)"],
    });
    expect(outputs).toMatch(/Write\(\/\.git\/\*\*\) forbids/);
  });
});
