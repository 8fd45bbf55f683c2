import { describe, expect, it } from "vitest";
import { evaluatePermission } from "../evaluate-permission.ts";

const withDeny = (command: string, rule = "Bash(rm *)"): string =>
  evaluatePermission("Bash", { command }, "bypassPermissions", { deny: [rule] });

describe("a rule that denies a command", () => {
  it.each([
    "FOO=1 rm x",
    "A=1 B+=2 rm x",
    "env rm",
    "env -i X=1 rm",
    "env -u HOME rm x",
    "env -S 'rm x'",
    "command rm x",
    "timeout 5 rm x",
    "timeout -k 1 --signal=KILL 5s rm x",
    "nice rm x",
    "nice -n 5 rm x",
    "nohup rm x &",
    "sudo rm x",
    "sudo -u root -- rm x",
    "doas rm x",
    "stdbuf -oL rm x",
    "ionice -c 3 rm x",
    "flock /tmp/lock rm x",
    "flock /tmp/lock -c 'rm x'",
    "noglob rm x",
    "sudo env A=1 nice /bin/rm x",
    "xargs rm",
    "ls | xargs -n1 rm",
    "xargs -I {} rm {}",
    "parallel rm ::: a b",
    "find . -exec rm {} ;",
    "find . -name x -execdir rm {} \\;",
    "find . -exec sh -c 'rm x' \\;",
    'echo "$(rm x)"',
    'echo "`rm x`"',
    'echo "a $(echo "$(rm x)") b"',
    'echo "it\'s $(rm x)"',
    "echo `echo \\`rm x\\``",
    "r\\m x",
    "r''m x",
    "$'rm' x",
    "r\\\nm x",
    "/bin/rm x",
    "../../bin/rm x",
    "$EMPTY rm x",
    "$(true) rm x",
    ">out rm x",
    "2>/dev/null rm x",
    "&>/dev/null rm x",
    "bash -c 'rm x'",
    'sh -c "rm x"',
    "bash --norc -ec 'cd /; rm x'",
    "bash -c \"sh -c 'rm x'\"",
    "su -c 'rm x'",
    "eval rm x",
    "eval 'ls; rm x'",
    "trap 'rm x' EXIT",
    "diff <(rm x) y",
    "f() { rm x; }; f",
    "if true; then rm x; fi",
    "! rm x",
    "echo a # don't\nrm x",
    "cat <<END\nit's\nEND\nrm x",
  ])("applies to %j", (command) => expect(withDeny(command)).toBe("deny"));

  it.each([
    "ls",
    "echo rm x",
    "echo 'rm x'",
    'git commit -m "rm x"',
    "timeout 5 ls",
    "env A=1 ls",
    "xargs -0 echo",
    "find . -name rm",
    "echo \\; rm x",
    "rmdir x",
    "/bin/rmdir x",
  ])("does not affect %j", (command) => expect(withDeny(command)).toBe("auto"));

  it.each(["git rm x", "sudo ls rm", "ls > rm", "npm run rm", "bash -c 'echo rm x'"])(
    "needs approval for its name in %j",
    (command) => expect(withDeny(command)).toBe("approve"),
  );

  it("also sees the command as written", () => {
    expect(withDeny("sudo ls", "Bash(sudo *)")).toBe("deny");
    expect(withDeny("/opt/a/tool x", "Bash(/opt/a/tool *)")).toBe("deny");
    expect(withDeny("A=1 ls", "Bash(A=1 *)")).toBe("deny");
    expect(withDeny("git push [a] --force", "Bash(git push * --force)")).toBe("deny");
  });
});

describe("a rule that allows a command with a wildcard", () => {
  const withAllow = (command: string): string => {
    const name = command.split(" ")[0] ?? "";
    return evaluatePermission("Bash", { command }, "default", { allow: [`Bash(${name} *)`] });
  };

  it.each([
    "ionice ls",
    "flock x ls",
    "stdbuf -oL ls",
    "noglob ls",
    "doas ls",
    "parallel ls",
    "/usr/bin/env ls",
    "python -c 1",
    "python3.12 -Bc 1",
    "node -e 1",
    "node -pe 1",
    "node --eval=1",
    "node",
    "perl -ne 1",
    "ruby -e 1",
    "sort --compress-program=x a",
    "sort --comp x a",
    "sort -o b a",
    "sort -uob a",
    "rg --pre x a",
    "rg --pre=x a",
    "git -c core.pager=x log",
    "git -C /x -c a=b log",
    "git --exec-path=/x log",
    "git log --output=x",
    "git fetch --upload-pack=x",
    "git clone ext::x",
    "git rebase -x x",
    "git bisect run x",
    "tar --checkpoint-action=exec=x -cf a b",
    "tar -xf a --to-command=x",
    "tar -I x -cf a b",
    "tar xIf x a",
    "man --html=x ls",
    "man -P x ls",
    "sed -i s/a/b/ x",
    "sed 'w x' y",
    "sed 1e y",
    "awk 1 x",
  ])("still needs approval for %j", (command) => {
    expect(withAllow(command)).toBe("approve");
    const exact = { allow: [`Bash(${command})`] };
    expect(evaluatePermission("Bash", { command }, "default", exact)).toBe("auto");
  });

  it.each([
    "sort -u a",
    "rg -n a",
    "git log --oneline",
    "git switch -c topic",
    "git -C /x status",
    "tar -xf a.tar",
    "node script.js",
    "python -m pytest",
  ])("allows %j", (command) => expect(withAllow(command)).toBe("auto"));
});
