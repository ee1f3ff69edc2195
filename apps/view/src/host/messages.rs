//! Messages to pages.

use taut::Formula;
use taut::world::LibraryScene;

use super::{FILE, Host, size_max};
use crate::kernels::available;
use crate::pages::PageId;
#[cfg(feature = "server")]
use crate::pages::TopologySent;
use crate::protocol::{Message, Notice, SceneEntry, State};
use crate::session::with_session;

/// The time between updates of the figures, s.
const FIGURES_EVERY: f64 = 0.1;

impl Host {
    /// Whether a page has been sent the current topology and, if it requested a frame, a frame of
    /// it.
    #[cfg(feature = "server")]
    pub(crate) fn has_sent_topology(&self, page: PageId) -> bool {
        self.pages.get(page).is_none_or(|page| {
            let frame_epoch = page.frame_sent.map(|(epoch, _)| epoch);
            page.topology_sent == Some((self.epoch, TopologySent::Rests))
                && (!page.wants_frame || frame_epoch == Some(self.epoch))
        })
    }

    /// Takes the next message for a page, if any. A message is made when it is taken, so a slow
    /// page gets the newest state and no queue grows. Figures come last, so that they do not delay
    /// frames.
    pub fn take(&mut self, id: PageId) -> Option<Message> {
        let Self { epoch, state_version, .. } = *self;
        let page = self.pages.get_mut(id)?;
        if let Some(text) = page.errors.pop_front() {
            return Some(Message::from_notice(&Notice::Error { text }));
        }
        if page.state_sent != Some(state_version) {
            page.state_sent = Some(state_version);
            return Some(Message::from_notice(&Notice::State(Box::new(self.state()))));
        }
        if let Some(message) = with_session!(&self.session, it => it.topology_message(page, epoch))
        {
            return Some(message);
        }
        let frame = (epoch, with_session!(&self.session, it => it.steps()));
        if page.wants_frame && page.frame_sent != Some(frame) {
            page.wants_frame = false;
            page.frame_sent = Some(frame);
            return Some(with_session!(&self.session, it => it.frame(epoch)));
        }
        if self.since_figures >= FIGURES_EVERY {
            self.since_figures = 0.0;
            self.update_figures();
        }
        let page = self.pages.get_mut(id)?;
        if page.figures_sent != Some(self.figures_version) {
            page.figures_sent = Some(self.figures_version);
            return Some(Message::from_notice(&Notice::Figures(self.figures.clone())));
        }
        None
    }

    fn state(&self) -> State {
        let library_scene = LibraryScene::named(&self.scene).ok();
        let mut scenes: Vec<SceneEntry> = LibraryScene::ALL
            .iter()
            .map(|it| SceneEntry {
                name: it.name.to_owned(),
                about: it.description.to_owned(),
                dimensions: it.dimensions,
            })
            .collect();
        scenes.extend(self.file.as_ref().map(|(about, scene)| SceneEntry {
            name: FILE.to_owned(),
            about: about.clone(),
            dimensions: scene.dimensions(),
        }));
        with_session!(&self.session, it => State {
            scenes,
            scene: self.scene.clone(),
            dimensions: self.session.dimensions(),
            sizes: library_scene.map(|it| sizes(it, self.size)),
            size: self.size,
            size_is: library_scene.map(|it| it.size_unit),
            copies_max: library_scene
                .filter(|it| it.copies)
                .map(|it| size_max(it, self.initial_size)),
            kernels: available(it.has_sheets_and_copies()),
            formulas: Formula::ALL.iter().map(ToString::to_string).collect(),
            schedules: it.orders(),
            threads: self.threads,
            settings: it.in_force(),
            gravity: self.request.gravity,
            wind: it.has_wind(),
            tethers: it.has_tethers(),
            collisions: it.has_collisions(),
            sleep: it.may_sleep(),
            paused: self.paused,
            comparison: it.comparison_kernel(),
            counts: it.counts(),
            machine: self.machine.clone(),
            bounds: it.bounds(),
            step: it.dt(),
        })
    }
}

/// Suggested sizes: 0.5, 1, 2 and 4 times the scene's default size, and the current size.
fn sizes(scene: &LibraryScene, current: Option<usize>) -> Vec<usize> {
    let multiples = [scene.size / 2, scene.size, 2 * scene.size, 4 * scene.size];
    let mut sizes: Vec<usize> = multiples.into_iter().filter(|&it| it > 0).chain(current).collect();
    sizes.sort_unstable();
    sizes.dedup();
    sizes
}
