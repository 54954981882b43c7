/**
 * The page, for a gateway of this process. Its adapter is there before the store is open, because platforms come first; what it
 * answers from comes with the gateway.
 */
import { join } from "node:path";
import type { Adapter } from "./adapter/adapter.js";
import { WebAdapter } from "./adapter/web/adapter.js";
import { LIMITS } from "./adapter/web/limits.js";
import { WEB, WEB_ACCOUNT } from "./adapter/web/web-source.js";
import type { ServedPage } from "./cli/opened-page.js";
import { type Config, mediaFolder } from "./config/config.js";
import { settingsOf } from "./config/settings.js";
import { mediaPath } from "./gateway/media.js";
import type { TerminalGateway } from "./open-gateway.js";
import type { Finding } from "./util/finding.js";
import type { OnProblem } from "./util/problem.js";
import type { Hide } from "./util/redact.js";
import { SignIn } from "./web/sign-in.js";
import { webRoutes } from "./web/web-routes.js";

export interface OpenPageSetting {
  readonly version: string;
  /** What the bundler made of the page. */
  readonly page: string;
  readonly redact: Hide;
  readonly findings: () => Promise<readonly Finding[]>;
  readonly open: (adapters: readonly Adapter[], onProblem: OnProblem) => Promise<TerminalGateway>;
}

export function openPage(config: Config, setting: OpenPageSetting): ServedPage {
  let tellAddress: (address: string) => void = () => {};
  const listening = new Promise<string>((resolve) => {
    tellAddress = resolve;
  });
  let page: Adapter | null = null;
  const adapter: Adapter = {
    platform: WEB,
    account: WEB_ACCOUNT,
    capabilities: LIMITS,
    serve: async (line) => {
      if (!page) throw new Error("The page is served before its gateway is open.");
      await page.serve(line);
    },
  };
  const open: ServedPage["open"] = async (adapters, onProblem) => {
    const opened = await setting.open(adapters, onProblem);
    page = pageOver(config, setting, opened, { onProblem, onUrl: ({ url }) => tellAddress(url) });
    return opened;
  };
  return { adapter, open, listening };
}

/** The adapter, over a gateway that is open. */
function pageOver(
  config: Config,
  { version, page, redact, findings }: OpenPageSetting,
  { gateway, sessions, store, commands }: TerminalGateway,
  { onProblem, onUrl }: { onProblem: OnProblem; onUrl: (place: { readonly url: string }) => void },
): Adapter {
  const { host, port, publicUrl, trustedHeader } = config.web;
  const tls = tlsOf(config);
  const reach = { publicUrl, hasTls: tls !== null, clock: Date.now };
  const { name, proxies } = trustedHeader;
  const trusted = name === null ? null : { name, proxies };
  const { forCommands } = gateway;
  const signIn = new SignIn({ ...reach, store, trustedHeader: trusted, people: forCommands.people });
  const media = mediaFolder(config);
  return new WebAdapter({
    ...{ host, port, publicUrl, tls, page, onUrl },
    posts: store.posts,
    uploads: join(config.home, "uploads"),
    mediaFolder: media,
    signedIn: async (request) => (await signIn.who(request))?.signedIn ?? null,
    routes: (app, hub) =>
      webRoutes(app, hub, signIn, {
        ...reach,
        ...{ sessions, store, findings, redact, onProblem, version },
        gateway: forCommands,
        trustedHeader: trusted,
        commands: commands.table,
        settings: () => settingsOf(config),
        home: config.home,
        pathOf: (file) => mediaPath(media, file),
        startedAt: Date.now(),
      }),
  });
}

function tlsOf({ web: { tls } }: Config): { readonly certFile: string; readonly keyFile: string } | null {
  const { certFile, keyFile } = tls;
  return certFile && keyFile ? { certFile, keyFile } : null;
}
