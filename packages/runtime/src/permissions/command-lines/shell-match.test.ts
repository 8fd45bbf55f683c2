import { describe, expect, it } from "vitest";
import { evaluatePermission } from "../evaluate-permission.ts";

const denying = (rule: string, command: string): string =>
  evaluatePermission("Bash", { command }, "bypassPermissions", { deny: [`Bash(${rule})`] });

describe("a rule that denies a command with options", () => {
  it.each([
    ["git push --force", "git push --force"],
    ["git push --force", "git --force push"],
    ["git push --force", "git push --fo"],
    ["git push --force-with-lease", "git push --force-with-lease=main"],
    ["git push --force-with-lease=main", "git push --force-with-lease=other"],
    ["git push  --force ", "git push --force"],
    ["npm publish --tag *", "npm publish --tag next --access public"],
    ["npm * --force", "npm install --force"],
    ["docker run --net=*", "docker run --net=host"],
    ["rm -rf", "rm -r -f"],
    ["rm -rf *", "rm -vfr a"],
    ["rm -rf *", "rm a -f b -r"],
    ["tar -C*", "tar -C/"],
    ["tar * -C*", "tar x -C/etc a.tar"],
    ["find -delete *", "find . -delete"],
    ["git clean -f *", "git clean -xdf"],
    ["shutdown", "shutdown"],
    ["ls -a", "ls -la"],
  ])("%j refuses %j", (rule, command) => expect(denying(rule, command)).toBe("deny"));

  it.each([
    ["git push --force", "git push --fast"],
    ["git push --force", "git push --f"],
    ["git push --force", "git push --forceful"],
    ["git push --force", "git push force"],
    ["git push --force", "git push origin --force"],
    ["git push --force", "git pull --force"],
    ["rm -rf", "rm -r x"],
    ["rm -rf *", "rm -r x"],
    ["rm -rf *", "rm -r x-f"],
    ["rm -rf *", "rm -r --fast x"],
    ["tar -C*", "tar -x"],
    ["git push * *", "git push"],
    ["tar -Ca*", "tar -C -x a"],
    ["git -push", "git push"],
    ["shutdown", "shutdown now"],
    ["git push", "git push origin"],
    ["git push origin *", "git push"],
    ["git push origin *", "git push upstream"],
    ["npm publish x", "npm publish"],
    ["npm publish", "npm -v publish x"],
  ])("%j does not affect %j", (rule, command) => expect(denying(rule, command)).toBe("auto"));
});

describe("a rule with a star among its words", () => {
  it.each([
    ["git * push *", "git -x push"],
    ["x --f*r", "x --foo=bar"],
    ["tar -C*", "tar -v -Cx"],
    ["ls", "l?"],
  ])("%j forbids %j", (rule, command) => expect(denying(rule, command)).toBe("deny"));
});

describe("a command called by a pattern for its name", () => {
  it.each([
    "/usr/bin/c*l x",
    "/usr/bin/c?rl x",
    "/usr/bin/cur* x",
    "/usr/bin/*rl x",
    "/usr/bin/curl* x",
    "/bin/c[aeiou]rl x",
    "/bin/[b-d]ur[l] x",
    "/bin/cur[l x",
    "c* x",
    "./*/curl x",
    "/*/bin/c?r? x",
  ])("is any command that the pattern matches: %j", (command) => {
    expect(denying("curl *", command)).toBe("deny");
  });

  it.each([
    "/usr/bin/w* x",
    "/usr/bin/curl? x",
    "/usr/bin/c? x",
    "/usr/bin/?url? x",
    "/usr/bin/cur*e x",
    "/usr/bin/[c]ul x",
    "/c*l/wget x",
  ])("may be a command that it does not match, so %j needs approval", (command) => {
    expect(denying("curl *", command)).toBe("approve");
  });

  it("is none when it is an operand of a read-only command", () => {
    expect(denying("curl *", "echo c*l")).toBe("auto");
    expect(denying("ls", "l? x")).toBe("approve");
  });
});
