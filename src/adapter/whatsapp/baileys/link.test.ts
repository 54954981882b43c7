import { existsSync } from "node:fs";
import { readdir, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { NUMBER } from "../../../../test/support/whatsapp-device.js";
import { WhatsAppWeb } from "../../../../test/support/whatsapp-web.js";
import { KeptAdapter } from "../../../testing/kept-adapter.js";
import { BaileysAdapter } from "./adapter.js";
import { link } from "./link.js";

describe("linking this machine", () => {
  let world: WhatsAppWeb;
  let said: string[];
  let end: AbortController;
  const until = (holds: () => boolean) => vi.waitUntil(holds, { interval: 5, timeout: 20_000 });
  const linking = (columns = 0) =>
    link(
      world.settings,
      (line) => said.push(line),
      end.signal,
      columns,
      (qr) => [qr],
    );
  const code = () => said.map((line) => /^ {4}(\w{4})-(\w{4})$/.exec(line)).find(Boolean);
  const typed = async (): Promise<string> => {
    await until(() => code() !== undefined && world.phone.asked !== null);
    const [, first = "", second = ""] = code() ?? [];
    return first + second;
  };
  const folder = () => world.settings.folder;

  beforeEach(async () => {
    world = await WhatsAppWeb.open();
    said = [];
    end = new AbortController();
  });
  afterEach(() => world.close());

  it("shows a code, and is done when it was typed on the phone; then the gateway connects", async () => {
    await rm(folder(), { recursive: true });
    const done = linking();
    await world.phone.type(await typed());
    await done;
    expect(world.phone.asked).toBe(`${NUMBER}@s.whatsapp.net`);
    expect(world.phone.isLinked).toBe(true);
    expect(said.at(-1)).toContain("Linked");
    const adapter = new KeptAdapter(new BaileysAdapter(world.settings));
    await adapter.connect();
    const address = { platform: "whatsapp", chatId: "15551234567" };
    await adapter.send({ address, text: "from the new device", deliveryId: "1" });
    await adapter.disconnect();
    expect(world.sent).toHaveLength(1);
  });

  const QR = /2@first,[\w+/=,]*/;
  const shownQr = async (): Promise<string> => {
    await until(() => QR.test(said.join("\n")));
    return QR.exec(said.join("\n"))?.[0] ?? "";
  };

  it("shows a QR code too, and is done when the phone has scanned it", async () => {
    await rm(folder(), { recursive: true });
    const done = linking(500);
    world.phone.scan(await shownQr());
    await done;
    expect(world.phone.isLinked).toBe(true);
    expect(said.at(-1)).toContain("Linked");
  });

  it("keeps no link of a phone with another number", async () => {
    await rm(folder(), { recursive: true });
    const done = linking(500);
    done.catch(() => {});
    world.phone.scan(await shownQr(), "15559999999");
    await expect(done).rejects.toThrow("15559999999");
    expect(existsSync(join(folder(), "credentials.json"))).toBe(false);
  });

  it("says how wide the terminal must be, if it is too narrow for the QR code", async () => {
    await rm(folder(), { recursive: true });
    const done = linking(20);
    done.catch(() => {});
    await typed();
    expect(said.join("\n")).toMatch(/make this window \d+ columns wide/);
    expect(said.join("\n")).not.toMatch(QR);
    end.abort();
    await expect(done).rejects.toThrow("given up");
  });

  it("writes nothing before the phone said yes", async () => {
    await rm(folder(), { recursive: true });
    const done = linking();
    done.catch(() => {});
    await typed();
    expect(existsSync(join(folder(), "credentials.json"))).toBe(false);
    world.phone.hangUp();
    await expect(done).rejects.toThrow("Nothing was written");
    expect(existsSync(join(folder(), "credentials.json"))).toBe(false);
  });

  it("can be given up", async () => {
    await rm(folder(), { recursive: true });
    const done = linking();
    done.catch(() => {});
    await typed();
    end.abort();
    await expect(done).rejects.toThrow("given up");
  });

  it("leaves a link that holds as it is", async () => {
    const before = await readFile(join(folder(), "credentials.json"), "utf8");
    await linking();
    expect(said).toEqual([expect.stringContaining("already")]);
    const { noiseKey } = JSON.parse(before);
    expect(JSON.parse(await readFile(join(folder(), "credentials.json"), "utf8")).noiseKey).toEqual(noiseKey);
  });

  it("replaces a link that the account took back", async () => {
    world.refusedLogin = "401";
    const done = linking();
    const given = await typed();
    world.refusedLogin = null;
    await world.phone.type(given);
    await done;
    expect(said.join("\n")).toContain("links it again");
    expect(await readdir(folder())).toContain("credentials.json");
  });

  it.each(["440", "403", "503"])(
    "deletes no link where WhatsApp only says no for now: %s",
    async (reason) => {
      const before = await readFile(join(folder(), "credentials.json"), "utf8");
      world.refusedLogin = reason;
      await expect(linking()).rejects.toThrow();
      expect(await readFile(join(folder(), "credentials.json"), "utf8")).toBe(before);
    },
  );

  it("does not take the link of another number away", async () => {
    const settings = { ...world.settings, number: "+15559999999" };
    await expect(link(settings, () => {}, end.signal, 0)).rejects.toThrow(NUMBER);
    expect(await readdir(folder())).toContain("credentials.json");
  });
});
