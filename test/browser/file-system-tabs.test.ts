import { BrowserFileSystem, type PathChange } from "@robota/adapters-web";
import { beforeEach, expect, it, onTestFinished, vi } from "vitest";

// Two file systems of one page share a workspace as two tabs do: by Web Locks and a BroadcastChannel, and nothing else.
let workspace: string;
const text = (bytes: Uint8Array): string => new TextDecoder().decode(bytes);

beforeEach(() => {
  workspace = crypto.randomUUID();
});

function openTab(options: { ownerTimeoutMs?: number } = {}): BrowserFileSystem {
  const fs = new BrowserFileSystem(workspace, options);
  onTestFinished(() => fs.dispose());
  return fs;
}

async function openPair(): Promise<[owner: BrowserFileSystem, follower: BrowserFileSystem]> {
  const [owner, follower] = [openTab(), openTab()];
  await owner.stat("/");
  await follower.stat("/");
  expect([owner.role, follower.role]).toEqual(["owner", "follower"]);
  return [owner, follower];
}

it("shows the second tab the first one's writes, before and after it opened", async () => {
  const owner = openTab();
  await owner.writeFile("/before", "1");
  const follower = openTab();
  expect(text(await follower.readFile("/before"))).toBe("1");
  await owner.writeFile("/after", "2");
  await vi.waitFor(async () => expect(text(await follower.readFile("/after"))).toBe("2"));
  await owner.rename("/after", "/moved");
  await owner.remove("/before");
  await vi.waitFor(async () => {
    expect((await follower.readdir("/")).map(({ name }) => name)).toEqual(["moved"]);
  });
});

it("forwards a follower's changes to the owner, and shows them to it at once", async () => {
  const [owner, follower] = await openPair();
  await follower.mkdir("/a/b", { recursive: true });
  await follower.writeFile("/a/b/file", "from the second tab");
  await follower.appendFile("/a/b/file", "!");
  await follower.symlink("b/file", "/a/link");
  await follower.chmod("/a/b/file", 0o600);
  await follower.utimes("/a/b/file", 5000);
  await follower.rename("/a/b", "/a/c");

  for (const fs of [owner, follower]) {
    expect(text(await fs.readFile("/a/c/file"))).toBe("from the second tab!");
    expect(await fs.stat("/a/c/file")).toMatchObject({ mode: 0o600, mtimeMs: 5000 });
    expect(await fs.readlink("/a/link")).toBe("b/file");
  }
  await follower.remove("/a", { recursive: true });
  expect(await follower.readdir("/")).toEqual([]);
  expect(await owner.readdir("/")).toEqual([]);
});

it("reports the owner's errors to a follower", async () => {
  const [owner, follower] = await openPair();
  await expect(follower.writeFile("/no/file", "x")).rejects.toMatchObject({
    name: "FileSystemError",
    code: "ENOENT",
    path: "/no/file",
  });
  await owner.mkdir("/d");
  await expect(follower.mkdir("/d")).rejects.toMatchObject({ code: "EEXIST" });
});

it("reads complete files while the other tab replaces them", async () => {
  const [owner, follower] = await openPair();
  const versions = ["a", "b", "c"].map((letter, index) => letter.repeat(100_000 * (index + 1)));
  await owner.writeFile("/file", versions[0]!);
  let isWriting = true;
  const write = async (): Promise<void> => {
    for (let round = 0; round < 40; round++) {
      await owner.writeFile("/next", versions[round % 3]!);
      await owner.rename("/next", "/file");
    }
    isWriting = false;
  };
  const read = async (): Promise<number> => {
    let reads = 0;
    await vi.waitFor(() => follower.readFile("/file"));
    for (; isWriting; reads++) {
      expect(versions).toContain(text(await follower.readFile("/file")));
    }
    return reads;
  };
  const [reads] = await Promise.all([read(), write()]);
  expect(reads).toBeGreaterThan(3);
});

it("reads complete small files while the other tab writes, extends and replaces them", async () => {
  const [owner, follower] = await openPair();
  const large = "large".repeat(5_000);
  const states = ["one", "one, more", large, `${large}, more`, "two", "two, more"];
  await owner.writeFile("/file", "one");
  let isWriting = true;
  const write = async (): Promise<void> => {
    for (let round = 0; round < 20; round++) {
      for (const text of ["one", large, "two"]) {
        if (round % 3 === 0) {
          await owner.writeFile("/next", text);
          await owner.rename("/next", "/file");
        } else {
          await owner.writeFile("/file", text);
        }
        if (round % 2 === 0) await owner.appendFile("/file", ", more");
      }
    }
    isWriting = false;
  };
  const read = async (): Promise<void> => {
    await vi.waitFor(() => follower.readFile("/file"));
    while (isWriting) expect(states).toContain(text(await follower.readFile("/file")));
  };
  await Promise.all([read(), write()]);
  await vi.waitFor(async () => expect(text(await follower.readFile("/file"))).toBe("two"));
});

it("takes over with all stored data when the owner closes", async () => {
  const [owner, follower] = await openPair();
  await owner.writeFile("/file", "1");
  await owner.dispose();
  await follower.appendFile("/file", "2");
  expect(text(await follower.readFile("/file"))).toBe("12");
  expect(follower.role).toBe("owner");

  const third = openTab();
  await third.appendFile("/file", "3");
  expect(text(await follower.readFile("/file"))).toBe("123");
});

it("makes a change once that was requested while the owner closed", async () => {
  const [owner, follower] = await openPair();
  const third = openTab();
  await third.stat("/");
  const leaving = owner.dispose();
  const appends = Array.from({ length: 20 }, (_, index) =>
    (index % 2 ? follower : third).appendFile("/log", `${index},`),
  );
  await leaving;
  await Promise.all(appends);
  const numbers = text(await third.readFile("/log"))
    .split(",")
    .slice(0, -1)
    .map(Number);
  expect(numbers.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 20 }, (_, n) => n));
});

it("reports an unresponsive owner, and still reads", async () => {
  const owner = openTab();
  await owner.writeFile("/file", "x");
  await owner.dispose();
  const silent = Promise.withResolvers<void>();
  await new Promise<void>((held) => {
    void navigator.locks.request(`robota-fs:${workspace}`, () => {
      held();
      return silent.promise;
    });
  });

  const follower = openTab({ ownerTimeoutMs: 100 });
  expect(text(await follower.readFile("/file"))).toBe("x");
  const refusal: unknown = await follower.writeFile("/file", "y").catch((error: unknown) => error);
  expect(refusal).toMatchObject({ code: "EBUSY", recoverable: true });
  expect(refusal).toHaveProperty("hint", expect.stringMatching(/tab/));
  silent.resolve();
  await vi.waitFor(() => expect(follower.role).toBe("owner"));
  expect(text(await follower.readFile("/file"))).toBe("x");
  await follower.writeFile("/file", "z");
});

it("becomes a follower when its lock is stolen", async () => {
  const owner = openTab({ ownerTimeoutMs: 100 });
  await owner.writeFile("/file", "x");
  const thief = Promise.withResolvers<void>();
  await new Promise<void>((held) => {
    void navigator.locks.request(`robota-fs:${workspace}`, { steal: true }, () => {
      held();
      return thief.promise;
    });
  });
  await vi.waitFor(() => expect(owner.role).toBe("follower"));
  await expect(owner.writeFile("/file", "y")).rejects.toMatchObject({ code: "EBUSY" });
  thief.resolve();
  await vi.waitFor(() => expect(owner.role).toBe("owner"));
  await owner.writeFile("/file", "z");
});

it("notifies every tab of stored changes, in order", async () => {
  const [owner, follower] = await openPair();
  const seen: Record<"owner" | "follower", PathChange[]> = { owner: [], follower: [] };
  const stop = owner.watch((changes) => seen.owner.push(...changes));
  follower.watch((changes) => seen.follower.push(...changes));

  await owner.mkdir("/d");
  await follower.writeFile("/d/file", "x");
  await owner.appendFile("/d/file", "y");
  await follower.rename("/d", "/e");
  await owner.symlink("e", "/link");
  await owner.remove("/link/file");
  await expect(owner.mkdir("/e")).rejects.toThrow("EEXIST");

  const expected: PathChange[] = [
    { type: "create", path: "/d" },
    { type: "create", path: "/d/file" },
    { type: "change", path: "/d/file" },
    { type: "remove", path: "/d" },
    { type: "create", path: "/e" },
    { type: "create", path: "/link" },
    { type: "remove", path: "/e/file" },
  ];
  await vi.waitFor(() => expect(seen.follower).toEqual(expected));
  expect(seen.owner).toEqual(expected);

  stop();
  await owner.writeFile("/unseen", "x");
  await vi.waitFor(() => expect(seen.follower).toHaveLength(8));
  expect(seen.owner).toHaveLength(7);
});
