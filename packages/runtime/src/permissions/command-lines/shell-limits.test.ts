import { describe, expect, it } from "vitest";
import { evaluatePermission } from "../evaluate-permission.ts";
import { expectWithin } from "../../../../../test/support/time/own-time.ts";

const withDeny = (command: string): string =>
  evaluatePermission("Bash", { command }, "bypassPermissions", { deny: ["Bash(rm *)"] });

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
  ])("quickly refuses too deeply nested %s", async (_, command) => {
    await expectWithin(2000, () => {
      expect(withDeny(command)).toBe("deny");
    });
  });
});
