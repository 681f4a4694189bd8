// Makes elements of the page; every text is text, never markup.

type Child = Node | string | undefined;

/** Attributes by name; `class` too. A `false` leaves the attribute out. */
export type Attributes = Readonly<Record<string, string | boolean | number | undefined>>;

/** An element with attributes and children. */
export function element<Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  attributes: Attributes = {},
  ...children: Child[]
): HTMLElementTagNameMap[Tag] {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === undefined || value === false) continue;
    made.setAttribute(name, value === true ? '' : String(value));
  }
  made.append(...children.filter((child) => child !== undefined));
  return made;
}

/** The element of the page with this id. */
export function byId<Wanted extends HTMLElement = HTMLElement>(id: string): Wanted {
  return document.getElementById(id) as Wanted;
}

/** The first digits of a revision or an id, as people tell them apart. */
export function short(digest: string): string {
  return digest.replace('sha256:', '').slice(0, 12);
}
