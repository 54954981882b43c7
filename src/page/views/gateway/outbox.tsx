/**
 * Messages that wait to be sent, that could not be sent, and that may have arrived. Somebody decides about the last two: to
 * send them again, or to drop them. Only the first decision counts.
 */
import type { WireDelivery } from "../../../web/wire.js";
import { post } from "../../call.js";
import { Link, path } from "../../router.js";
import { Time } from "../../ui.js";
import { Act } from "../act.js";
import { Badge, Beginning, Facts, Theirs } from "../bits.js";
import { More, Shown, View } from "../frame.js";
import { purposeWords } from "../state-words.js";
import { partsBelow } from "../subplace.js";
import { usePages } from "../use-pages.js";
import { useFresh } from "../use-tick.js";

const BASE = "/gateway/outbox";
const OFTEN_S = 5;

const STATES = [
  { state: "waiting", title: "Waiting", empty: "Nothing waits to be sent." },
  { state: "failed", title: "Not sent", empty: "Every message could be sent." },
  { state: "unknown", title: "May have arrived", empty: "Nobody has to decide about a message." },
] as const;

type OutboxState = (typeof STATES)[number]["state"];

export function Outbox() {
  const [part = "waiting"] = partsBelow(BASE, path.value);
  const shown = STATES.find(({ state }) => state === part) ?? STATES[0];
  return (
    <View title="Outbox">
      <nav class="view-tabs" aria-label="Outbox">
        {STATES.map(({ state, title }) => (
          <Link
            key={state}
            href={`${BASE}/${state}`}
            class="button small"
            aria-current={state === shown.state ? "page" : undefined}
          >
            {title}
          </Link>
        ))}
      </nav>
      {shown.state === "unknown" ? (
        <p class="muted">
          The connection broke while Baton sent these, so nobody knows if they arrived. Look in the chat
          before you decide.
        </p>
      ) : null}
      <Deliveries key={shown.state} state={shown.state} empty={shown.empty} />
    </View>
  );
}

function Deliveries({ state, empty }: { readonly state: OutboxState; readonly empty: string }) {
  const outbox = usePages<WireDelivery>(`/api/owner/outbox?state=${state}`, ["waiting"]);
  useFresh(OFTEN_S, outbox);
  return (
    <>
      <Shown
        value={outbox.items}
        failure={outbox.failure}
        reload={outbox.reload}
        isEmpty={(items) => items.length === 0}
        empty={empty}
      >
        {(items) => (
          <ul class="view-cards">
            {items.map((delivery) => (
              <li key={delivery.id} class="card stack">
                <OneDelivery delivery={delivery} state={state} reload={outbox.reload} />
              </li>
            ))}
          </ul>
        )}
      </Shown>
      <More {...outbox} />
    </>
  );
}

function OneDelivery(props: {
  readonly delivery: WireDelivery;
  readonly state: OutboxState;
  readonly reload: () => void;
}) {
  const { delivery, state, reload } = props;
  const { id, to, purpose, text, at, attempts, error, isOthers } = delivery;
  const about = `delivery-${id}`;
  return (
    <>
      <div id={about}>
        <p class="view-text">
          <Beginning text={text} isOthers={isOthers} />
        </p>
      </div>
      <Facts
        of={[
          ["To", <Theirs key="to" text={to} />],
          [
            "Kind",
            <Badge key="kind" tone="">
              {purposeWords(purpose)}
            </Badge>,
          ],
          ["Written", <Time key="at" at={at} />],
          ["Attempts", String(attempts)],
          [
            "Problem",
            error === null ? null : (
              <span key="error" class="view-error">
                <Theirs text={error} />
              </span>
            ),
          ],
        ]}
      />
      {state === "waiting" ? null : (
        <div class="row">
          <Act
            act={() => decided(id, "send")}
            after={reload}
            about={about}
            kind="primary"
            ask={{
              title: "Send it again?",
              text:
                state === "unknown"
                  ? "It may have arrived. Sending again may show it twice."
                  : "Baton tries to send it once more.",
              action: "Send again",
            }}
          >
            Send again
          </Act>
          <Act
            act={() => decided(id, "drop")}
            after={reload}
            about={about}
            kind="danger"
            ask={{
              title: "Drop this message?",
              text:
                state === "unknown"
                  ? "Baton does not send it again. If it has not arrived, nobody gets it."
                  : "Baton does not send it. Nobody gets it.",
              action: "Drop",
            }}
          >
            Drop
          </Act>
        </div>
      )}
    </>
  );
}

async function decided(id: string, decision: "send" | "drop"): Promise<string> {
  const { done } = await post<{ readonly done: boolean }>("/api/owner/outbox", { id, decision });
  if (!done) return "Somebody else has decided already.";
  return decision === "send" ? "Baton sends it again." : "Dropped.";
}
