/** Speakers around speakers: some members are others, and whatever else the inner one can do, the outer one can. */
import { SendError, type Speaker } from "./adapter.js";

export function speakerWith(speaker: Speaker, members: Partial<Speaker>): Speaker {
  return withMembers(speaker, members);
}

export function withMembers<Inner extends object>(inner: Inner, members: Partial<Inner>): Inner {
  return new Proxy(inner, {
    get(target, name) {
      if (Object.hasOwn(members, name)) return Reflect.get(members, name);
      const part: unknown = Reflect.get(target, name);
      return typeof part === "function" ? part.bind(target) : part;
    },
  });
}

/** One that fails every call from then on, as one that was not sent. */
export function speakerUntil(speaker: Speaker, isOver: () => boolean, title: string): Speaker {
  return new Proxy(speaker, {
    get(target, name) {
      const part: unknown = Reflect.get(target, name);
      if (typeof part !== "function") return part;
      if (name === "live") return part.bind(target);
      return async (...call: unknown[]) => {
        if (isOver()) throw new SendError("retryable", `${title} is not connected.`);
        return part.apply(target, call);
      };
    },
  });
}
