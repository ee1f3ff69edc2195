//! Wavefront OBJ: reads the lines `v` and `f`, and counts other geometry.
//!
//! This reader does not use `tobj`: its errors have no line number; it reads a polyline of three
//! points (`l 1 2 3`) as a triangle; and it numbers vertices by first use, so vertices without a
//! face are lost and not counted. A test compares the two readers where they should agree.

use std::borrow::Cow;

use crate::LoadOptions;
use crate::error::{Location, Problem, Result, quote};
use crate::format::{Format, is_text};
use crate::soup::Soup;

/// The number of the first vertex and of the first face in OBJ.
const FIRST: u64 = 1;

pub(crate) fn read(bytes: &[u8], options: &LoadOptions) -> Result<Soup> {
    Format::Obj.expect(bytes, is_text(bytes))?;
    let mut reader = Reader::new(options);
    // Names of groups and materials may have any encoding; numbers and keywords are ASCII.
    let text = String::from_utf8_lossy(bytes);
    let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
    let mut lines = (1..).zip(text.lines());
    while let Some((number, line)) = lines.next() {
        let line = whole_line(line, &mut lines);
        reader.line = number;
        reader.read_line(&line).map_err(|problem| problem.at(Location::Line(number)))?;
    }
    reader.finish()
}

/// Joins `line` with the lines that continue it, without comments.
fn whole_line<'a>(line: &'a str, rest: &mut impl Iterator<Item = (u64, &'a str)>) -> Cow<'a, str> {
    let (data, mut continues) = data_of(line);
    let mut whole = Cow::Borrowed(data);
    while continues && let Some((_, line)) = rest.next() {
        let (data, has_next) = data_of(line);
        continues = has_next;
        whole.to_mut().push(' ');
        whole.to_mut().push_str(data);
    }
    whole
}

/// The line without its comment, and whether the next line continues it: a line without a comment
/// that ends in a backslash. A backslash at the end of a comment belongs to the comment.
fn data_of(line: &str) -> (&str, bool) {
    if let Some((data, _comment)) = line.split_once('#') {
        return (data, false);
    }
    match line.trim_end().strip_suffix('\\') {
        Some(data) => (data, true),
        None => (line, false),
    }
}

struct Reader {
    soup: Soup,
    /// The number of the current line.
    line: u64,
    /// The corners of the current face. A buffer that is reused.
    corners: Vec<u32>,
    /// References to vertices further down in the file: rare, but valid if the vertices exist.
    forward: Vec<ForwardReference>,
    /// The number of the next face.
    face: u64,
}

struct ForwardReference {
    line: u64,
    /// The number of the face.
    face: u64,
    /// The number of the vertex, as written.
    index: i64,
}

impl Reader {
    fn new(options: &LoadOptions) -> Self {
        Self {
            soup: Soup::new(options),
            line: 0,
            corners: Vec::new(),
            forward: Vec::new(),
            face: FIRST,
        }
    }

    fn read_line(&mut self, data: &str) -> Result<(), Problem> {
        let mut words = data.split_ascii_whitespace();
        match words.next() {
            Some("v") => self.read_vertex(words, data),
            Some("f" | "fo") => self.read_face(words, data),
            Some("p" | "l" | "curv" | "curv2" | "surf") => self.soup.count_not_a_face(),
            // Keywords of the format that describe no geometry.
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

    /// Reads `v x y z`. One further number is a weight, by which the coordinates are divided. Two or
    /// more are a colour, perhaps after a weight, and are ignored.
    fn read_vertex<'a>(
        &mut self,
        words: impl Iterator<Item = &'a str>,
        line: &str,
    ) -> Result<(), Problem> {
        let malformed = || Problem::malformed("`v` with three coordinates", quote(line.trim()));
        let mut numbers = [0.0_f32, 0.0, 0.0, 1.0];
        let mut count = 0;
        for word in words {
            if let Some(number) = numbers.get_mut(count) {
                *number = word.parse().map_err(|_| malformed())?;
            }
            count += 1;
        }
        if count < 3 {
            return Err(malformed());
        }
        let [x, y, z, fourth] = numbers;
        let weight = if count == 4 { fourth } else { 1.0 };
        let number = u64::from(self.soup.vertex_count()) + FIRST;
        self.soup.add_vertex(number, [x, y, z].map(|coordinate| coordinate / weight))
    }

    /// Reads `f a b c ...`. A corner may end with `/texture/normal`, which is ignored.
    fn read_face<'a>(
        &mut self,
        words: impl Iterator<Item = &'a str>,
        line: &str,
    ) -> Result<(), Problem> {
        let vertices = i64::from(self.soup.vertex_count());
        self.corners.clear();
        for word in words {
            let vertex = word.split_once('/').map_or(word, |(vertex, _)| vertex);
            let index: i64 = vertex
                .parse()
                .map_err(|_| Problem::malformed("`f` with vertex numbers", quote(line.trim())))?;
            // Positive numbers count from 1, negative ones backwards from the last vertex, -1.
            let from_0 = if index < 0 { vertices.saturating_add(index) } else { index - 1 };
            let Ok(corner) = u32::try_from(from_0) else {
                return Err(self.out_of_range(self.face, index));
            };
            if from_0 >= vertices {
                self.forward.push(ForwardReference { line: self.line, face: self.face, index });
            }
            self.corners.push(corner);
        }
        self.face += 1;
        self.soup.add_face(&self.corners)
    }

    fn out_of_range(&self, face: u64, index: i64) -> Problem {
        Problem::IndexOutOfRange {
            face,
            index,
            vertices: self.soup.vertex_count().into(),
            first: FIRST,
        }
    }

    /// Checks the forward references, and returns the soup.
    fn finish(self) -> Result<Soup> {
        let vertices = i64::from(self.soup.vertex_count());
        match self.forward.iter().find(|forward| forward.index > vertices) {
            Some(&ForwardReference { line, face, index }) => {
                Err(self.out_of_range(face, index).at(Location::Line(line)))
            }
            None => Ok(self.soup),
        }
    }
}
