// Makes the elements of a picture of rules; every text stays text, and no other element is made.
const tags = new Set([
  ...['article', 'section', 'header', 'details', 'summary', 'ul', 'li', 'h2', 'h3', 'p'],
  ...['span', 'code', 'strong'],
]);

/** The picture, as runtime/explain/picture.ts describes it, as an element to put into the page. */
export function drawPicture({ tag, class: className, open, children }) {
  const made = document.createElement(tags.has(tag) ? tag : 'span');
  if (className !== undefined) made.className = className;
  if (open === true) made.open = true;
  made.append(...children.map((child) => (typeof child === 'string' ? child : drawPicture(child))));
  return made;
}
