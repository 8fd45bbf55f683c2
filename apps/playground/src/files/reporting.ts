import type { FileSystem } from "@robota/runtime";

/** The same files; every finished change is reported. */
export function reporting(fs: FileSystem, onChange: () => void): FileSystem {
  const report = (change: Promise<void>): Promise<void> => change.finally(onChange);
  return {
    readFile: (...args) => fs.readFile(...args),
    stat: (path) => fs.stat(path),
    lstat: (path) => fs.lstat(path),
    readdir: (...args) => fs.readdir(...args),
    readlink: (path) => fs.readlink(path),
    realpath: (path) => fs.realpath(path),
    writeFile: (...args) => report(fs.writeFile(...args)),
    appendFile: (...args) => report(fs.appendFile(...args)),
    mkdir: (...args) => report(fs.mkdir(...args)),
    remove: (...args) => report(fs.remove(...args)),
    rename: (...args) => report(fs.rename(...args)),
    symlink: (...args) => report(fs.symlink(...args)),
    chmod: (...args) => report(fs.chmod(...args)),
    utimes: (...args) => report(fs.utimes(...args)),
  };
}
