/**
 * Linking this machine to an account: a person scans a QR code with the account's phone, or types a code there. Nothing is
 * written before the phone has said yes, so a link that was begun and left leaves no trace.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { ConnectError } from "../../adapter.js";
import type { BaileysSettings } from "./config.js";
import { Credentials } from "./credentials.js";
import { endingOf } from "./failure.js";
import { personOf } from "./ids.js";
import { inBlackAndWhite, qrLines } from "./qr.js";
import { hush } from "./quiet.js";
import { openWire } from "./wire.js";

const MOST_TRIES = 5;
const PAUSE_MS = 1_000;

/** `columns`: how wide the terminal is; 0 if nobody sees pictures there. */
export async function link(
  settings: BaileysSettings,
  say: (line: string) => void,
  end: AbortSignal,
  columns: number,
  draw: (qr: string) => readonly string[] = qrLines,
): Promise<void> {
  const speak = hush();
  /** WhatsApp gives another one after a while. */
  const showQr = (qr: string, isFirst: boolean): void => {
    const lines = draw(qr);
    const width = lines[0]?.length ?? 0;
    if (columns >= width) sayQr(lines, say);
    else if (isFirst && columns > 0)
      say(`For a QR code, make this window ${width} columns wide and run the command again.`);
  };
  let credentials = await Credentials.open(settings.folder);
  try {
    if (credentials) {
      const linked = personOf(credentials.creds.me?.id);
      if (linked !== digitsOf(settings))
        throw new ConnectError(
          "permanent",
          `this machine is linked to ${linked ?? "another account"}: unlink it on that phone, and delete ${settings.folder}.`,
        );
      if (await connects(settings, credentials, say, end))
        return say("This machine is linked to the account already.");
      say("The account has unlinked this machine. Baton links it again.");
      await credentials.forget();
    }
    credentials = await paired(settings, say, end, showQr);
    if (!(await connects(settings, credentials, say, end)))
      throw new ConnectError("permanent", "the account has taken the link back: try again.");
    say("Linked. Start `baton gateway`.");
  } finally {
    await credentials?.close();
    speak();
  }
}

function sayQr(lines: readonly string[], say: (line: string) => void): void {
  say("On the account's phone open WhatsApp → Linked devices → Link a device, and scan this:");
  say("");
  for (const line of lines) say(inBlackAndWhite(line));
  say("");
}

function digitsOf({ number }: BaileysSettings): string {
  return number.replace(/^\+/, "");
}

/** The credentials of a device that the account has taken, written down. */
async function paired(
  settings: BaileysSettings,
  say: (line: string) => void,
  end: AbortSignal,
  showQr: (qr: string, isFirst: boolean) => void,
): Promise<Credentials> {
  const credentials = new Credentials(settings.folder);
  let isLinked = false;
  let hasCode = false;
  const wire = openWire(
    settings,
    credentials,
    {
      messages: () => {},
      unlinked: (socket, qr) => {
        showQr(qr, !hasCode);
        if (hasCode) return;
        hasCode = true;
        socket.requestPairingCode(digitsOf(settings)).then(
          (code) => {
            say("On the account's phone open WhatsApp → Linked devices → Link a device →");
            say("“Link with phone number instead”, and type this code:");
            say("");
            say(`    ${code.slice(0, 4)}-${code.slice(4)}`);
            say("");
          },
          (error: Error) => void socket.end(error),
        );
      },
      linked: () => {
        isLinked = true;
      },
    },
    false,
  );
  const stop = (): void => wire.close();
  end.addEventListener("abort", stop);
  const reason = await wire.closed;
  end.removeEventListener("abort", stop);
  if (end.aborted) throw new ConnectError("retryable", "the link was given up.");
  if (!isLinked) {
    const { kind, reason: words } = endingOf(reason);
    throw new ConnectError(
      kind === "failed" ? "permanent" : "retryable",
      `the account was not linked: ${words} Nothing was written; try again.`,
    );
  }
  const scannedBy = personOf(credentials.creds.me?.id);
  if (scannedBy !== digitsOf(settings))
    throw new ConnectError(
      "permanent",
      `the phone of ${scannedBy ?? "another account"} scanned the code. Remove this machine there under Linked devices, and use the phone of ${settings.number}. Nothing was written.`,
    );
  await credentials.save();
  return credentials;
}

/** Whether WhatsApp lets this device in; false where it does not know it any more. */
async function connects(
  settings: BaileysSettings,
  credentials: Credentials,
  say: (line: string) => void,
  end: AbortSignal,
): Promise<boolean> {
  for (let tries = 1; ; tries += 1) {
    const wire = openWire(settings, credentials, { messages: () => {} });
    const stop = (): void => wire.close();
    end.addEventListener("abort", stop);
    const ended = await Promise.race([wire.opened.then(() => null), wire.closed.then(endingOf)]);
    end.removeEventListener("abort", stop);
    wire.close();
    if (ended === null) return true;
    if (end.aborted) throw new ConnectError("retryable", "the link was given up.");
    if (ended.kind === "failed") {
      if (ended.isUnlinked) return false;
      throw new ConnectError("permanent", ended.reason);
    }
    if (tries === MOST_TRIES) throw new ConnectError("retryable", ended.reason);
    if (!ended.atOnce) {
      say(`WhatsApp is tried again: ${ended.reason}`);
      await sleep(PAUSE_MS, undefined, { signal: end });
    }
  }
}
