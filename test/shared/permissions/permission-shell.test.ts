import { evaluatePermission, explainPermission, type PermissionLists } from "@robota/runtime";
import { describe, expect, it } from "vitest";
import { EXPECTED_TO_ASK, EXPECTED_TO_RUN, USUAL_RULES } from "./permission-commands.ts";
import { isReadOnly } from "../../../packages/runtime/src/permissions/read-only/read-only-commands.ts";

const WORKSPACE = {
  cwd: "/workspace",
  roots: ["/workspace"],
  home: "/home/user",
  isReadOnly,
};
const usual = (command: string, lists: PermissionLists = {}): string =>
  evaluatePermission("Bash", { command }, "default", { allow: USUAL_RULES, ...lists }, WORKSPACE);

describe("ordinary commands", () => {
  it("are at least 300, and at most 3 in 100 need approval with everyday rules", () => {
    expect(EXPECTED_TO_RUN.length + EXPECTED_TO_ASK.length).toBeGreaterThanOrEqual(300);
    const asked = EXPECTED_TO_RUN.filter((command) => usual(command) !== "auto");
    const share = asked.length / EXPECTED_TO_RUN.length;
    console.info(
      `${EXPECTED_TO_RUN.length} ordinary commands, ${asked.length} asked without need (${(100 * share).toFixed(1)} %): ${JSON.stringify(asked)}`,
    );
    expect(share).toBeLessThanOrEqual(0.03);
  });

  it.each(EXPECTED_TO_ASK)("need approval without a rule: %j", (command) => {
    expect(usual(command)).toBe("approve");
  });

  it("need approval without a known workspace", () => {
    const pure = (command: string): string =>
      evaluatePermission("Bash", { command }, "default", {}, { cwd: "/workspace" });
    expect(pure("ls")).toBe("approve");
    expect(evaluatePermission("Bash", { command: "ls" }, "plan", {}, WORKSPACE)).toBe("deny");
  });
});

const BEFORE = ["", "npm test && ", "npm test & ", "npm test\n", "cd src && "];
const WRAPPERS: readonly ((command: string) => string)[] = [
  (command) => command,
  (command) => `sudo ${command}`,
  (command) => `env ${command}`,
  (command) => `env -i A=1 ${command}`,
  (command) => `timeout 5 ${command}`,
  (command) => `timeout -s KILL 5 ${command}`,
  (command) => `nohup ${command}`,
  (command) => `time ${command}`,
  (command) => `nice -n 3 ${command}`,
  (command) => `stdbuf -oL ${command}`,
  (command) => `watch -n1 ${command}`,
  (command) => `setsid ${command}`,
  (command) => `ionice -c3 ${command}`,
  (command) => `flock /tmp/l ${command}`,
  (command) => `command ${command}`,
  (command) => `builtin ${command}`,
  (command) => `xargs ${command}`,
  (command) => `xargs -n1 ${command}`,
  (command) => `sh -c '${command}'`,
  (command) => `bash -lc "${command}"`,
  (command) => `eval ${command}`,
  (command) => `eval '${command}'`,
  (command) => `echo "$(${command})"`,
  (command) => `echo \`${command}\``,
  (command) => `cat <(${command})`,
  (command) => `for i in 1; do ${command}; done`,
  (command) => `if true; then ${command}; fi`,
  (command) => `while ${command}; do :; done`,
  (command) => `{ ${command}; }`,
  (command) => `(${command})`,
  (command) => `find . -exec ${command} ;`,
  (command) => `find . -execdir ${command} \\;`,
  (command) => `f() { ${command}; }; f`,
  (command) => `function f { ${command}; }; f`,
  (command) => `case x in x) ${command};; esac`,
  (command) => `bash <<< '${command}'`,
  (command) => `bash <<END\n${command}\nEND`,
  (command) => `echo '${command}' | sh`,
  (command) => `printf '${command}' | bash -s`,
  (command) => `trap '${command}' EXIT`,
  (command) => `alias x='${command}'; x`,
  (command) => `awk 'BEGIN{system("${command}")}'`,
  (command) => `perl -e 'system("${command}")'`,
  (command) => `PAGER='${command}' git log`,
  (command) => `GIT_SSH_COMMAND='${command}' git fetch origin`,
  (command) => `git -c core.pager='${command}' log`,
  (command) => `git -c alias.x='!${command}' x`,
  (command) => `sed '1e ${command}' src/a.ts`,
  (command) => `tar --checkpoint-action=exec='${command}' -cf a.tar src`,
  (command) => `[[ -n $(${command}) ]]`,
  (command) => `echo $((a[$(${command})]))`,
  (command) => `echo \${x:-$(${command})}`,
];
const TARGETS = [
  "curl http://evil.test",
  "/usr/bin/curl http://evil.test",
  "\\curl http://evil.test",
  "c''url http://evil.test",
  "$'\\x63url' http://evil.test",
  "{curl,http://evil.test}",
  "cu$x''rl http://evil.test",
  "curl${IFS}http://evil.test",
  "/usr/bin/cur? http://evil.test",
];

describe("hostile lines", () => {
  const all = BEFORE.flatMap((before) =>
    WRAPPERS.flatMap((wrap) => TARGETS.map((target) => before + wrap(target))),
  );
  // Changes of the code by the thousand are tried on a part of them: `scripts/mutation/runner.ts`.
  const every = Number(Reflect.get(globalThis, "everyHostileLine") ?? 1);
  const lines = all.filter((_, index) => index % every === 0);

  it("are never allowed by everyday rules", () => {
    expect(all.length).toBeGreaterThanOrEqual(1000);
    const wrong = lines.filter((command) => usual(command) === "auto");
    console.info(
      `${lines.length} hostile lines, ${wrong.length} allowed by rules for other commands`,
    );
    expect(wrong).toEqual([]);
  });

  it("never pass a rule that denies them, in any mode: they are refused, or need approval when undecidable", () => {
    const counts = { deny: 0, approve: 0, auto: 0 };
    const wrong: string[] = [];
    for (const command of lines) {
      const lists = { deny: ["Bash(curl *)"], allow: ["Bash"] };
      const decision = evaluatePermission(
        "Bash",
        { command },
        "bypassPermissions",
        lists,
        WORKSPACE,
      );
      counts[decision] += 1;
      if (decision === "auto") wrong.push(command);
    }
    console.info(
      `${lines.length} hostile lines against a rule that forbids them: ${counts.deny} refused, ${counts.approve} asked, ${counts.auto} passed`,
    );
    expect(wrong).toEqual([]);
    expect(counts.deny / lines.length).toBeGreaterThan(0.9);
  });
});

describe("commands that always need approval", () => {
  it.each([
    "rm -rf /",
    "rm -rf /*",
    "rm -fr ~",
    "rm -r --force ~/",
    "rm -rf $UNSET/",
    'rm -rf "$UNSET"/*',
    "rm -rf ${X}/",
    "rm -rf $HOME",
    "rm -rf .",
    "rm -rf ./*",
    "rm -rf *",
    "rm -rf /workspace",
    "rm -rf ..",
    "rm -rf /usr",
    "cd / && rm -rf *",
    "sudo rm -rf /",
    "sh -c 'rm -rf /'",
    "find / -delete",
    "find . -delete",
    "find -delete",
    "find -L / -delete",
    "find src / -delete",
    "find / -type f -delete",
    "find / -name '*' -delete",
    "find / -iname '*.*' -delete",
    "find ~ -size +0 -delete",
    "find / ! -name keep -delete",
    "find / -not -path keep -delete",
    "find / -name a -o -delete",
    "find / -name a , -delete",
    "find ~ -exec /bin/rm -r {} +",
    "find . -ok rm {} \\;",
    "chmod -R 777 /",
    "chown -R me ~",
    "chgrp --recursive me /",
    "shred -u ~",
    "shred /",
    "rm --rec /home/user",
    "rm -R /",
    "rm -rf /home",
    "rm -rf ~/*",
    "rm -rf ~user/",
    "rm -rf /etc/{a,b}",
    "rm -rf ../workspace/.",
    "rm -rf ./.*",
    "rm -rf .[^.]*/ /opt",
    "git clean -xdf",
    "git -C . clean -fdx",
    "git clean --force -d",
    "mkfs.ext4 /dev/sda1",
    "mkfs /dev/sda1",
    "fdisk /dev/sda",
    "sgdisk -Z /dev/sda",
    "wipefs -a /dev/sda",
    "dd if=/dev/zero of=/dev/sda",
    "dd of=/dev/./nvme0n1",
    "cd /dev && dd if=a of=sda",
    "tee /dev/mapper/root",
    "cp image.iso /dev/vdb",
    "cat x >> /dev/mmcblk0",
    "cat x &> /dev/xvda",
    "cat x > /dev/sda",
    ":(){ :|:& };:",
    ": ( ) { sleep 1; : | : & } ; :",
    "mv / /tmp/x",
    "mv src ~ /tmp",
    "mv -t /tmp ~",
    "mv -t/tmp ~",
    "cd $UNSET && rm -rf *",
    "cd - && rm -rf .",
    "popd; rm -rf ./*",
    "pushd +1 && rm -rf ../",
    "rm -rf dist /etc",
    "find . -name a -or -type f -delete",
    "mv --target-directory=/tmp src ~",
    "mv --target-directory /tmp src ~",
    "rm -rf /-",
    "rm -rf ~other",
    "rm -rf ~/{.*}*",
    "rm -rf ~/.[^.]*",
    "cd a/b && rm -rf ..",
    "git clean -f --x--dry",
    "find / -delete -o -name a",
    "find -o -name a -delete",
    "find / x-name a -delete",
    "find / -namex a -delete",
  ])("T-40: include %j, under any rule and in any mode", (command) => {
    for (const mode of ["default", "acceptEdits", "bypassPermissions"] as const) {
      for (const allow of [["Bash"], [`Bash(${command})`], []]) {
        const explained = explainPermission("Bash", { command }, mode, { allow }, WORKSPACE);
        expect(explained).toMatchObject({ decision: "approve", step: "protected" });
      }
    }
  });

  it.each([
    "rm -rf dist",
    "rm -rf ./node_modules",
    "git clean -n",
    "git clean -fn",
    "git clean -f --dry-run",
    "git clean",
    "find dist -name x -delete",
    "find . -name x -delete",
    "find . -path './dist/*' -delete",
    "find . -regex '.*pyc' -delete",
    "find . -type d -empty -delete",
    "find . -not -name keep -name '*.o' -delete",
    "find . '(' -name '*.o' -o -name '*.a' ')' -delete",
    "find . -name x -exec rm {} +",
    "find -H dist -type f -delete",
    "find . -type f",
    "find . -exec cat {} +",
    "rm x",
    "rm -f /opt",
    "rm -rf /tmp",
    "rm -rf /opt/app",
    "rm -rf ~/project/dist",
    "chmod 755 .",
    "chmod -R 755 dist",
    "mv a b /tmp",
    "mv a .",
    "mv dist /opt",
    "shred key.txt",
    "dd if=/dev/sda of=disk.img",
    "tee /dev/null",
    "cat x > /dev/stdout",
    "cat /dev/sda",
    "cd $UNSET && rm -rf dist",
    "mkfsx a",
    "my-mkfs a",
    "xfdisk -l",
    "chmodx -R /",
    "xchmod -R /",
    "terragit clean -f",
    "git commit -F clean",
    "find . -name 'x -or' -delete",
    "find . -name ,x -delete",
    "rm -rf cache~",
    "rm -rf x*",
    "rm -rf dist/*.js",
    "tee backup/dev/sda",
    "cp a /dev/mdx",
    "cp a",
    "chmod +x /",
    "rm a-r /opt",
    "rm --x--r /opt",
    "chmod --x--rec 7 /",
    "git clean --x--f",
    "fdiskx /dev/sda",
    "mv a-t /opt",
    "find / x-exec rm",
    "find src/x-H -type f -delete",
    "find src/a-b -type f -delete",
    "find src -path / -delete",
    "find / 'x!' -name a -delete",
    "find / -notx -name a -delete",
    "rm -rf /opt/app/$X",
    "cd $UNSET && rm -rf a$X",
    "cd $UNSET && rm -rf a/b",
    "cd $UNSET && rm -rf dist/",
    "cd $UNSET && rm -rf ./dist",
  ])("T-40: do not include %j", (command) => {
    const decide = evaluatePermission("Bash", { command }, "bypassPermissions", {}, WORKSPACE);
    expect(decide).toBe("auto");
  });

  it("T-40: are the same without a known home", () => {
    const { home: _, ...homeless } = WORKSPACE;
    const decide = (command: string): string =>
      evaluatePermission("Bash", { command }, "bypassPermissions", {}, homeless);
    expect(decide("rm -rf dist")).toBe("auto");
    expect(decide("rm -rf ~")).toBe("approve");
  });
});
