/** The gateway, for owners: a list of places, and the one that the address names. */
import type { ComponentType } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { isOwner } from "../../me.js";
import { Link, path } from "../../router.js";
import { View } from "../frame.js";
import { JobsAt } from "../jobs-view.js";
import { ProcessesAt } from "../processes-view.js";
import { partsBelow } from "../subplace.js";
import { Health } from "./health.js";
import { Inbox } from "./inbox.js";
import { Logs } from "./logs.js";
import { Outbox } from "./outbox.js";
import { Overview } from "./overview.js";
import { People } from "./people.js";
import { Platforms } from "./platforms.js";
import { SettingsList } from "./settings-list.js";
import { Turns } from "./turns.js";

const BASE = "/gateway";

const PLACES: readonly { readonly part: string; readonly title: string; readonly shows: ComponentType }[] = [
  { part: "", title: "Overview", shows: Overview },
  { part: "platforms", title: "Platforms", shows: Platforms },
  { part: "people", title: "People", shows: People },
  { part: "turns", title: "Turns", shows: Turns },
  { part: "inbox", title: "Inbox", shows: Inbox },
  { part: "outbox", title: "Outbox", shows: Outbox },
  { part: "schedules", title: "Schedules", shows: () => <JobsAt base={`${BASE}/schedules`} /> },
  { part: "processes", title: "Processes", shows: () => <ProcessesAt base={`${BASE}/processes`} /> },
  { part: "logs", title: "Logs", shows: Logs },
  { part: "settings", title: "Settings", shows: SettingsList },
  { part: "health", title: "Health", shows: Health },
];

export default function GatewayView() {
  const [part = ""] = partsBelow(BASE, path.value);
  const places = useRef<HTMLUListElement>(null);
  // On a phone the list is wider than the screen.
  useEffect(() => {
    const here = places.current?.querySelector("[aria-current]");
    here?.scrollIntoView({ block: "nearest", inline: "center" });
  }, [part]);
  if (!isOwner())
    return (
      <View title="Gateway">
        <p class="empty">Only owners can see this.</p>
      </View>
    );
  const place = PLACES.find((each) => each.part === part);
  const Place = place?.shows;
  return (
    <div class="view-gateway">
      <nav class="view-places" aria-label="Gateway">
        <ul ref={places}>
          {PLACES.map((each) => (
            <li key={each.part}>
              <Link
                href={each.part === "" ? BASE : `${BASE}/${each.part}`}
                aria-current={each.part === part ? "page" : undefined}
              >
                {each.title}
              </Link>
            </li>
          ))}
        </ul>
      </nav>
      {Place ? (
        <Place />
      ) : (
        <View title="Gateway">
          <p class="empty">There is no such place. Choose one above.</p>
        </View>
      )}
    </div>
  );
}
