/** The oldest versions of Node that the command and its conversation run on. */
export const OLDEST_NODE = { command: "22.0", conversation: "22.19" } as const;

/** Says what is missing when this Node is too old; `undefined` when it is not. */
export function tooOld(
  part: keyof typeof OLDEST_NODE,
  running: string = process.versions.node,
): string | undefined {
  const oldest = OLDEST_NODE[part];
  if (!isOlder(running, oldest)) return undefined;
  const version = `Node ${oldest.replace(/\.0$/, "")} or newer`;
  return part === "command"
    ? `${version} is needed, and this is ${running}`
    : `The conversation needs ${version}, and this is ${running}`;
}

function isOlder(running: string, oldest: string): boolean {
  const [major = 0, minor = 0] = running.split(".").map(Number);
  const [oldestMajor = 0, oldestMinor = 0] = oldest.split(".").map(Number);
  return major < oldestMajor || (major === oldestMajor && minor < oldestMinor);
}
