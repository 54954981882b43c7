/** An adapter that says no known secret: what is sent, edited, looked for or made a title of is cleaned before. */
import type { Hide } from "../util/redact.js";
import type { Adapter, OutboundMessage } from "./adapter.js";

export function hidingAdapter(adapter: Adapter, hide: Hide): Adapter {
  const clean = (message: OutboundMessage): OutboundMessage => ({ ...message, text: hide(message.text) });
  const { edit, find, createThread } = adapter;
  const hiding: Partial<Adapter> = {
    send: (message) => adapter.send(clean(message)),
    ...(edit ? { edit: (message, messageId) => edit.call(adapter, clean(message), messageId) } : {}),
    ...(find ? { find: (message) => find.call(adapter, clean(message)) } : {}),
    ...(createThread
      ? {
          createThread: (parent, title, person, once) =>
            createThread.call(adapter, parent, hide(title), person, once),
        }
      : {}),
  };
  // Whatever else an adapter can do, it can do here as well.
  return new Proxy(adapter, {
    get(target, name) {
      if (Object.hasOwn(hiding, name)) return Reflect.get(hiding, name);
      const part: unknown = Reflect.get(target, name);
      return typeof part === "function" ? part.bind(target) : part;
    },
  });
}
