import type { FileStat, FileType } from "@robota/runtime/ports";

const letters: Record<FileType, string> = { file: "-", directory: "d", symlink: "l" };

const STICKY = 0o1000;

/** `-rw-r--r--` */
export function permissionsOf({ type, mode }: Pick<FileStat, "type" | "mode">): string {
  const bits = Array.from("rwxrwxrwx", (letter, at) => (mode & (0o400 >> at) ? letter : "-"));
  if (mode & STICKY) bits.push(bits.pop() === "x" ? "t" : "T");
  return letters[type] + bits.join("");
}

/** `2024-01-02 03:04:05.000000000 +0000` */
export function timestampOf(mtimeMs: number): string {
  const time = new Date(mtimeMs).toISOString();
  return `${time.slice(0, 10)} ${time.slice(11, 23)}000000 +0000`;
}
