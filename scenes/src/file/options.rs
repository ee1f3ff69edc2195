//! Tables of builder options.

/// Declares a table whose keys are optional, with the defaults of the builder's options, besides
/// `own` keys, which are required or have defaults of their own.
///
/// It names every field of the options, so a new field is a compile error until it has a key.
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

            /// Replaces the defaults by the given keys.
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
