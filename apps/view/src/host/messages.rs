//! Makes the messages to pages.

use taut::Formula;
use taut::world::LibraryScene;

use super::{FILE, Host, size_max};
use crate::kernels::available_kernels;
use crate::pages::PageId;
#[cfg(feature = "server")]
use crate::pages::TopologySent;
use crate::protocol::{Message, Notice, SceneEntry, State};

/// The interval between updates of the figures (the live numbers that pages show), s.
pub(super) const FIGURES_INTERVAL: f64 = 0.1;

impl Host {
    /// Whether a page has been sent the current topology and, if it requested a frame, a frame with
    /// that topology. True for a disconnected page.
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
        if let Some(message) = self.session.topology_message(page, epoch) {
            return Some(message);
        }
        let frame = (epoch, self.session.steps());
        if page.wants_frame && page.frame_sent != Some(frame) {
            page.wants_frame = false;
            page.frame_sent = Some(frame);
            return Some(self.session.frame(epoch));
        }
        if self.time_since_figures >= FIGURES_INTERVAL {
            self.time_since_figures = 0.0;
            self.update_figures();
        }
        let page = self.pages.get_mut(id)?;
        if page.figures_sent != Some(self.figures_version) {
            page.figures_sent = Some(self.figures_version);
            return Some(Message::from_notice(&Notice::Figures(self.figures.clone())));
        }
        None
    }

    /// The available choices and the current settings.
    fn state(&self) -> State {
        let library_scene = LibraryScene::named(&self.scene).ok();
        let mut scenes: Vec<SceneEntry> = LibraryScene::ALL
            .iter()
            .map(|scene| SceneEntry {
                name: scene.name.to_owned(),
                about: scene.description.to_owned(),
                dimensions: scene.dimensions,
            })
            .collect();
        scenes.extend(self.file.as_ref().map(|(about, scene)| SceneEntry {
            name: FILE.to_owned(),
            about: about.clone(),
            dimensions: scene.dimensions(),
        }));
        let session = &self.session;
        State {
            scenes,
            scene: self.scene.clone(),
            dimensions: session.dimensions(),
            sizes: library_scene.map(|scene| sizes(scene, self.size)),
            size: self.size,
            size_unit: library_scene.map(|scene| scene.size_unit),
            copies_max: library_scene
                .filter(|scene| scene.size_is_copies)
                .map(|scene| size_max(scene, self.initial_size)),
            kernels: available_kernels(session.has_sheets_and_copies()),
            formulas: Formula::ALL.iter().map(ToString::to_string).collect(),
            orders: session.orders(),
            threads: self.threads,
            settings: session.current_settings(),
            gravity: self.request.gravity,
            wind: session.has_wind(),
            tethers: session.has_tethers(),
            collisions: session.has_collisions(),
            sleep: session.may_sleep(),
            paused: self.paused,
            comparison: session.comparison_kernel(),
            counts: session.counts(),
            machine: self.machine.clone(),
            bounds: session.bounds(),
            step: session.dt(),
        }
    }
}

/// Suggested sizes: 0.5, 1, 2 and 4 times the scene's default size, and the current size.
fn sizes(scene: &LibraryScene, current: Option<usize>) -> Vec<usize> {
    let multiples = [scene.size / 2, scene.size, 2 * scene.size, 4 * scene.size];
    let mut sizes: Vec<usize> =
        multiples.into_iter().filter(|&size| size > 0).chain(current).collect();
    sizes.sort_unstable();
    sizes.dedup();
    sizes
}
