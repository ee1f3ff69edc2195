//! Contacts: the stage of a substep that resolves collisions of matter with obstacles and with
//! itself.

use std::sync::Arc;

use taut_core::{Engine, Executor};

use super::Island;
use crate::groups::GroupPass;
use crate::matter::{IslandAccess, Islands, Matter};
use crate::obstacle::{FormulaPass, Obstacle};
use crate::settings::Moment;

/// Largest number of formula obstacles that share one pass over the particles.
const FUSED_MAX: usize = 16;

/// Resolves the collisions of all islands that take part in this substep, obstacle by obstacle.
pub(super) fn keep_out<const D: usize>(
    obstacles: &[Arc<dyn Obstacle<D>>],
    islands: &mut Islands<'_, D>,
    moment: &Moment<D>,
) {
    let mut rest = obstacles;
    while let [first, others @ ..] = rest {
        rest = match keep_out_fused(rest, &[], islands, moment) {
            0 => {
                first.keep_all_out(islands, moment);
                others
            }
            done => &rest[done..],
        };
    }
}

/// Runs the formula obstacles at the front of `obstacles` in one pass over the particles; `before`
/// has the passes of the first ones. Returns how many obstacles ran.
fn keep_out_fused<const D: usize>(
    obstacles: &[Arc<dyn Obstacle<D>>],
    before: &[&dyn GroupPass<D>],
    islands: &mut Islands<'_, D>,
    moment: &Moment<D>,
) -> usize {
    let at = before.len();
    let next = obstacles.get(at).filter(|_| at < FUSED_MAX);
    let mut count = at;
    let goes_on = next.is_some_and(|next| {
        next.by_formula(moment, &mut |FormulaPass(pass)| {
            let mut passes = [pass; FUSED_MAX];
            passes[..at].copy_from_slice(before);
            count = keep_out_fused(obstacles, &passes[..=at], islands, moment);
        })
    });
    if goes_on || at == 0 {
        return count;
    }
    for island in 0..islands.count() {
        let Some(mut matter) = islands.one(island) else { continue };
        let model = matter.model();
        let particles_alone = model.bodies.is_empty() && model.limbs.is_empty();
        let touches =
            |it: &Arc<dyn Obstacle<D>>, matter: &Matter<'_, D>| it.touches(matter.model());
        if particles_alone && obstacles[..at].iter().all(|it| touches(it, &matter)) {
            matter.run_group_passes(before);
            continue;
        }
        for obstacle in &obstacles[..at] {
            if touches(obstacle, &matter) {
                obstacle.keep_out(&mut matter, moment);
            }
        }
    }
    at
}

/// The islands of a world that take part in a substep, on their plans.
pub(super) struct OnPlans<'a, P, const D: usize> {
    pub(super) islands: &'a mut [Island<P, D>],
    pub(super) executor: &'a dyn Executor,
}

impl<P: Engine<D>, const D: usize> IslandAccess<D> for OnPlans<'_, P, D> {
    fn count(&self) -> usize {
        self.islands.len()
    }

    fn one(&mut self, island: usize) -> Option<Matter<'_, D>> {
        let island = self.islands.get_mut(island).filter(|island| island.touched)?;
        Some(island.on_plan(self.executor))
    }

    fn two(&mut self, islands: [usize; 2]) -> Option<[Matter<'_, D>; 2]> {
        let two = self.islands.get_disjoint_mut(islands).ok()?;
        let take_part = two.iter().all(|island| island.touched);
        take_part.then(|| two.map(|island| island.on_plan(self.executor)))
    }
}
