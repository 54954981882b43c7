/** Signing in and out, and who one is: POST /api/enter, GET /api/me, POST /api/leave. */
import { answered, refused, type WebApp } from "../adapter/web/answers.js";
import { signInRequest } from "../adapter/web/signed-in.js";
import { partsOfIdentity } from "../session/access.js";
import { platforms, platformTraits } from "../session/platform.js";
import { cleanLine } from "../util/text.js";
import type { WebAsking } from "./asking.js";
import { givenIn, type Routes, refusalFor } from "./routes.js";
import type { WebSetting } from "./setting.js";
import type { SignIn } from "./sign-in.js";
import type { WireMe } from "./wire.js";
import { WrongTries } from "./wrong-tries.js";

type EnteringSetting = Pick<WebSetting, "commands" | "version" | "clock">;

export function enteringRoutes(app: WebApp, routes: Routes, signIn: SignIn, setting: EnteringSetting): void {
  const wrong = new WrongTries(setting.clock);

  app.post("/api/enter", async (context) => {
    try {
      const request = signInRequest(context.env.incoming);
      const address = request.remoteAddress ?? "";
      if (wrong.isLocked(address))
        return refused(429, "too_many_tries", "Too many links were wrong. Wait a minute, then try again.", {
          "retry-after": "60",
        });
      wrong.count(address);
      const { key } = await givenIn(context);
      const cookie = await signIn.enter(key, request);
      if (cookie !== null) {
        wrong.forgive(address);
        return answered({}, { "set-cookie": cookie });
      }
      return refused(
        403,
        "link_over",
        "This link was used already, or its five minutes are over. Get a new one.",
      );
    } catch (error) {
      return refusalFor(error);
    }
  });

  app.post("/api/leave", async (context) => {
    const cookie = await signIn.leave(signInRequest(context.env.incoming));
    return answered({}, { "set-cookie": cookie });
  });

  routes.get("/api/me", async (asking) => meOf(asking, setting));
}

function meOf({ signedIn, who }: WebAsking, { commands, version }: EnteringSetting): WireMe {
  const { identity, device, name } = signedIn;
  const shown = platforms().filter((platform) => platformTraits(platform).isInternal !== true);
  return {
    name: cleanLine(name ?? "") || (partsOfIdentity(identity)?.id ?? identity),
    identity,
    role: who.role,
    device,
    version,
    commands: commands.map(({ name, usage, description }) => ({ name, usage, description })),
    platforms: Object.fromEntries(shown.map((platform) => [platform, platformTraits(platform).title])),
  };
}
