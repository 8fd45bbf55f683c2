import * as engine from "#isomorphic-git";
import { fatal } from "./failure.ts";
import type { Repository } from "./repository/repository.ts";

/**
 * Settings of a repository by which no Git starts a program, from the list in git-config(1). The repository may be on a
 * disk where a person uses it later, with a Git that obeys each of its settings.
 */
const SAFE =
  /^(?:user\.(?:name|email|signingkey)|(?:author|committer)\.(?:name|email)|init\.defaultbranch|branch\..+\.(?:remote|merge|rebase|pushremote|description)|remote\..+\.(?:url|pushurl|fetch|push|tagopt|prune)|pull\.(?:rebase|ff)|push\.(?:default|autosetupremote|followtags)|fetch\.(?:prune|prunetags)|merge\.(?:ff|conflictstyle|renames|log|stat)|rebase\.(?:autostash|autosquash)|(?:commit|tag)\.gpgsign|core\.(?:filemode|ignorecase|autocrlf|eol|safecrlf|symlinks|quotepath|bare|logallrefupdates|precomposeunicode|repositoryformatversion|abbrev|whitespace)|color\.[\w.]+|diff\.(?:algorithm|renames|colormoved|context)|log\.(?:date|decorate|abbrevcommit)|status\.(?:short|branch|showuntrackedfiles))$/i;
const ADDRESS = /\.(?:url|pushurl)$/i;
/** Text that would begin another line or section in the file: isomorphic-git writes names and values as they are. */
const UNSAFE_NAME = /[\p{Cc}"\\[\]]/u;
const UNSAFE_VALUE = /\p{Cc}|\\$/u;
/** Rejects a transport that runs a program (`ext::sh -c …`), and an option for one. */
const UNSAFE_ADDRESS = /^-|::/;

/**
 * Checks a setting before it is written under the rules of a session, which let `git` alone write inside a repository.
 * @throws {GitFailure} when Git may run its value
 */
export function assertSafeSetting({ context }: Repository, name: string, value: string): void {
  if (!context.gitFiles) return;
  const isPlain = !UNSAFE_NAME.test(name) && !UNSAFE_VALUE.test(value);
  const isSafeAddress = !ADDRESS.test(name) || !UNSAFE_ADDRESS.test(value);
  if (isPlain && isSafeAddress && SAFE.test(name)) return;
  throw fatal(`not setting ${name}: Git may run its value as a program. Ask the person to set it`);
}

/** Writes a setting of the repository. @throws {GitFailure} as `assertSafeSetting` */
export async function writeSetting(repo: Repository, path: string, value: string): Promise<void> {
  assertSafeSetting(repo, path, value);
  await engine.setConfig({ ...repo.at, path, value });
}
