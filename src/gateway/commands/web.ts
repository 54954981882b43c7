/** `/web` signs a person in to the page in the browser, as who they are in this chat. Only in private: a link is a secret. */
import { aliasOf } from "../../session/access.js";
import { cleanLine, shorten } from "../../util/text.js";
import { counted, relativeTime } from "../../util/words.js";
import { senderOf } from "../authorize.js";
import { deviceNamed, makeLink, pageAddress } from "../web/links.js";
import type { AgentInfo } from "./agent-info.js";
import { type Command, type CommandCall, fixedWords } from "./commands.js";
import { IN_PRIVATE } from "./people.js";

const NOT_SERVED =
  "The page is not running now. On my machine, run `baton web`, or set `web.enabled` and restart the gateway. Then send /web again.";
const ONLY_HERE =
  "It works only in a browser on the machine that I run on. To reach the page from elsewhere, set `web.publicUrl`.";
const LONGEST_NAME = 60;

export function web({ clock }: AgentInfo): Command {
  return {
    name: "web",
    usage: "[devices|sign-out <device>]",
    completes: fixedWords({
      devices: "list the browsers in which you are signed in",
      "sign-out ": "sign out a browser by its id, or all",
      "sign-out all": "sign out all your browsers",
    }),
    description: "get a link that signs you in to the page in the browser",
    details:
      "The link is valid for five minutes and works once. Whoever opens it is signed in as you, so give it to nobody. " +
      "`/web devices` lists the browsers in which you are signed in; `/web sign-out` and an id, or `all`, signs them out.",
    async run(call) {
      const { item, words } = call;
      if (item.source.chatType !== "dm") return IN_PRIVATE;
      if (words === "") return showLink(call, clock());
      if (words.toLowerCase() === "devices") return list(call, clock());
      const [, which] = /^sign-?out\s+(\S+)$/i.exec(words) ?? [];
      if (which === undefined) return "Send /web, /web devices, or `/web sign-out` with an id or `all`.";
      return which.toLowerCase() === "all" ? signOutAll(call) : signOut(call, which);
    },
  };
}

/** Sent, but not stored: a link is nowhere in the store. */
async function showLink({ item, gateway }: CommandCall, now: number): Promise<string> {
  const identity = senderOf(item.source);
  if (identity === null) return "I can't tell who you are here.";
  const page = await pageAddress(gateway.handoffs.places.served, gateway.accounts);
  if (page === null) return NOT_SERVED;
  const whose = { identity, alias: aliasOf(item.source), called: item.source.userName ?? null };
  const link = await makeLink(gateway.devices, page, whose, now);
  const text = [
    `<${link}>`,
    "This link signs you in to the page. It is valid for five minutes and works once. Whoever opens it is signed in as you, so give it to nobody.",
    ...(page.isLocal ? [ONLY_HERE] : []),
  ].join("\n\n");
  await gateway.say(item, text);
  return "";
}

async function list({ who, gateway }: CommandCall, now: number): Promise<string> {
  const devices = await gateway.devices.list(who.identities);
  if (devices.length === 0) return "You are signed in in no browser. /web gives you a link to sign in.";
  const lines = devices.map(({ id, name, seenAt }) => {
    const called = shorten(cleanLine(name), LONGEST_NAME) || "a browser";
    return `- \`${cleanLine(id)}\`: ${called}, last seen ${relativeTime(seenAt, now)}`;
  });
  return [
    `You are signed in in ${counted(devices.length, "browser")}:`,
    ...lines,
    "To sign one out, send `/web sign-out` and its id.",
  ].join("\n");
}

async function signOut({ who, gateway: { devices } }: CommandCall, which: string): Promise<string> {
  const device = deviceNamed(await devices.list(who.identities), which);
  if (!device || !(await devices.revoke(device.id, who.identities)))
    return "No browser of yours has this id, or more than one begins with it. Send /web devices to list yours.";
  return "Signed out.";
}

async function signOutAll({ who, gateway: { devices } }: CommandCall): Promise<string> {
  const gone = await devices.revokeAll(who.identities);
  const said =
    gone.length === 0 ? "You are signed in in no browser" : `Signed out ${counted(gone.length, "browser")}`;
  return `${said}. Links that you did not use are no longer valid.`;
}
