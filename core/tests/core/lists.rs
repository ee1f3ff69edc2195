//! Lists of items, grouped by the owner of each item.

use taut_core::GroupedLists;

#[test]
fn items_are_grouped_by_owner_and_can_be_changed_in_place() {
    let pairs = [(2, 'a'), (0, 'b'), (2, 'c')];
    let mut lists = GroupedLists::new(3, pairs.into_iter());
    assert_eq!(lists.iter().collect::<Vec<_>>(), [&['b'][..], &[], &['a', 'c']]);
    for item in lists.items_mut() {
        item.make_ascii_uppercase();
    }
    assert_eq!((lists.of(2), lists.items()), (&['A', 'C'][..], &['B', 'A', 'C'][..]));
}
