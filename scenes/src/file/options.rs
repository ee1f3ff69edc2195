//! Tables of options, which are structs of parameters that have defaults, such as `Cloth`.

/// Declares a table with an optional key for each field of an options struct; an absent key keeps
/// the struct's default. Keys under `required` are not fields of the struct.
///
/// The macro names every field of the struct, so a new field does not compile until it has a key.
macro_rules! options {
    (
        $(#[$about:meta])*
        $table:ident $(<const $D:ident: usize>)? => $options:ident $(<$of:ident>)? {
            $($field:ident: $type:ty),* $(,)?
        }
        $(required { $($required:ident: $required_type:ty),* $(,)? })?
    ) => {
        $(#[$about])*
        #[derive(serde::Deserialize)]
        #[serde(deny_unknown_fields)]
        pub(super) struct $table $(<const $D: usize>)? {
            $($($required: $required_type,)*)?
            $($field: Option<$type>,)*
        }

        impl $(<const $D: usize>)? $table $(<$D>)? {
            /// The options: those that are given, and the defaults of the others.
            fn options(&self) -> $options $(<$of>)? {
                self.applied_to(<$options $(<$of>)?>::default())
            }

            /// Overrides the fields whose keys are given.
            fn applied_to(&self, mut options: $options $(<$of>)?) -> $options $(<$of>)? {
                let $options { $($field),* } = &mut options;
                $(if let Some(given) = &self.$field {
                    *$field = given.clone().into();
                })*
                options
            }
        }
    };
}
pub(super) use options;
