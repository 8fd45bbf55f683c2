import { describe, expect, it } from "vitest";
import { isSecretName, protectedName, unusablePath } from "./file-names.ts";

describe("a path that other systems read differently", () => {
  it.each([
    "",
    "a\u0000b",
    "a\u001fb",
    "a\u007fb",
    "a\u0085b",
    "a\u009fb",
    "\\\\server\\share",
    "\\a",
    "C:\\a",
    "c:/a",
    "//?/a",
    "//./pipe/a",
    "file:///a",
    "FILE://a",
    "http://h/a",
    "https://h/a",
    "a:stream:$DATA",
    "a::$DATA",
    "a::$data/b",
    "dir:x:$INDEX_ALLOCATION",
    "a\ud800b",
    "a\ud800",
    "\udc00a",
    "a".repeat(4097),
  ])("is refused: %j", (path) => expect(unusablePath(path)).toBeDefined());

  it.each([
    " a",
    "a b",
    "~/a",
    "a\u00a0b",
    "a\\b",
    "ab:c",
    "a/b:c",
    "ab:c$d",
    "ab:c:$C1",
    "a//?/b",
    "a/file://b",
    "ab:c/d:$DATA",
    "price:$",
    "\ud83d\ude00.png",
    "a".repeat(4096),
  ])("does not include %j", (path) => expect(unusablePath(path)).toBeUndefined());
});

describe("a protected name", () => {
  it.each([
    "/code/.GIT/config",
    "/code/.git./config",
    "/code/.git . . /config",
    "/code/.git::$INDEX_ALLOCATION/config",
    "/code/.git:x\ny/config",
    "/code/GIT~1/config",
    "/code/.g\u200bit/config",
    "/code/.ｇｉｔ/config",
    "/code/.gıt\u0307/../.git",
    "/code/.hu\u017fky/pre-push",
    "/code/.bash_pro\ufb01le",
  ])("is recognized in the form %j", (path) => expect(protectedName(path)).toBeDefined());

  it.each(["/code/git/config", "/code/.gitignore", "/code/.github/CODEOWNERS", "/code/:.git", "/"])(
    "does not include %j",
    (path) => expect(protectedName(path)).toBeUndefined(),
  );
});

it.each([
  ["/code/.env", true],
  ["/code/.ENV.local", true],
  ["/code/.env.example", false],
  ["/code/.env:hidden", true],
  ["/code/server.pem. ", true],
  ["/code/pa\u00df.kdbx", true],
  ["/code/environment.ts", false],
  ["/home/me/.aws/credentials", true],
])("%j may hold secrets by its name: %j", (path, isSecret) => {
  expect(isSecretName(path)).toBe(isSecret);
});
