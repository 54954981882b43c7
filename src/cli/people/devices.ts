/** `baton people devices`: the browsers in which people are signed in to the page, and signing them out. */
import type { Device } from "../../gateway/web/devices.js";
import { deviceNamed } from "../../gateway/web/links.js";
import { cleanLine } from "../../util/text.js";
import { counted, relativeTime } from "../../util/words.js";
import type { Cli } from "../cli.js";
import { CliError } from "../failure.js";
import type { OpenPeople } from "../opened.js";
import { whom } from "./who.js";

const SEE_DEVICES = " Run `baton people devices` to see them all.";

export async function listDevices(cli: Cli, options: { json?: boolean }): Promise<void> {
  const { terminal } = cli;
  const open = await cli.openPeople(await cli.loadConfig(), "look");
  try {
    const devices = await open.devices.list(null);
    if (options.json) return terminal.json({ devices: devices.map(deviceJson) });
    if (devices.length === 0) return terminal.line("Nobody is signed in to the page in a browser.");
    const { printTable } = await import("../table.js");
    const now = Date.now();
    await printTable(
      terminal,
      [
        { title: "ID", cell: ({ id }: Device) => id, paint: (text) => terminal.paint.cyan(text) },
        { title: "WHO", cell: ({ identity }) => identity },
        { title: "BROWSER", cell: ({ name }) => name, flexible: true },
        { title: "SIGNED IN", cell: ({ createdAt }) => relativeTime(createdAt, now) },
        { title: "LAST SEEN", cell: ({ seenAt }) => relativeTime(seenAt, now) },
      ],
      devices,
    );
  } finally {
    await open.close();
  }
}

export async function revokeDevices(cli: Cli, which: string, options: { json?: boolean }): Promise<void> {
  const open = await cli.openPeople(await cli.loadConfig(), "change");
  try {
    const gone = await revoked(open, which);
    if (options.json) return cli.terminal.json({ revoked: gone.map(({ id }) => id) });
    const whose = [...new Set(gone.map(({ identity }) => cleanLine(identity)))].join(" and ");
    cli.terminal.line(`Signed ${whose} out of ${counted(gone.length, "browser")}.`);
  } finally {
    await open.close();
  }
}

/** One device by its id, or all of a person, with the links that they have not used. Fails if there is none. */
async function revoked({ people, devices }: OpenPeople, which: string): Promise<readonly Device[]> {
  const device = deviceNamed(await devices.list(null), which);
  if (device) return (await devices.revoke(device.id, null)) ? [device] : [];
  if (!which.includes(":") && !which.startsWith("p_"))
    throw new CliError(
      "device_not_found",
      `No device has the id ${cleanLine(which)}, or more than one begins with it.${SEE_DEVICES}`,
    );
  const who = whom(which);
  const person = (await people.store.list()).find(
    ({ id, identities }) => id === who || identities.some(({ identity }) => identity === who),
  );
  const found = await devices.revokeAll(person?.identities.map(({ identity }) => identity) ?? [who]);
  if (found.length > 0) return found;
  throw new CliError(
    "device_not_found",
    `${cleanLine(which)} is not signed in to the page in any browser.${SEE_DEVICES}`,
  );
}

function deviceJson({ id, identity, name, createdAt, seenAt }: Device) {
  return { id, identity, name: cleanLine(name), createdAt, seenAt };
}
