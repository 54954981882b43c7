/** `baton web`. */
import { wholeNumber } from "../options.js";
import { whom } from "../people/who.js";
import { JSON_FLAG, type Verb } from "../verb.js";

export const web: Verb = {
  name: "web",
  description: "open the page in your browser: chats, and what the gateway does",
  options: [
    { flags: "--no-open", description: "print the link, and open no browser" },
    {
      flags: "--port <number>",
      description: "listen at this port, if no gateway serves the page yet (default: `web.port`)",
      parse: wholeNumber(65_535),
    },
    {
      flags: "--for <who>",
      description:
        "make a link for somebody else who has access: their id in people list, or <platform>:<user id>",
      parse: whom,
    },
    { ...JSON_FLAG, description: "print JSON with the page's url, the link and expiresAt, for programs" },
  ],
  notes:
    "If no gateway serves the page yet, this command runs one, until you press Ctrl-C. The link signs you in once, within five minutes: do not pass it on. Over SSH, or without a display, it is printed instead of opened.",
  examples: ["web", "web --no-open"],
  run: async () => (await import("../web.js")).web,
};
