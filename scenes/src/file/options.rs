//! Options of builders, as they are written.

/// Declares a table of which every key may be missing and then is as in the default of the
/// builder's own options, besides `own` keys that must be there or have defaults of their own.
///
/// It names every field of the options: one that a builder gains is an error here until it can be
/// written, too.
macro_rules! options {
    (
        $(#[$about:meta])*
        $text:ident $(<const $D:ident: usize>)? => $options:ident $(<$of:ident>)? {
            $($field:ident: $written:ty),* $(,)?
        }
        $(own { $($(#[$of_own:meta])* $own:ident: $own_written:ty),* $(,)? })?
    ) => {
        $(#[$about])*
        #[derive(serde::Deserialize)]
        #[serde(deny_unknown_fields)]
        pub(super) struct $text $(<const $D: usize>)? {
            $($($(#[$of_own])* $own: $own_written,)*)?
            $($field: Option<$written>,)*
        }

        impl $(<const $D: usize>)? $text $(<$D>)? {
            fn options(&self) -> $options $(<$of>)? {
                self.over(<$options $(<$of>)?>::default())
            }

            /// What is written, in place of what is usual.
            fn over(&self, mut options: $options $(<$of>)?) -> $options $(<$of>)? {
                let $options { $($field),* } = &mut options;
                $(if let Some(written) = &self.$field {
                    *$field = written.clone().into();
                })*
                options
            }
        }
    };
}
pub(super) use options;
