import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { exportZip, MemoryFileSystem } from "@robota/runtime/virtual";
import type { Locator, Page } from "playwright";
import { onTestFinished } from "vitest";

/** A folder of the machine with these files. */
export async function newFolder(files: Readonly<Record<string, string>>): Promise<string> {
  const parent = await mkdtemp(join(tmpdir(), "robota-folder-"));
  onTestFinished(() => rm(parent, { recursive: true, force: true }));
  const folder = join(parent, "project");
  for (const [path, text] of Object.entries(files)) {
    await mkdir(join(folder, path, ".."), { recursive: true });
    await writeFile(join(folder, path), text);
  }
  return folder;
}

/** A zip whose one file lies above the place where it is unpacked. */
export async function hostileZip(): Promise<Buffer> {
  const fs = new MemoryFileSystem({ files: { "/xx/evil.txt": "evil" } });
  const zip = Buffer.from(await new Response(exportZip(fs, "/xx")).arrayBuffer());
  for (let at = zip.indexOf("xx/evil"); at >= 0; at = zip.indexOf("xx/evil")) zip.write("..", at);
  return zip;
}

/** Drags a folder from the desktop onto `target`. */
export async function dragOnto(page: Page, target: Locator, path: string): Promise<void> {
  const box = await target.boundingBox();
  const session = await page.context().newCDPSession(page);
  const send = (type: "dragEnter" | "dragOver" | "drop"): Promise<unknown> =>
    session.send("Input.dispatchDragEvent", {
      type,
      x: (box?.x ?? 0) + 40,
      y: (box?.y ?? 0) + 60,
      data: { items: [], files: [path], dragOperationsMask: 1 },
    });
  await send("dragEnter");
  await send("dragOver");
  await page.getByText("Drop to import into this workspace").waitFor();
  await send("drop");
}

/** Answers the file dialog that `open` brings up. Large files are given by their paths, and read by the browser itself. */
export async function choose(
  page: Page,
  open: () => Promise<void>,
  file: string | { name: string; mimeType: string; buffer: Buffer },
): Promise<void> {
  const [chooser] = await Promise.all([page.waitForEvent("filechooser"), open()]);
  await chooser.setFiles(file);
}
