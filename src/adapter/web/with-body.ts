/**
 * A call with a body, from somebody who is signed in. What holds: nothing of the body is read before somebody is, and once
 * all of it is here they are asked for anew. It may take minutes to come, and who was signed out meanwhile, or has lost
 * their role, does nothing any more.
 */
interface WithBody<Who, Body> {
  /** With the rights that they have now. */
  readonly who: Who;
  readonly body: Body;
}

/** Null if nobody is signed in, before or after. */
export async function withBody<Who, Body>(
  whoIs: () => Promise<Who | null>,
  read: () => Promise<Body>,
): Promise<WithBody<Who, Body> | null> {
  if (!(await whoIs())) return null;
  const body = await read();
  const who = await whoIs();
  return who && { who, body };
}
