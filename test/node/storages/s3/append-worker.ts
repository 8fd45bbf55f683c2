// Appends numbered lines to /log until it is killed, and prints each line that the store has confirmed.
import { s3FileSystem } from "@robota/files-s3";

const [bucketUrl = "", prefix = "", accessKeyId = "", secretAccessKey = "", name = ""] =
  process.argv.slice(2);
const fs = s3FileSystem({ bucketUrl, prefix, credentials: { accessKeyId, secretAccessKey } });
for (let count = 0; ; count++) {
  await fs.appendFile("/log", `${name}-${count}\n`);
  process.stdout.write(`${name}-${count}\n`);
}
