// Creation of HTML elements.

/** Creates an HTML element with properties, or attributes where it has no such property, and children. */
export const element = (name, attributes = {}, ...children) => {
  const node = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (key in node) node[key] = value;
    else node.setAttribute(key, value);
  }
  node.append(...children);
  return node;
};
