/** Who may talk to Baton, and who waits for approval. A request is approved by the code that the person was given. */
import { useState } from "preact/hooks";
import type { WirePeople } from "../../../web/wire.js";
import { post } from "../../call.js";
import { Button, Dialog, Time } from "../../ui.js";
import { isolated } from "../../words.js";
import { Act, said, tellOutcome } from "../act.js";
import { Ahead, Badge, Theirs } from "../bits.js";
import { Section, Shown, View } from "../frame.js";
import { Table, type TableColumn } from "../table.js";
import { useOwner } from "./use-owner.js";

type ListedPerson = WirePeople["people"][number];
type PairRequest = WirePeople["requests"][number];

export function People() {
  const { value, failure, reload } = useOwner<WirePeople>("people");
  return (
    <View title="People">
      <Shown value={value} failure={failure} reload={reload}>
        {({ people, requests }) => (
          <>
            <Requests requests={requests} reload={reload} />
            <Section title="People with access">
              {people.length === 0 ? (
                <p class="empty">Nobody is known yet.</p>
              ) : (
                <Table caption="People with access" columns={PEOPLE} rows={people} keyOf={({ id }) => id} />
              )}
              <p class="muted small">
                To change a role or remove somebody, run <code>baton people</code> on the machine that Baton
                runs on. Somebody who is in the settings is changed there.
              </p>
            </Section>
          </>
        )}
      </Shown>
    </View>
  );
}

const PEOPLE: readonly TableColumn<ListedPerson>[] = [
  { title: "Name", cell: ({ name, identities }) => <Theirs text={name ?? identities[0] ?? "Somebody"} /> },
  { title: "Role", cell: ({ role }) => <Badge tone={role === "owner" ? "ok" : ""}>{role}</Badge> },
  {
    title: "Accounts",
    cell: ({ identities }) => (
      <ul class="view-lines">
        {identities.map((identity) => (
          <li key={identity}>
            <Theirs text={identity} />
          </li>
        ))}
      </ul>
    ),
  },
  { title: "In the settings", cell: ({ isListed }) => (isListed ? "yes" : "no") },
];

function Requests({
  requests,
  reload,
}: {
  readonly requests: readonly PairRequest[];
  readonly reload: () => void;
}) {
  const [isApproving, setApproving] = useState(false);
  const approve = <Button onClick={() => setApproving(true)}>Approve a code</Button>;
  return (
    <Section title="Pairing requests" tools={approve}>
      {isApproving ? <ApproveDialog reload={reload} onClose={() => setApproving(false)} /> : null}
      {requests.length === 0 ? (
        <p class="empty">Nobody is waiting for approval.</p>
      ) : (
        <Table
          caption="Pairing requests"
          columns={requestColumns(reload)}
          rows={requests}
          keyOf={({ identity }) => identity}
        />
      )}
    </Section>
  );
}

function requestColumns(reload: () => void): readonly TableColumn<PairRequest>[] {
  return [
    {
      title: "Account",
      cell: ({ identity, called }) => (
        <span id={`request-${identity}`}>
          {called === null ? null : (
            <>
              <Theirs text={called} />
              <br />
            </>
          )}
          <span class="muted">
            <Theirs text={identity} />
          </span>
        </span>
      ),
    },
    { title: "Asked", cell: ({ askedAt }) => <Time at={askedAt} /> },
    { title: "Ends", cell: ({ expiresAt }) => <Ahead at={expiresAt} /> },
    {
      title: "Actions",
      kind: "actions",
      cell: ({ identity, called, isDenied }) =>
        isDenied ? (
          <Badge tone="warn">denied</Badge>
        ) : (
          <Act
            act={async () => {
              const { done } = await post<{ readonly done: boolean }>("/api/owner/people/deny", { identity });
              return done ? `${isolated(called ?? identity)} was turned away.` : "This request is over.";
            }}
            after={reload}
            about={`request-${identity}`}
            kind="danger"
            ask={{
              title: "Deny this request?",
              text: `${isolated(called ?? identity)} is turned away, and gets no answer until the request ends.`,
              action: "Deny",
            }}
          >
            Deny
          </Act>
        ),
    },
  ];
}

function ApproveDialog({ reload, onClose }: { readonly reload: () => void; readonly onClose: () => void }) {
  const [code, setCode] = useState("");
  const [isBusy, setBusy] = useState(false);
  const approve = async (): Promise<void> => {
    setBusy(true);
    await tellOutcome(() => said(`/pair approve ${code.replaceAll(/\s/g, "")}`));
    setBusy(false);
    reload();
    onClose();
  };
  const actions = (
    <>
      <Button onClick={onClose}>Cancel</Button>
      <Button kind="primary" type="submit" form="approve" isBusy={isBusy} disabled={code.trim() === ""}>
        Approve
      </Button>
    </>
  );
  return (
    <Dialog title="Approve a code" onClose={onClose} actions={actions}>
      <form
        id="approve"
        class="stack"
        onSubmit={(event) => {
          event.preventDefault();
          if (!isBusy) void approve();
        }}
      >
        <p>Approve only somebody who gives you their code themselves. They become a guest.</p>
        <label class="view-field">
          Their code
          <input
            type="text"
            autocomplete="off"
            autocapitalize="characters"
            spellcheck={false}
            value={code}
            onInput={(event) => setCode(event.currentTarget.value)}
          />
        </label>
      </form>
    </Dialog>
  );
}
