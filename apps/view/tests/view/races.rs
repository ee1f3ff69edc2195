//! Races: two kernels simulate the same scene, and their positions are compared.

use crate::page::Page;

#[test]
fn positions_stay_equal_in_a_race_whatever_commands_run() {
    for (scene, size) in [("curtain", 24), ("flag", 24), ("plants", 2), ("boxes", 3)] {
        let mut page = Page::new(scene, size);
        page.run_steps(10).send(r#"{"do":"race","kernel":"scalar"}"#);
        let race = page.state()["race"].clone();
        assert_eq!((&race["kernel"], &race["instructions"]), (&"scalar".into(), &"scalar".into()));
        for command in [
            r#"{"do":"grab","particle":3}"#,
            r#"{"do":"drag","particle":3,"to":[0.5,0.5,0.5]}"#,
            r#"{"do":"set","tear":1.3}"#,
            r#"{"do":"cut","from":[[0.01,-9,-9],[0.01,-9,9]],"to":[[0.01,9,-9],[0.01,9,9]]}"#,
            r#"{"do":"wind","on":true}"#,
            r#"{"do":"set","formula":"exact","substeps":3}"#,
            r#"{"do":"set","kernel":"wide"}"#,
            r#"{"do":"release","particle":3}"#,
            r#"{"do":"set","schedule":"coloured","stiffness":0.5}"#,
            r#"{"do":"gravity","on":false}"#,
        ] {
            let figures = page.send(command).run_steps(12).figures();
            let race = &figures["race"];
            assert_eq!(race["equal"], true, "{scene}, {command}: {race}");
            assert!(race["first_difference"].is_null());
        }
        // A reset restarts both worlds; a race without a kernel stops the race.
        assert!(page.send(r#"{"do":"reset"}"#).run_steps(12).figures()["race"]["equal"] == true);
        assert!(page.send(r#"{"do":"race"}"#).state()["race"].is_null());
        assert!(page.errors().is_empty());
    }
}
