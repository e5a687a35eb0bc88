// The DOM as drawn: elements in preorder with their boxes, texts with their positions.
// Called with the names that are left out, and with the type of the scripts that are data.
([dropped, jsonLd]) => {
  // Properties are read by the prototypes' own getters: a form may have a field named "nextSibling".
  const getter = (type, name) => {
    const get = Object.getOwnPropertyDescriptor(type.prototype, name).get;
    return (node) => get.call(node);
  };
  const nodeType = getter(Node, "nodeType"), firstChild = getter(Node, "firstChild"), nextSibling = getter(Node, "nextSibling");
  const parentNode = getter(Node, "parentNode"), localName = getter(Element, "localName"), data = getter(CharacterData, "data");
  const attributesOf = getter(Element, "attributes"), boxOf = Element.prototype.getBoundingClientRect;
  const isSeen = Element.prototype.checkVisibility;

  const pairs = (element) => Array.from(attributesOf(element), (attribute) => [attribute.name, attribute.value]);
  const skip = new Set(dropped), root = document.documentElement;
  const labels = [], parents = [], attributes = [], boxes = [], invisible = [], texts = [];
  const open = [];
  let node = root, above = -1;
  while (node) {
    let descend = false;
    if (nodeType(node) === 1 && !skip.has(localName(node))) {
      const box = boxOf.call(node), number = labels.length;
      const edges = [box.left + scrollX, box.top + scrollY, box.right + scrollX, box.bottom + scrollY];
      labels.push(localName(node));
      parents.push(above);
      attributes.push(pairs(node));
      boxes.push(edges);
      const shown = isSeen.call(node, { opacityProperty: true, visibilityProperty: true });
      if (!shown || edges[0] === edges[2] || edges[1] === edges[3]) invisible.push(number);
      if (localName(node) !== "iframe" && firstChild(node)) {
        open.push(above);
        above = number;
        descend = true;
      }
    } else if (nodeType(node) === 3) {
      texts.push([above, labels.length, data(node)]);
    }
    if (descend) {
      node = firstChild(node);
      continue;
    }
    // Up to the next element that has a sibling; by links and not by calls, so that depth is no limit.
    while (node && !nextSibling(node)) {
      node = node === root ? null : parentNode(node);
      if (node) above = open.pop();
      if (node === root) node = null;
    }
    node = node && nextSibling(node);
  }
  // What the page says about itself, which is no part of the tree.
  const metas = Array.from(document.getElementsByTagName("meta"), pairs);
  const scripts = Array.from(document.querySelectorAll(`script[type="${jsonLd}"]`), (script) => script.text);
  return { labels, parents, attributes, boxes, invisible, texts, metas, scripts, url: location.href };
}
