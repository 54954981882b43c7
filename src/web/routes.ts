/**
 * How calls of the page are answered. What holds: nothing is answered before it is known who asks, and that they have access
 * now, with all of the call read; what is for owners is refused to everybody else; and what a call may see comes from
 * `WebAsking`, never from the query.
 */
import {
  answered,
  jsonBody,
  refused,
  signedOut,
  type WebApp,
  type WebContext,
} from "../adapter/web/answers.js";
import { signInRequest } from "../adapter/web/signed-in.js";
import { withBody } from "../adapter/web/with-body.js";
import { ConflictError, InputError, NotFoundError } from "../session/errors.js";
import { isFields } from "../util/json.js";
import { RefusedCall, type WebAsking } from "./asking.js";
import type { WebSetting } from "./setting.js";
import type { SignIn } from "./sign-in.js";

/** What comes with a POST. */
export type GivenFields = Readonly<Record<string, unknown>>;

/** Anything but a response is sent as JSON. */
type RouteAnswer<Asked extends unknown[]> = (asking: WebAsking, ...asked: Asked) => Promise<unknown>;

export class Routes {
  readonly #app: WebApp;
  readonly #setting: Pick<WebSetting, "sessions" | "clock">;
  readonly #signIn: SignIn;

  constructor(app: WebApp, setting: Pick<WebSetting, "sessions" | "clock">, signIn: SignIn) {
    this.#app = app;
    this.#setting = setting;
    this.#signIn = signIn;
  }

  /** For everybody who is signed in. */
  get(path: string, answer: RouteAnswer<[]>): void {
    this.#app.get(path, (context) =>
      this.#answer(async () => {
        const asking = await this.#asking(context);
        return asking ? answer(asking) : signedOut();
      }),
    );
  }

  post(path: string, answer: RouteAnswer<[given: GivenFields]>): void {
    this.#app.post(path, (context) =>
      this.#answer(async () => {
        const asked = await withBody(
          () => this.#asking(context),
          () => givenIn(context),
        );
        return asked ? answer(asked.who, asked.body) : signedOut();
      }),
    );
  }

  /** For owners. */
  getForOwners(path: string, answer: RouteAnswer<[]>): void {
    this.get(path, (asking) => answer(ownersOnly(asking)));
  }

  postForOwners(path: string, answer: RouteAnswer<[given: GivenFields]>): void {
    this.post(path, (asking, given) => answer(ownersOnly(asking), given));
  }

  async #answer(answer: () => Promise<unknown>): Promise<Response> {
    try {
      const body = await answer();
      return body instanceof Response ? body : answered(body);
    } catch (error) {
      return refusalFor(error);
    }
  }

  async #asking(context: WebContext): Promise<WebAsking | null> {
    const here = await this.#signIn.who(signInRequest(context.env.incoming));
    if (!here) return null;
    const { signedIn, who } = here;
    const { req } = context;
    return {
      signedIn,
      who,
      view: this.#setting.sessions.as(who.viewer),
      isOwner: who.role === "owner",
      now: this.#setting.clock(),
      request: req.raw,
      part: (name) => req.param(name) ?? "",
      query: (name) => req.query(name) || null,
    };
  }
}

function ownersOnly(asking: WebAsking): WebAsking {
  if (asking.isOwner) return asking;
  throw new RefusedCall(403, "owners_only", "Only owners can see this.");
}

export async function givenIn(context: WebContext): Promise<GivenFields> {
  const body = await jsonBody(context);
  if (!isFields(body)) throw new RefusedCall(400, "bad_request", "Send a JSON object.");
  return body;
}

/** What people can act on is told; everything else is for the log. */
export function refusalFor(error: unknown): Response {
  if (error instanceof RefusedCall) return refused(error.status, error.code, error.message);
  if (error instanceof NotFoundError) return refused(404, error.code, error.message);
  if (error instanceof InputError) return refused(400, error.code, error.message);
  if (error instanceof ConflictError) return refused(409, error.code, error.message);
  throw error;
}
