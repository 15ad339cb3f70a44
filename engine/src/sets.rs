//! Disjoint sets of numbers, each named by its smallest.

pub struct Sets {
    parents: Vec<u32>,
}

impl Sets {
    /// `count` sets of one.
    pub fn new(count: usize) -> Self {
        Self { parents: (0..count as u32).collect() }
    }

    pub fn root(&mut self, number: u32) -> u32 {
        let mut at = number;
        while self.parents[at as usize] != at {
            let above = self.parents[self.parents[at as usize] as usize];
            self.parents[at as usize] = above;
            at = above;
        }
        at
    }

    pub fn join(&mut self, a: u32, b: u32) {
        let (a, b) = (self.root(a), self.root(b));
        self.parents[a.max(b) as usize] = a.min(b);
    }
}
