//! Resolves the collisions of islands with obstacles; implements [`IslandAccess`] for contacts between
//! islands.

use std::sync::Arc;

use taut_core::Executor;

use super::Island;
use crate::matter::{IslandAccess, Islands, Matter};
use crate::obstacle::{AnalyticCollisionPass, Obstacle};
use crate::settings::StepTime;
use crate::tiles::CollisionPass;

/// Largest number of analytic obstacles that share one traversal of the particles: the size of an
/// array on the stack, and the depth of a recursion.
const FUSED_MAX: usize = 16;

/// For each obstacle, in order, resolves its collisions with all islands that are
/// [touched](Island::touched) in this step. Consecutive analytic obstacles share one traversal of the
/// particles.
pub(super) fn resolve<const D: usize>(
    obstacles: &[Arc<dyn Obstacle<D>>],
    islands: &mut Islands<'_, D>,
    now: &StepTime<D>,
) {
    let mut remaining = obstacles;
    while let [first, others @ ..] = remaining {
        remaining = match resolve_fused(remaining, &[], islands, now) {
            0 => {
                first.resolve_all(islands, now);
                others
            }
            resolved => &remaining[resolved..],
        };
    }
}

/// Resolves the analytic obstacles at the front of `obstacles` in one traversal of the particles;
/// `collected` has the collision passes of the first `collected.len()` obstacles. Returns the number
/// of resolved obstacles, 0 if the first is not analytic. (A pass exists only within the callback of
/// its obstacle, so the recursion nests the callbacks of all of them.)
fn resolve_fused<const D: usize>(
    obstacles: &[Arc<dyn Obstacle<D>>],
    collected: &[&dyn CollisionPass<D>],
    islands: &mut Islands<'_, D>,
    now: &StepTime<D>,
) -> usize {
    let count = collected.len();
    let next = obstacles.get(count).filter(|_| count < FUSED_MAX);
    let mut resolved = None;
    if let Some(next) = next {
        next.with_analytic_collision_pass(now, &mut |AnalyticCollisionPass(pass)| {
            let mut passes = [pass; FUSED_MAX];
            passes[..count].copy_from_slice(collected);
            resolved = Some(resolve_fused(obstacles, &passes[..=count], islands, now));
        });
    }
    if let Some(resolved) = resolved {
        return resolved;
    }
    if count == 0 {
        return 0; // before the particles are visited
    }
    for island in 0..islands.count() {
        let Some(mut matter) = islands.one(island) else { continue };
        let model = matter.model();
        let only_particles = model.bodies.is_empty() && model.limbs.is_empty();
        let may_collide =
            |it: &Arc<dyn Obstacle<D>>, matter: &Matter<'_, D>| it.may_collide_with(matter.model());
        if only_particles && obstacles[..count].iter().all(|it| may_collide(it, &matter)) {
            matter.run_collision_passes(collected);
            continue;
        }
        for obstacle in &obstacles[..count] {
            if may_collide(obstacle, &matter) {
                obstacle.resolve(&mut matter, now);
            }
        }
    }
    count
}

/// Access to the islands of a world with their plans. `one` and `two` return None for islands that
/// are not [touched](Island::touched) in this step.
pub(super) struct IslandsWithPlans<'a, const D: usize> {
    pub(super) islands: &'a mut [Island<D>],
    pub(super) executor: &'a dyn Executor,
}

impl<const D: usize> IslandAccess<D> for IslandsWithPlans<'_, D> {
    fn count(&self) -> usize {
        self.islands.len()
    }

    fn executor(&self) -> Option<Arc<dyn Executor>> {
        let executors = self.islands.iter().filter_map(|island| island.plan.executor());
        executors.max_by_key(|executor| executor.threads())
    }

    fn one(&mut self, island: usize) -> Option<Matter<'_, D>> {
        let island = self.islands.get_mut(island).filter(|island| island.touched)?;
        Some(island.with_plan(self.executor))
    }

    fn two(&mut self, islands: [usize; 2]) -> Option<[Matter<'_, D>; 2]> {
        let two = self.islands.get_disjoint_mut(islands).ok()?;
        let both_touched = two.iter().all(|island| island.touched);
        both_touched.then(|| two.map(|island| island.with_plan(self.executor)))
    }
}
