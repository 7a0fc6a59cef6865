//! Evaluation of the nodes of a walk: which of them form one web, and where a variable may be
//! unset.

use super::walk::{State, Walk};
use super::{After, Node, Webs, in_sizes, is_split};
use crate::hir::{LocalId, Role};

impl Walk<'_> {
    pub(super) fn finish(mut self, entry: &State) -> Webs {
        let (exits, state) = (self.exits.take(), self.state.take());
        let end = self.join(exits, state);

        let maybe_unset = self.spread(|node| match node {
            Node::Unset | Node::FromCaller | Node::Forgotten => Some(true),
            Node::Def | Node::Through { after: After::Set, .. } => Some(false),
            Node::Through { after: After::MaybeUnset, .. } => Some(true),
            Node::Join(_) | Node::Through { after: After::AsBefore, .. } => None,
        });
        let maybe_set = self.spread(|node| match node {
            Node::Unset => Some(false),
            // Mentions of forgotten values have their own message.
            Node::Def | Node::FromCaller | Node::Through { .. } | Node::Forgotten => Some(true),
            Node::Join(_) => None,
        });
        let is_forgotten = self.spread(|node| match node {
            Node::Forgotten => Some(true),
            Node::Unset | Node::FromCaller | Node::Def => Some(false),
            Node::Through { after: After::Set, .. } => Some(false),
            Node::Through { after: After::AsBefore | After::MaybeUnset, .. } | Node::Join(_) => {
                None
            }
        });
        let needs = std::mem::take(&mut self.needs).into_iter();
        let forgotten = needs.filter(|(_, node)| is_forgotten[*node as usize]);
        let forgotten = forgotten.map(|(place, _)| place).collect();
        let at_start = self.spread_from(|idx, node| {
            if entry.contains(&idx) {
                return Some(true);
            }
            match node {
                Node::Unset | Node::FromCaller | Node::Def | Node::Forgotten => Some(false),
                Node::Through { after: After::Set, .. } => Some(false),
                Node::Through { after: After::AsBefore | After::MaybeUnset, .. }
                | Node::Join(_) => None,
            }
        });
        let sizes = in_sizes(self.routine);
        let split: Vec<bool> = (0..self.routine.locals.len() as u32)
            .map(|local| is_split(self.routine, &sizes, LocalId(local)))
            .collect();
        let mut taken = sizes;
        let used = self.used.iter().filter(|&&node| at_start[node as usize]);
        taken.extend(used.map(|&node| self.node_local[node as usize]));
        let takes = self.routine.params.iter().map(|param| taken.contains(param)).collect();
        let is_read = self.read_later(end.as_ref());
        let (web_of_node, web_local) = self.tie(&split);

        let of_site = |fact: &dyn Fn(u32) -> bool| -> Vec<bool> {
            self.site_node.iter().map(|node| node.is_some_and(fact)).collect()
        };
        let at_end =
            |local: LocalId| end.as_ref().map(|end| maybe_unset[end[local.0 as usize] as usize]);
        let assigns = self
            .routine
            .params
            .iter()
            .map(|&param| at_end(param).is_none_or(|unset| !unset))
            .collect();
        let result_maybe_unset =
            self.routine.result.is_some_and(|result| at_end(result).unwrap_or(false));
        Webs {
            site_web: self
                .site_node
                .iter()
                .map(|node| node.map(|node| web_of_node[node as usize]))
                .collect(),
            split,
            maybe_unset: of_site(&|node| maybe_unset[node as usize]),
            never_set: of_site(&|node| !maybe_set[node as usize]),
            unread: of_site(&|node| !is_read[node as usize]),
            web_local,
            entry_web: entry.iter().map(|&node| web_of_node[node as usize]).collect(),
            assigns,
            takes,
            result_maybe_unset,
            forgotten,
        }
    }

    /// Computes a fact that holds for a node if it holds for one that flows into it. `known`
    /// returns the fact for the nodes that determine it themselves.
    fn spread(&self, known: impl Fn(&Node) -> Option<bool>) -> Vec<bool> {
        self.spread_from(|_, node| known(node))
    }

    /// Like `spread`, but `known` also receives the number of the node.
    fn spread_from(&self, known: impl Fn(u32, &Node) -> Option<bool>) -> Vec<bool> {
        let mut into: Vec<Vec<u32>> = vec![Vec::new(); self.nodes.len()];
        let mut holds = vec![false; self.nodes.len()];
        let mut work = Vec::new();
        for (idx, node) in self.nodes.iter().enumerate() {
            match known(idx as u32, node) {
                Some(true) => {
                    holds[idx] = true;
                    work.push(idx as u32);
                }
                Some(false) => {}
                None => match node {
                    Node::Join(from) => {
                        from.iter().for_each(|&from| into[from as usize].push(idx as u32))
                    }
                    Node::Through { before, .. } => into[*before as usize].push(idx as u32),
                    Node::Unset | Node::FromCaller | Node::Def | Node::Forgotten => {}
                },
            }
        }
        while let Some(node) = work.pop() {
            for &next in &into[node as usize] {
                if !holds[next as usize] {
                    holds[next as usize] = true;
                    work.push(next);
                }
            }
        }
        holds
    }

    /// Returns for every node whether its value may be read: by a mention, by the caller at the
    /// end, or where the variable is changed in place.
    fn read_later(&self, end: Option<&State>) -> Vec<bool> {
        let is_callers = |local: LocalId| match self.routine.local(local).role {
            Role::Ref | Role::Result => true,
            Role::Value | Role::Binding | Role::Implicit | Role::Local => false,
        };
        let at_end = (0..).map(LocalId).zip(end.into_iter().flatten());
        let at_end = at_end.filter(|(local, _)| is_callers(*local)).map(|(_, &node)| node);
        let changed = self.nodes.iter().filter_map(|node| match node {
            Node::Through { before, .. } => Some(*before),
            Node::Unset | Node::FromCaller | Node::Def | Node::Forgotten | Node::Join(_) => None,
        });
        let mut work: Vec<u32> = self.used.iter().copied().chain(at_end).chain(changed).collect();
        let mut is_read = vec![false; self.nodes.len()];
        while let Some(node) = work.pop() {
            if !std::mem::replace(&mut is_read[node as usize], true)
                && let Node::Join(from) = &self.nodes[node as usize]
            {
                work.extend(from);
            }
        }
        is_read
    }

    /// Returns the web of every node and the variable of every web. Variables that are not split
    /// have one web.
    fn tie(&mut self, split: &[bool]) -> (Vec<u32>, Vec<LocalId>) {
        let mut parent: Vec<u32> = (0..self.nodes.len() as u32).collect();
        let mut work = std::mem::take(&mut self.seen);
        let mut visited = vec![false; self.nodes.len()];
        while let Some(node) = work.pop() {
            if std::mem::replace(&mut visited[node as usize], true) {
                continue;
            }
            match &self.nodes[node as usize] {
                Node::Join(from) => {
                    for &from in from {
                        union(&mut parent, node, from);
                        work.push(from);
                    }
                }
                Node::Through { before, .. } => {
                    union(&mut parent, node, *before);
                    work.push(*before);
                }
                Node::Unset | Node::FromCaller | Node::Def | Node::Forgotten => {}
            }
        }
        let mut web_local: Vec<LocalId> = Vec::new();
        let mut of_local: Vec<Option<u32>> = vec![None; split.len()];
        let mut of_root: Vec<Option<u32>> = vec![None; self.nodes.len()];
        let web_of_node = (0..self.nodes.len() as u32)
            .map(|node| {
                let local = self.node_local[node as usize];
                let slot = if split[local.0 as usize] {
                    &mut of_root[find(&mut parent, node) as usize]
                } else {
                    &mut of_local[local.0 as usize]
                };
                *slot.get_or_insert_with(|| {
                    web_local.push(local);
                    web_local.len() as u32 - 1
                })
            })
            .collect();
        (web_of_node, web_local)
    }
}

fn find(parent: &mut [u32], mut node: u32) -> u32 {
    while parent[node as usize] != node {
        parent[node as usize] = parent[parent[node as usize] as usize];
        node = parent[node as usize];
    }
    node
}

fn union(parent: &mut [u32], a: u32, b: u32) {
    let (a, b) = (find(parent, a), find(parent, b));
    parent[a.max(b) as usize] = a.min(b);
}
