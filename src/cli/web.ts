/**
 * `baton web`: opens the page in the browser, signed in. If no gateway serves it yet, this one does, until it is stopped. The
 * link is a secret: it is shown to whoever sits here, and never logged.
 */
import type { Config } from "../config/config.js";
import type { WebConfig } from "../config/web.js";
import { TERMINAL } from "../gateway/authorize.js";
import type { People } from "../gateway/people.js";
import { cleanLine } from "../util/text.js";
import { openInBrowser } from "./browser.js";
import type { Cli, StoreUse } from "./cli.js";
import { CliError } from "./failure.js";
import { serveGateway } from "./gateway.js";
import type { PageLinks } from "./opened-page.js";
import { findPerson, withPeople } from "./people/people.js";

interface WebOptions {
  /** False for `--no-open`. */
  readonly open?: boolean;
  readonly port?: number;
  readonly json?: boolean;
  /** Whose link it is, if not that of the person at this machine. */
  readonly for?: string;
}

export async function web(cli: Cli, options: WebOptions): Promise<void> {
  const config = await cli.loadConfig("gateway");
  const identity = await whose(cli, options.for);
  const address = await withLinks(cli, config, "change", (links) => links.address());
  if (address !== null) {
    refusePort(address, options.port);
    return show(cli, config, address, identity, options);
  }
  const { homeHolder } = await import("../gateway/home-lock.js");
  const holder = homeHolder(cli.home, Date.now());
  if (holder) throw withoutPage(cli, config, holder.pid);
  const port = options.port ?? config.web.port;
  const served = { ...config, web: { ...config.web, enabled: true, port } };
  await refuseTaken(served.web);
  await serveGateway(cli, served, {
    isQuiet: options.json === true,
    onPage: (at) => show(cli, served, at, identity, options),
  });
}

/** The person at this machine decides for whom they make a link: only for somebody who has access. */
async function whose(cli: Cli, who: string | undefined): Promise<string> {
  if (who === undefined) return TERMINAL;
  return withPeople(cli, "look", (people) => identityOf(people, who));
}

async function identityOf(people: People, who: string): Promise<string> {
  if (who === TERMINAL || people.listed.has(who)) return who;
  const person = await findPerson(people, who);
  const identity = person.identities.some((each) => each.identity === who)
    ? who
    : person.identities[0]?.identity;
  if (identity !== undefined && people.roleOf(person) !== null) return identity;
  throw new CliError(
    "no_access",
    `${cleanLine(who)} has no access, so a link would let nobody in. Give them access first: \`baton people role ${cleanLine(who)} guest\`.`,
  );
}

async function withLinks<Result>(
  cli: Cli,
  config: Config,
  purpose: StoreUse,
  work: (links: PageLinks) => Promise<Result>,
): Promise<Result> {
  const links = await cli.openPageLinks(config, purpose);
  try {
    return await work(links);
  } finally {
    await links.close();
  }
}

/** Makes a link, and opens it or prints it. */
async function show(
  cli: Cli,
  config: Config,
  address: string,
  identity: string,
  { open = true, json, for: other }: WebOptions,
): Promise<void> {
  const { terminal, environment } = cli;
  const { link, expiresAt } = await withLinks(cli, config, "change", (links) =>
    links.make(identity, address),
  );
  if (json) return terminal.json({ url: address, link, expiresAt: new Date(expiresAt).toISOString() });
  const mayOpen = open && other === undefined && environment.hasBrowser && terminal.isSeen;
  if (mayOpen && (await openInBrowser(link))) {
    terminal.line(`Opened ${address} in your browser.`);
    return terminal.line("Nothing to see? Run `baton web --no-open` and open the link that it prints.");
  }
  const whom = other === undefined ? "" : ` as ${cleanLine(other)}`;
  terminal.line(`Open this link to sign in${whom}. It works once, for ${minutesUntil(expiresAt)} minutes:`);
  terminal.row(link);
}

function minutesUntil(time: number): number {
  return Math.max(1, Math.round((time - Date.now()) / 60_000));
}

function refusePort(address: string, port: number | undefined): void {
  if (port === undefined || new URL(address).port === String(port)) return;
  throw new CliError(
    "page_elsewhere",
    `A running gateway serves the page at ${address}. Leave out --port, or stop that gateway first.`,
  );
}

function withoutPage({ home }: Cli, { web: { enabled, host, port } }: Config, pid: number): CliError {
  const running = `A gateway is running for ${home} (process ${pid})`;
  if (!enabled) {
    return new CliError(
      "page_off",
      `${running}, but it does not serve the page. Run \`baton config set web.enabled true\`, then start the gateway again.`,
    );
  }
  return new CliError(
    "page_off",
    `${running}, but its page is not there yet. If you have just set web.enabled, start the gateway again. Else \`baton logs\` says why it can't listen on ${host}:${port}.`,
  );
}

/** A gateway tries again and again; somebody who waits for the page wants to know at once. */
async function refuseTaken({ host, port }: WebConfig): Promise<void> {
  const { createServer } = await import("node:net");
  const problem = await new Promise<NodeJS.ErrnoException | null>((resolve) => {
    const probe = createServer();
    probe.once("error", resolve);
    probe.listen({ host, port, exclusive: true }, () => probe.close(() => resolve(null)));
  });
  if (problem === null) return;
  throw problem.code === "EADDRINUSE"
    ? new CliError(
        "port_in_use",
        `Another program uses port ${port} on ${host}. Choose another one: \`baton web --port ${port + 1}\`.`,
      )
    : new CliError(
        "cannot_listen",
        `Baton can't listen on ${host}:${port} (${problem.code ?? problem.message}). Check web.host and web.port.`,
      );
}
