//! The plugin.

use bevy_app::prelude::*;
use bevy_asset::AssetEventSystems;
use bevy_ecs::prelude::*;
use bevy_ecs::schedule::{InternedScheduleLabel, ScheduleLabel};
use bevy_transform::TransformSystems;

use crate::error::TautFailed;
use crate::settings::{TautSettings, TautWind};
use crate::world::{StickTorn, TautWorld};
use crate::{build, colliders, draw, pinning, step};

/// The system sets of the plugin, in the order in which they run.
#[derive(SystemSet, Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TautSystems {
    /// In each fixed tick: applies settings and wind; adds and removes cloths and ropes.
    Build,
    /// In each fixed tick: moves pins and colliders to the current transforms of their entities.
    Move,
    /// In each fixed tick: runs one step of [`TautWorld`], and of each `TautScene` (feature `scenes`). Sends
    /// messages for torn sticks and for errors.
    Step,
    /// In each frame, in `PostUpdate`, after transforms are propagated: writes positions and normals
    /// into meshes.
    Draw,
}

/// Simulates the entities with a [`Cloth`](crate::Cloth) or [`Rope`](crate::Rope).
///
/// It needs the plugins of time, transforms, assets and meshes, which `DefaultPlugins` contain.
///
/// ```
/// use bevy_app::prelude::*;
/// use bevy_math::Vec3;
/// use bevy_taut::{TautPlugin, TautSettings, TautWind};
///
/// let plugin = TautPlugin::default()
///     .with_settings(TautSettings { substeps: 12, ..TautSettings::default() })
///     .with_wind(TautWind::new(Vec3::X * 4.0));
/// ```
#[derive(Clone, Debug)]
pub struct TautPlugin {
    settings: TautSettings,
    wind: TautWind,
    schedule: InternedScheduleLabel,
}

impl Default for TautPlugin {
    fn default() -> Self {
        Self {
            settings: TautSettings::default(),
            wind: TautWind::default(),
            schedule: FixedUpdate.intern(),
        }
    }
}

impl TautPlugin {
    /// Sets the initial settings; [`TautSettings`] is a resource.
    #[must_use]
    pub fn with_settings(self, settings: TautSettings) -> Self {
        Self { settings, ..self }
    }

    /// Sets the initial wind; [`TautWind`] is a resource.
    #[must_use]
    pub fn with_wind(self, wind: TautWind) -> Self {
        Self { wind, ..self }
    }

    /// Steps in another schedule than `FixedUpdate`, such as `FixedPostUpdate`: one step each time that
    /// the schedule runs. For a schedule outside of the fixed main loop, such as `Update`, set
    /// [`TautSettings::interpolate`] to false: interpolation uses the time of that loop.
    #[must_use]
    pub fn in_schedule(self, schedule: impl ScheduleLabel) -> Self {
        Self { schedule: schedule.intern(), ..self }
    }
}

impl Plugin for TautPlugin {
    fn build(&self, app: &mut App) {
        let world = TautWorld::new(1).unwrap_or_else(|error| {
            // Unreachable: every build has the scalar kernel, and one thread needs no other.
            panic!("{error}")
        });
        app.insert_resource(self.settings)
            .insert_resource(self.wind)
            .insert_resource(world)
            .add_message::<StickTorn>()
            .add_message::<TautFailed>()
            .configure_sets(
                self.schedule,
                (TautSystems::Build, TautSystems::Move, TautSystems::Step).chain(),
            )
            // A mesh that is changed after `AssetEventSystems` is drawn one frame later than the transform.
            .configure_sets(
                PostUpdate,
                TautSystems::Draw.after(TransformSystems::Propagate).before(AssetEventSystems),
            )
            // In every frame, because frames without a tick would miss removed components.
            .add_systems(PreUpdate, build::retry)
            .add_systems(
                self.schedule,
                (
                    (
                        build::apply_settings,
                        build::apply_wind,
                        build::report_ambiguous,
                        build::update_bodies,
                    )
                        .chain()
                        .in_set(TautSystems::Build),
                    (pinning::apply_changes, pinning::follow, colliders::update)
                        .chain()
                        .in_set(TautSystems::Move),
                    step::step.in_set(TautSystems::Step),
                ),
            )
            .add_systems(
                PostUpdate,
                (step::report_torn, draw::write_meshes).chain().in_set(TautSystems::Draw),
            );
        #[cfg(feature = "scenes")]
        crate::scene::add_systems(app, self.schedule);
    }
}
