// The DOM as drawn: elements in preorder with their boxes, texts with their places. Called with the names that are left out.
(dropped) => {
  const skip = new Set(dropped), labels = [], parents = [], attributes = [], boxes = [], invisible = [], texts = [];
  const measure = (element) => {
    const box = element.getBoundingClientRect(), style = getComputedStyle(element);
    const hidden = style.display === "none" || style.visibility !== "visible" || Number(style.opacity) === 0;
    return [[box.left + scrollX, box.top + scrollY, box.right + scrollX, box.bottom + scrollY], hidden];
  };
  // A frame is [node, its number]; the walk goes by siblings, so that depth is no limit.
  let node = document.documentElement, above = -1;
  const open = [];
  while (node) {
    let descend = false;
    if (node.nodeType === 1 && !skip.has(node.localName)) {
      const number = labels.length, [box, hidden] = measure(node);
      labels.push(node.localName);
      parents.push(above);
      attributes.push(Array.from(node.attributes, (attribute) => [attribute.name, attribute.value]));
      boxes.push(box);
      if (hidden || (above >= 0 && invisible[above] === 2)) invisible.push(2);
      else invisible.push(box[0] === box[2] || box[1] === box[3] ? 1 : 0);
      if (node.localName !== "iframe" && node.firstChild) {
        open.push(above);
        above = number;
        descend = true;
      }
    } else if (node.nodeType === 3) {
      texts.push([above, labels.length, node.data]);
    }
    if (descend) {
      node = node.firstChild;
      continue;
    }
    while (node && !node.nextSibling) {
      node = node === document.documentElement ? null : node.parentNode;
      if (node) above = open.pop();
      if (node === document.documentElement) node = null;
    }
    node = node && node.nextSibling;
  }
  return { labels, parents, attributes, boxes, invisible, texts, url: location.href };
}
