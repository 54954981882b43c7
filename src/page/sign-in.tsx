/** For those who are not signed in: how to. */
import { useState } from "preact/hooks";
import { type EntranceState, enter } from "./enter.js";
import { Button } from "./ui.js";

export function SignIn({ entrance }: { readonly entrance: Extract<EntranceState, { kind: "out" }> }) {
  const { why, mayTryAgain } = entrance;
  const [link, setLink] = useState("");
  const open = (event: Event): void => {
    event.preventDefault();
    const key = link.includes("#key=") ? link.slice(link.indexOf("#key=")) : `#key=${link.trim()}`;
    location.hash = key.trim();
    void enter();
  };
  return (
    <div class="card sign-in">
      <img src="/icon.svg" alt="" width="48" height="48" />
      <h1>Sign in to Baton</h1>
      {why === null ? null : (
        <p class="failure" role="alert">
          {why}
        </p>
      )}
      {mayTryAgain ? (
        <Button kind="primary" onClick={() => void enter()}>
          Try again
        </Button>
      ) : (
        <>
          <p>You sign in with a link that works once. Get one in either of these ways:</p>
          <ul>
            <li>
              On the machine that runs Baton, type <code>baton web</code>.
            </li>
            <li>
              In a private chat with Baton, send <code>/web</code>.
            </li>
          </ul>
          <form class="row" onSubmit={open}>
            <label class="sr-only" for="link">
              Link
            </label>
            <input
              id="link"
              type="text"
              placeholder="Or paste the link here"
              autocomplete="off"
              value={link}
              onInput={(event) => setLink(event.currentTarget.value)}
            />
            <Button type="submit" kind="primary" disabled={link.trim() === ""}>
              Sign in
            </Button>
          </form>
        </>
      )}
    </div>
  );
}
