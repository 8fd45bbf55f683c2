import { describe, expect, it } from "vitest";
import { evaluatePermission } from "../evaluate-permission.ts";
import { expectWithin } from "../../../../../test/support/time/own-time.ts";

const withDeny = (command: string): string =>
  evaluatePermission("Bash", { command }, "bypassPermissions", {
    deny: ["Bash(rm *)", "Bash(git push *)"],
  });

describe("a rule that denies a command", () => {
  it("reads a command of any length", () => {
    const filler = "echo aaaaaaaa; ".repeat(20_000);
    expect(withDeny(`${filler}rm x`)).toBe("deny");
    expect(withDeny(filler)).toBe("auto");
  });

  it.each([
    ["substitutions", '"$('.repeat(20_000)],
    ["wrappers", "sudo ".repeat(50_000)],
    ["options", "env -a b ".repeat(20_000)],
    ["launches", `find ${"-exec ".repeat(20_000)}`],
    ["reserved words", "! ".repeat(5000)],
    ["values of variables", `x '${"A=$A ".repeat(2000)}'`],
    ["functions", "function ".repeat(3000)],
  ])("quickly refuses too deeply nested %s", async (_, command) => {
    await expectWithin(2000, () => {
      expect(withDeny(command)).toBe("deny");
    });
  });

  it.each([
    ["expansions without an end", "${".repeat(5000)],
    ["braces without an end", `${"{a,b}".repeat(12)}{${",".repeat(9000)}`],
    ["names of programs", `x ${"git ".repeat(15_000)}`],
    ["alternatives", `for a in 1 2 3 4 5 6 7 8; do x ${"{a..z}".repeat(1600)}`],
  ])("quickly reads %s", async (_, command) => {
    await expectWithin(2000, () => {
      withDeny(command);
    });
  });
});

describe("a file that always needs approval", () => {
  const decide = (command: string): string =>
    evaluatePermission("Bash", { command }, "bypassPermissions", {}, { roots: ["/w"], cwd: "/w" });
  const names = Array.from({ length: 500 }, (_, index) => `n${index}`).join(" ");

  it.each([
    ["behind many others", `touch ${names} .robota/settings.json`],
    ["in a line too entangled to be read", `tee .robota/settings.json; ${"env ".repeat(1100)}`],
    ["in a line with too many names", `touch ${"{1..40}{1..40}x ".repeat(1200)} .robota/x`],
    ["in a variable that a line redirects to", "a=.robota; echo x > $a/settings.json"],
    ["in braces that a line redirects to", "echo x > .robot{a..a}/settings.json"],
    ["in a variable of another shell", "sh -c 'a=.robota; tee $a/settings.json'"],
    ["in a variable of a substitution", "echo $(a=.robota; tee $a/settings.json)"],
    ["in a variable that an evaluated text sets", "eval a=.robota; tee $a/settings.json"],
  ])("is found %s", (_, command) => expect(decide(command)).toBe("approve"));

  it("does not make long lines ask", () => {
    expect(decide(`touch ${names}`)).toBe("auto");
    expect(decide(`cat > a <<E\n${"<p>a line of a page</p>\n".repeat(2000)}E`)).toBe("auto");
  });

  it("is denied behind a name too long for a file", () => {
    const long = "x".repeat(5000);
    const decideRead = evaluatePermission(
      "Bash",
      { command: `cat {${long},y}{1..64}{1..64} secr{e,e}t/x` },
      "bypassPermissions",
      { deny: ["Read(/secret/**)"] },
      { roots: ["/w"], cwd: "/w" },
    );
    expect(decideRead).toBe("deny");
  });
});
