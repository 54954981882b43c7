// Writes credentials over and over, until it is killed; says each number once it was written.
import { Credentials } from "../../dist/adapter/whatsapp/baileys/credentials.js";

const credentials = await Credentials.open(process.argv[2]);
process.on("disconnect", () => process.exit(0));
for (let n = 1; ; n++) {
  credentials.creds.nextPreKeyId = n;
  // Long enough that a write in place would be caught half done.
  credentials.creds.additionalData = { filler: `${n}`.repeat(20_000) };
  await Promise.all([
    credentials.save(),
    credentials.keys.set({ session: { ann: Buffer.alloc(20_000, n) } }),
  ]);
  process.send(n);
}
