// The history of a proof, a tree of nodes, and links that carry a theorem with a proof.

const MOST_LINK_CHARS = 50_000;
const MOST_TACTICS = 500;

export class Proof {
  // A node: {id, parent, tactic, children, goals, messages, source, verdict}.
  constructor(statement, context, answer) {
    this.statement = statement;
    this.context = context;
    this.nodes = [{ id: 0, parent: null, tactic: null, children: [], ...answer }];
    this.current = this.nodes[0];
  }

  // The tactics from the statement to a node.
  path(node = this.current) {
    const tactics = [];
    for (let each = node; each.parent; each = each.parent) tactics.unshift(each.tactic);
    return tactics;
  }

  // The current node gets a branch, or goes on in the one that it has for this tactic.
  add(tactic, answer) {
    let node = this.current.children.find((each) => each.tactic === tactic);
    if (!node) {
      node = { id: this.nodes.length, parent: this.current, tactic, children: [], ...answer };
      this.nodes.push(node);
      this.current.children.push(node);
    }
    this.current = node;
    return node;
  }

  undo() {
    if (this.current.parent) this.current = this.current.parent;
  }

  get request() {
    return { statement: this.statement, context: this.context };
  }
}

export function toFragment({ statement, context = "", tactics = [] }) {
  const values = new URLSearchParams({ theorem: statement });
  if (context) values.set("context", context);
  for (const tactic of tactics) values.append("tactic", tactic);
  return `#${values}`;
}

// Returns null for a fragment without a theorem, and for one of unreasonable size.
export function fromFragment(fragment) {
  if (fragment.length > MOST_LINK_CHARS) return null;
  const values = new URLSearchParams(fragment.replace(/^#/, ""));
  const statement = values.get("theorem");
  const tactics = values.getAll("tactic");
  if (!statement || tactics.length > MOST_TACTICS) return null;
  return { statement, context: values.get("context") ?? "", tactics };
}
