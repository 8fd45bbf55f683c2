// Built-in modules come from `process.getBuiltinModule` (Node 22.3, and before `execve`): `import` would also load the parts that
// only their other exports need, and a start loads this twice.

/** Variable with the location of the restarted program's environment, and the key to it. */
const HANDED_OVER = "ROBOTA_HANDED_OVER";

/** Variables that Node, the dynamic loader and the terminal read at process start. None is a secret. */
const KEPT = new Set(
  (
    "HOME LANG LANGUAGE LC_ALL LC_CTYPE LOGNAME PATH SHELL TERM TMPDIR USER TZ CI NO_COLOR FORCE_COLOR COLORTERM " +
    "NODE_OPTIONS NODE_PATH NODE_EXTRA_CA_CERTS NODE_ICU_DATA NODE_NO_WARNINGS NODE_REDIRECT_WARNINGS " +
    "NODE_V8_COVERAGE NODE_COMPILE_CACHE NODE_DISABLE_COLORS NODE_USE_ENV_PROXY NODE_USE_SYSTEM_CA " +
    "UV_THREADPOOL_SIZE UV_USE_IO_URING OPENSSL_CONF SSL_CERT_FILE SSL_CERT_DIR LD_LIBRARY_PATH LD_PRELOAD " +
    "DYLD_LIBRARY_PATH DYLD_INSERT_LIBRARIES MALLOC_ARENA_MAX"
  ).split(" "),
);

/**
 * Hides this program's keys from the commands that it runs. Their own environment lacks them, but any program of the
 * same user can read a process's initial environment, as in `/proc/$PPID/environ`. So this process replaces itself by
 * the same program with a nearly empty environment, and reads the rest from a file, which it removes. The file is
 * useless without a key that only the new environment holds, and the key without the file.
 *
 * `process.env` is restored. Does nothing where there is nothing to hide, and where Node can't replace a process
 * (before 22.15, and on Windows). Returns why it can't hide what it should, for a person.
 */
export function handOverEnvironment(): string | undefined {
  try {
    const handed = process.env[HANDED_OVER];
    delete process.env[HANDED_OVER];
    if (handed === undefined) beginAnew();
    else Object.assign(process.env, takeOver(handed));
    return undefined;
  } catch (error) {
    const { tmpdir } = process.getBuiltinModule("node:os");
    const reason = error instanceof Error && "code" in error ? error.code : error;
    return `Its variables can't be hidden from commands: ${String(reason)}
They go through a file in ${tmpdir()}: make room there, or set TMPDIR to a directory that you may write to.`;
  }
}

/** Replaces the process, where there is something to hide. */
function beginAnew(): void {
  const all = Object.entries(process.env);
  const hidden = Object.fromEntries(all.filter(([name]) => !KEPT.has(name)));
  if (!process.execve || Object.keys(hidden).length === 0) return;
  const kept = Object.fromEntries(all.filter(([name]) => KEPT.has(name)));
  const args = [process.execPath, ...process.execArgv, ...process.argv.slice(1)];
  process.execve(process.execPath, args, { ...kept, [HANDED_OVER]: putAside(hidden) });
}

function putAside(environment: NodeJS.ProcessEnv): string {
  const { createCipheriv, randomBytes } = process.getBuiltinModule("node:crypto");
  const { mkdtempSync, rmSync, writeFileSync } = process.getBuiltinModule("node:fs");
  const { tmpdir } = process.getBuiltinModule("node:os");
  const path = process.getBuiltinModule("node:path");
  const key = randomBytes(32);
  const nonce = randomBytes(12);
  const cipher = createCipheriv("aes-256-gcm", key, nonce);
  const text = cipher.update(JSON.stringify(environment), "utf8");
  const sealed = Buffer.concat([nonce, text, cipher.final(), cipher.getAuthTag()]);
  const directory = mkdtempSync(path.join(tmpdir(), "robota-"));
  const file = path.join(directory, "environment");
  try {
    writeFileSync(file, sealed, { mode: 0o600, flag: "wx" });
  } catch (error) {
    rmSync(directory, { recursive: true });
    throw error;
  }
  return `${key.toString("hex")}:${file}`;
}

function takeOver(handed: string): Record<string, string> {
  const { createDecipheriv } = process.getBuiltinModule("node:crypto");
  const { readFileSync, rmdirSync, unlinkSync } = process.getBuiltinModule("node:fs");
  const path = process.getBuiltinModule("node:path");
  const at = handed.indexOf(":");
  const file = handed.slice(at + 1);
  const sealed = readFileSync(file);
  unlinkSync(file);
  rmdirSync(path.dirname(file));
  const key = Buffer.from(handed.slice(0, at), "hex");
  const decipher = createDecipheriv("aes-256-gcm", key, sealed.subarray(0, 12));
  decipher.setAuthTag(sealed.subarray(-16));
  const text = Buffer.concat([decipher.update(sealed.subarray(12, -16)), decipher.final()]);
  // Sealed by this very program, a moment ago.
  return JSON.parse(text.toString()) as Record<string, string>;
}
