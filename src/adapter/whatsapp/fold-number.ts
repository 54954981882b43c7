/**
 * WhatsApp writes one phone number as `+15551234567`, `15551234567@s.whatsapp.net`, `15551234567@c.us` and, with a
 * device, `15551234567:12@s.whatsapp.net`. All fold to the digits. A `@lid` is another id space and keeps its domain;
 * groups and broadcasts are left alone.
 */
export function foldNumber(id: string): string {
  const phone = /^\+?(\d+)(?:[:.]\d+)?(?:@(?:s\.whatsapp\.net|c\.us))?$/.exec(id);
  if (phone?.[1]) return phone[1];
  const lid = /^(\d+)(?:[:.]\d+)?@lid$/.exec(id);
  return lid?.[1] ? `${lid[1]}@lid` : id;
}
