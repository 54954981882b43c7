/** A folder as it is once this machine was linked to an account. */
import { Credentials } from "../../src/adapter/whatsapp/baileys/credentials.js";

export const NUMBER = "15550000000";

export async function linkedFolder(folder: string): Promise<void> {
  const credentials = new Credentials(folder);
  Object.assign(credentials.creds, {
    me: { id: `${NUMBER}@s.whatsapp.net`, name: "Baton" },
    registered: true,
    // Otherwise the first connection waits for a history that nobody sends.
    accountSyncCounter: 1,
  });
  await credentials.save();
}
