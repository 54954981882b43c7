/** Links and images that name their target elsewhere in the text, made into plain ones. */
import type { Definition, Image, Link, Nodes, Root } from "mdast";

export function withoutReferences(root: Root): Root {
  const definitions = new Map<string, Definition>();
  collect(root, definitions);
  return definitions.size === 0 ? root : (replaced(root, definitions) as Root);
}

function collect(node: Nodes, definitions: Map<string, Definition>): void {
  if (node.type === "definition" && !definitions.has(node.identifier)) definitions.set(node.identifier, node);
  if ("children" in node) for (const child of node.children) collect(child, definitions);
}

function replaced(node: Nodes, definitions: ReadonlyMap<string, Definition>): Nodes {
  if (node.type === "imageReference") {
    const url = definitions.get(node.identifier)?.url ?? "";
    return { type: "image", url, alt: node.alt ?? null } satisfies Image;
  }
  if (!("children" in node)) return node;
  const children = node.children.map((child) => replaced(child, definitions));
  if (node.type === "linkReference") {
    const url = definitions.get(node.identifier)?.url ?? "";
    return { type: "link", url, children: children as Link["children"] } satisfies Link;
  }
  return { ...node, children } as Nodes;
}
