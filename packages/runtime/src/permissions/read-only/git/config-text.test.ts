import { expect, it } from "vitest";
import { expectWithin } from "../../../../../../test/support/time/own-time.ts";
import { readGitConfig } from "./config-text.ts";
import { isHarmlessSetting, settingName } from "./harmless-settings.ts";

const read = (text: string): string[] | undefined =>
  readGitConfig(text)?.map((setting) => `${settingName(setting)}=${setting.value}`);

it.each<[string, string[]]>([
  ["[core]\n\tbare = false\n", ["core.bare=false"]],
  ["[CORE] Bare=false", ["core.bare=false"]],
  ['[remote "O\\"x"]\r\n url = a b  \r\n', ['remote.O"x.url=a b']],
  ["[branch.Main]\nmerge = refs/heads/x ; why\n", ["branch.main.merge=refs/heads/x"]],
  ['[core]\neditor = "a # b" c # d\n# e\n; f\n', ["core.editor=a # b c"]],
  ["[core]\nbare\n", ["core.bare=true"]],
  ["[alias]\nx = a\\tb\\\\\n", ["alias.x=a\tb\\"]],
  ["", []],
])("reads %j", (text, settings) => {
  expect(read(text)).toEqual(settings);
});

it.each([
  "[core]\nfsmonitor = a\\\nb\n",
  "[core]\nfsmonitor = a\\",
  '[core]\nfsmonitor = "a\n',
  "[core]\nfsmonitor = a\\x\n",
  "[core\nfsmonitor = a\n",
  "fsmonitor = a\n",
  "[core]\nfsmonitor\u00a0= a\n",
  "[core]\nfs\u0000monitor = a\n",
  '[a.b "c"]\nx = y\n',
  "[core] [x] fsmonitor = a\n",
])("reports that %j can't be read with certainty", (text) => {
  expect(read(text)).toBeUndefined();
});

it.each<[string, boolean]>([
  ["[core]\nfsmonitor = true", true],
  ["[core]\nfsmonitor = true\u00a0", false],
  ["[core]\nfsmonitor = ./true", false],
  ["[core]\nsshCommand = ssh -i key", false],
  ["[core]\neditor = vim", false],
  ['[remote "o"]\nurl = git@example.com:a/b.git', true],
  ['[remote "o"]\nurl = ext::sh -c x', false],
  ['[remote "o"]\nurl = -u', false],
  ['[remote "o"]\npromisor = true', false],
  ['[submodule "a"]\nupdate = !x', false],
  ['[submodule "a"]\nupdate = rebase', true],
  ["[alias]\nx = !sh", false],
  ["[alias]\nx = log", true],
  ["[gpg]\nformat = ssh", true],
  ['[gpg "ssh"]\nprogram = x', false],
  ["[constructor]\nname = x", false],
  ['[lfs "extension.x"]\nclean = x', false],
])("knows whether %j starts a program", (text, isHarmless) => {
  expect(readGitConfig(text)?.every(isHarmlessSetting)).toBe(isHarmless);
});

it("reads a line with many spaces in linear time", async () => {
  const spaces = " ".repeat(100_000);
  await expectWithin(1_000, () =>
    expect(read(`[a]\nb = c${spaces}d${spaces}`)).toEqual([`a.b=c${spaces}d`]),
  );
});
