//! Wavefront OBJ: the lines `v` and `f`, and a count of other geometry.
//!
//! `tobj` is not used, because its errors have no line; it reads a polyline of three points (`l 1 2 3`)
//! as a triangle; and it numbers vertices by first use, so that those without a face are lost
//! uncounted. The tests compare the two where they
//! should agree.

use std::borrow::Cow;

use crate::LoadOptions;
use crate::error::{Place, Problem, Result, quote};
use crate::format::{Format, is_text};
use crate::soup::Soup;

/// The number that OBJ gives to the first vertex, and to the first face.
const FIRST: u64 = 1;

pub(crate) fn read(bytes: &[u8], options: &LoadOptions) -> Result<Soup> {
    Format::Obj.expect(bytes, is_text(bytes))?;
    let mut reader = Reader::new(options);
    // Names of groups and materials may be in any encoding; numbers and keywords are ASCII.
    let text = String::from_utf8_lossy(bytes);
    let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
    let mut lines = (1..).zip(text.lines());
    while let Some((number, line)) = lines.next() {
        let line = joined(line, &mut lines);
        reader.number = number;
        reader.line(&line).map_err(|problem| problem.at(Place::Line(number)))?;
    }
    reader.finish()
}

/// `line`, joined with the next line for as long as it ends in a backslash.
fn joined<'a>(line: &'a str, rest: &mut impl Iterator<Item = (u64, &'a str)>) -> Cow<'a, str> {
    let Some(start) = line.trim_end().strip_suffix('\\') else {
        return Cow::Borrowed(line);
    };
    let mut whole = start.to_owned();
    for (_, line) in rest {
        whole.push(' ');
        let Some(part) = line.trim_end().strip_suffix('\\') else {
            whole.push_str(line);
            break;
        };
        whole.push_str(part);
    }
    Cow::Owned(whole)
}

struct Reader {
    soup: Soup,
    /// The number of the current line.
    number: u64,
    /// The corners of the current face; a reused buffer.
    corners: Vec<u32>,
    /// Corners that refer to a vertex further down in the file: rare, but valid if it exists.
    forward: Vec<Forward>,
    /// The number of the next face.
    face: u64,
}

struct Forward {
    line: u64,
    face: u64,
    index: i64,
}

impl Reader {
    fn new(options: &LoadOptions) -> Self {
        Self {
            soup: Soup::new(options),
            number: 0,
            corners: Vec::new(),
            forward: Vec::new(),
            face: FIRST,
        }
    }

    fn line(&mut self, line: &str) -> Result<(), Problem> {
        let data = line.split_once('#').map_or(line, |(data, _comment)| data);
        let mut words = data.split_ascii_whitespace();
        match words.next() {
            Some("v") => self.vertex(words, data),
            Some("f" | "fo") => self.face(words, data),
            Some("p" | "l" | "curv" | "curv2" | "surf") => self.soup.not_a_face(),
            // Other keywords of the format that describe no geometry.
            Some(
                "vt" | "vn" | "vp" | "g" | "s" | "mg" | "o" | "usemtl" | "mtllib" | "usemap"
                | "maplib" | "bevel" | "c_interp" | "d_interp" | "lod" | "shadow_obj" | "trace_obj"
                | "ctech" | "stech" | "cstype" | "deg" | "bmat" | "step" | "parm" | "trim" | "hole"
                | "scrv" | "sp" | "end" | "con" | "cdc" | "cdp" | "res" | "bsp",
            )
            | None => Ok(()),
            Some(_) => {
                self.soup.unknown_lines += 1;
                Ok(())
            }
        }
    }

    /// `v x y z`, perhaps with a weight that divides them, or with a colour, which is ignored.
    fn vertex<'a>(
        &mut self,
        words: impl Iterator<Item = &'a str>,
        line: &str,
    ) -> Result<(), Problem> {
        let bad = || Problem::malformed("`v` with three coordinates", quote(line.trim()));
        let mut numbers = [0.0_f32, 0.0, 0.0, 1.0];
        let mut given = 0;
        for word in words {
            if let Some(number) = numbers.get_mut(given) {
                *number = word.parse().map_err(|_| bad())?;
            }
            given += 1;
        }
        if given < 3 {
            return Err(bad());
        }
        let [x, y, z, fourth] = numbers;
        let weight = if given == 4 { fourth } else { 1.0 };
        let number = u64::from(self.soup.vertices()) + FIRST;
        self.soup.vertex(number, [x, y, z].map(|coordinate| coordinate / weight))
    }

    /// `f a b c ...`, where a corner may end with `/texture/normal`, which are ignored.
    fn face<'a>(
        &mut self,
        words: impl Iterator<Item = &'a str>,
        line: &str,
    ) -> Result<(), Problem> {
        let vertices = i64::from(self.soup.vertices());
        self.corners.clear();
        for word in words {
            let first = word.split_once('/').map_or(word, |(vertex, _)| vertex);
            let index: i64 = first
                .parse()
                .map_err(|_| Problem::malformed("`f` with vertex numbers", quote(line.trim())))?;
            // Counted from 1, or backwards from the last vertex, which is -1.
            let at = if index < 0 { vertices.saturating_add(index) } else { index - 1 };
            let Ok(corner) = u32::try_from(at) else {
                return Err(self.out_of_range(self.face, index));
            };
            if at >= vertices {
                self.forward.push(Forward { line: self.number, face: self.face, index });
            }
            self.corners.push(corner);
        }
        self.face += 1;
        self.soup.face(&self.corners)
    }

    fn out_of_range(&self, face: u64, index: i64) -> Problem {
        Problem::IndexOutOfRange {
            face,
            index,
            vertices: self.soup.vertices().into(),
            first: FIRST,
        }
    }

    /// Checks the references to later vertices, and returns the soup.
    fn finish(self) -> Result<Soup> {
        let vertices = i64::from(self.soup.vertices());
        match self.forward.iter().find(|forward| forward.index > vertices) {
            Some(lost) => Err(self.out_of_range(lost.face, lost.index).at(Place::Line(lost.line))),
            None => Ok(self.soup),
        }
    }
}
