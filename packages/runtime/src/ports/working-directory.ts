import { ConfigurationError } from "../errors.ts";
import { normalizePath } from "./path.ts";
import type { Platform } from "./platform.ts";

/**
 * The absolute working directory of a session. A relative `cwd` starts from the platform's own directory; without
 * `cwd`, it is that directory, or `/` on a platform that has none.
 * @throws {ConfigurationError} for a relative path on a platform without a directory of its own, and for a Windows path
 */
export function workingDirectory(
  cwd: string | undefined,
  platform?: Pick<Platform, "cwd">,
): string {
  const start = platform?.cwd;
  const path = cwd ?? start ?? "/";
  if (path.startsWith("/")) return normalizePath(path);
  if (start?.startsWith("/") && !WINDOWS_PATH.test(path)) return normalizePath(`${start}/${path}`);
  throw new ConfigurationError(`The working directory is not an absolute path: ${path}`, {
    hint: WINDOWS_PATH.test(path)
      ? "Windows paths are not supported. Run in WSL, or give nodePlatform a `root`, and pass a path such as /work."
      : "Pass a path that begins with /, such as /workspace.",
  });
}

/** `C:\work`, `C:/work`, `C:` and `\\server\share`. */
const WINDOWS_PATH = /^(?:[A-Za-z]:(?:[\\/]|$)|\\\\)/;
