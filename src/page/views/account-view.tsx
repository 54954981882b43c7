/** The person themselves: who they are here, in which browsers they are signed in, and, for owners, long work. */
import { isOwner, me } from "../me.js";
import { Devices } from "./account/devices.js";
import { WorkList } from "./account/work-list.js";
import { Facts, Theirs } from "./bits.js";
import { Section, View } from "./frame.js";

export default function AccountView() {
  const person = me.value;
  return (
    <View title="Account">
      {person === null ? null : (
        <div class="card">
          <Facts
            of={[
              ["Name", <Theirs key="name" text={person.name} />],
              ["Account", <Theirs key="identity" text={person.identity} />],
              ["Role", person.role],
            ]}
          />
        </div>
      )}
      <Section title="Signed-in browsers">
        <Devices />
      </Section>
      {isOwner() ? (
        <Section title="Work in progress">
          <WorkList />
        </Section>
      ) : null}
    </View>
  );
}
