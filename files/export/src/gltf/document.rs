//! The JSON tables of a glTF file, and the binary data that they describe.

use std::collections::HashMap;

use gltf_json::accessor::{Accessor, ComponentType, GenericComponentType, Type};
use gltf_json::animation::{Animation, Channel, Interpolation, Property, Sampler, Target};
use gltf_json::buffer::{Buffer, Stride, Target as Use, View};
use gltf_json::material::{Material, PbrBaseColorFactor, PbrMetallicRoughness, StrengthFactor};
use gltf_json::mesh::{Mode, Primitive, Semantic};
use gltf_json::scene::{Scene, UnitQuaternion};
use gltf_json::validation::{Checked, USize64};
use gltf_json::{Asset, Extras, Index, Node, Root, Value};

use crate::{Look, Mesh, Pose};

/// See the [module](self).
pub(super) struct Document {
    root: Root,
    head: Vec<u8>,
    keys: usize,
    times: Option<Index<Accessor>>,
    animation: Animation,
    top: Vec<Index<Node>>,
    materials: HashMap<(Look, [u8; 3]), Index<Material>>,
}

/// The tables of the key frames: for each skin, for each key, the positions and the normals.
pub(super) struct DeltaTables {
    pub(super) accessors: Vec<Vec<KeyTables>>,
    pub(super) bytes: u64,
}

/// What the tables of a skin hold.
pub(super) struct SkinSize {
    pub(super) vertices: usize,
    pub(super) has_normals: bool,
}

/// The tables of a skin at a key.
#[derive(Clone, Copy)]
pub(super) struct KeyTables {
    pub(super) positions: Index<Accessor>,
    pub(super) normals: Option<Index<Accessor>>,
}

/// The content of a table.
struct Kind {
    type_: Type,
    component: ComponentType,
    what_for: Option<Use>,
}

const VERTICES: Kind =
    Kind { type_: Type::Vec3, component: ComponentType::F32, what_for: Some(Use::ArrayBuffer) };
const INDICES: Kind = Kind {
    type_: Type::Scalar,
    component: ComponentType::U32,
    what_for: Some(Use::ElementArrayBuffer),
};

fn keyed(type_: Type) -> Kind {
    Kind { type_, component: ComponentType::F32, what_for: None }
}

/// Converts sRGB to linear, which glTF uses.
fn linear(colour: [u8; 3]) -> [f32; 4] {
    let [r, g, b] = colour.map(|c| {
        let c = f32::from(c) / 255.0;
        if c <= 0.040_45 { c / 12.92 } else { ((c + 0.055) / 1.055).powf(2.4) }
    });
    [r, g, b, 1.0]
}

impl Document {
    /// `times` of the keys, s.
    pub(super) fn new(times: &[f32]) -> Self {
        let root = Root {
            asset: Asset { generator: Some("taut".into()), ..Asset::default() },
            ..Root::default()
        };
        let animation = Animation {
            channels: Vec::new(),
            samplers: Vec::new(),
            name: Some("run".into()),
            extensions: None,
            extras: Extras::default(),
        };
        let mut document = Self {
            root,
            head: Vec::new(),
            keys: times.len(),
            times: None,
            animation,
            top: Vec::new(),
            materials: HashMap::new(),
        };
        if let (true, [first, .., last]) = (times.len() > 1, times) {
            let (first, last) = ([*first], [*last]);
            let bounds = Some([&first[..], &last[..]]);
            document.times = Some(document.table(
                bytemuck::cast_slice(times),
                times.len(),
                &keyed(Type::Scalar),
                bounds,
            ));
        }
        document
    }

    fn view(&mut self, offset: u64, bytes: u64, what_for: Option<Use>) -> Index<View> {
        let stride = (what_for == Some(Use::ArrayBuffer)).then_some(Stride(12));
        self.root.push(View {
            buffer: Index::new(0),
            byte_length: USize64(bytes),
            byte_offset: Some(USize64(offset)),
            byte_stride: stride,
            name: None,
            target: what_for.map(Checked::Valid),
            extensions: None,
            extras: Extras::default(),
        })
    }

    fn accessor(
        &mut self,
        view: Index<View>,
        offset: u64,
        count: usize,
        kind: &Kind,
        bounds: Option<[&[f32]; 2]>,
    ) -> Index<Accessor> {
        let list = |numbers: &[f32]| Value::from(numbers.to_vec());
        self.root.push(Accessor {
            buffer_view: Some(view),
            byte_offset: Some(USize64(offset)),
            count: USize64(count as u64),
            component_type: Checked::Valid(GenericComponentType(kind.component)),
            type_: Checked::Valid(kind.type_),
            min: bounds.map(|[min, _]| list(min)),
            max: bounds.map(|[_, max]| list(max)),
            name: None,
            normalized: false,
            sparse: None,
            extensions: None,
            extras: Extras::default(),
        })
    }

    /// Adds data and its table. All data is of whole 4 bytes.
    fn table(
        &mut self,
        bytes: &[u8],
        count: usize,
        kind: &Kind,
        bounds: Option<[&[f32]; 2]>,
    ) -> Index<Accessor> {
        let view = self.view(self.head.len() as u64, bytes.len() as u64, kind.what_for);
        self.head.extend(bytes);
        self.accessor(view, 0, count, kind, bounds)
    }

    /// The numbers of the corners of faces, or of the ends of lines.
    pub(super) fn indices(&mut self, indices: &[u32]) -> Index<Accessor> {
        self.table(bytemuck::cast_slice(indices), indices.len(), &INDICES, None)
    }

    /// The material of a look, told apart from others of it by its colour.
    pub(super) fn material(&mut self, look: Look, nth: usize) -> Index<Material> {
        let colour = look.colour(nth);
        let root = &mut self.root;
        *self.materials.entry((look, colour)).or_insert_with(|| {
            root.push(Material {
                name: Some(format!("{look:?}").to_lowercase()),
                double_sided: look != Look::Ground,
                pbr_metallic_roughness: PbrMetallicRoughness {
                    base_color_factor: PbrBaseColorFactor(linear(colour)),
                    metallic_factor: StrengthFactor(0.0),
                    roughness_factor: StrengthFactor(if look == Look::Body { 0.5 } else { 0.85 }),
                    ..PbrMetallicRoughness::default()
                },
                ..Material::default()
            })
        })
    }

    /// A rigid mesh.
    pub(super) fn mesh(
        &mut self,
        name: &str,
        mesh: &Mesh,
        material: Index<Material>,
    ) -> Index<gltf_json::Mesh> {
        let [min, max] = super::bounds_of(&mesh.points);
        let count = mesh.points.len();
        let points = bytemuck::cast_slice(&mesh.points);
        let positions = self.table(points, count, &VERTICES, Some([&min, &max]));
        let normals = self.table(bytemuck::cast_slice(&mesh.normals), count, &VERTICES, None);
        let indices = self.indices(mesh.triangles.as_flattened());
        let primitive = primitive(
            KeyTables { positions, normals: Some(normals) },
            indices,
            material,
            Mode::Triangles,
        );
        self.deforming(name, vec![primitive])
    }

    /// A mesh of primitives that are complete.
    pub(super) fn deforming(
        &mut self,
        name: &str,
        primitives: Vec<Primitive>,
    ) -> Index<gltf_json::Mesh> {
        self.root.push(gltf_json::Mesh {
            name: Some(name.to_owned()),
            primitives,
            weights: None,
            extensions: None,
            extras: Extras::default(),
        })
    }

    /// A node at the top.
    pub(super) fn node(&mut self, name: &str, mesh: Option<Index<gltf_json::Mesh>>) -> Index<Node> {
        let node = self.root.push(Node { name: Some(name.to_owned()), mesh, ..Node::default() });
        self.top.push(node);
        node
    }

    /// A node below another.
    pub(super) fn child(&mut self, of: Index<Node>, mesh: Index<gltf_json::Mesh>) -> Index<Node> {
        let node = self.root.push(Node { mesh: Some(mesh), ..Node::default() });
        self.root.nodes[of.value()].children.get_or_insert_default().push(node);
        node
    }

    /// Where a node is at each key; one that does not move is just there.
    pub(super) fn place(&mut self, node: Index<Node>, poses: &[Pose]) {
        let moves = poses.iter().any(|pose| pose != &poses[0]);
        let it = &mut self.root.nodes[node.value()];
        it.translation = Some(poses[0].position);
        it.rotation = Some(UnitQuaternion(poses[0].rotation));
        if moves {
            let positions: Vec<[f32; 3]> = poses.iter().map(|pose| pose.position).collect();
            let rotations: Vec<[f32; 4]> = poses.iter().map(|pose| pose.rotation).collect();
            let keys = poses.len();
            let at = self.table(bytemuck::cast_slice(&positions), keys, &keyed(Type::Vec3), None);
            self.animate(node, Property::Translation, at);
            let turn = self.table(bytemuck::cast_slice(&rotations), keys, &keyed(Type::Vec4), None);
            self.animate(node, Property::Rotation, turn);
        }
    }

    /// How large a node is at each key.
    pub(super) fn scale(&mut self, node: Index<Node>, scales: &[[f32; 3]]) {
        self.root.nodes[node.value()].scale = Some(scales[0]);
        let bits = |scale: &[f32; 3]| scale.map(f32::to_bits);
        if scales.iter().any(|scale| bits(scale) != bits(&scales[0])) {
            let bytes = bytemuck::cast_slice(scales);
            let scales = self.table(bytes, scales.len(), &keyed(Type::Vec3), None);
            self.animate(node, Property::Scale, scales);
        }
    }

    /// The weights of the morph targets, which are all keys but the first; none of a single key.
    pub(super) fn weights(&mut self) -> Option<Index<Accessor>> {
        let targets = self.keys - 1;
        let weights: Vec<f32> = (0..self.keys)
            .flat_map(|key| (1..=targets).map(move |target| f32::from(u8::from(target == key))))
            .collect();
        self.times?;
        Some(self.table(bytemuck::cast_slice(&weights), weights.len(), &keyed(Type::Scalar), None))
    }

    /// Moves something of a node by a table with an item, or a row, for each key.
    pub(super) fn animate(&mut self, node: Index<Node>, path: Property, output: Index<Accessor>) {
        let Some(input) = self.times else { return };
        let sampler = Index::push(
            &mut self.animation.samplers,
            Sampler {
                input,
                interpolation: Checked::Valid(Interpolation::Linear),
                output,
                extensions: None,
                extras: Extras::default(),
            },
        );
        self.animation.channels.push(Channel {
            sampler,
            target: Target {
                node,
                path: Checked::Valid(path),
                extensions: None,
                extras: Extras::default(),
            },
            extensions: None,
            extras: Extras::default(),
        });
    }

    /// The tables of key frames, which follow the rest: key by key, and in each skin by skin.
    pub(super) fn deltas(
        &mut self,
        skins: &[SkinSize],
        bounds: &[Vec<[[f32; 3]; 2]>],
    ) -> DeltaTables {
        let length = |skin: &SkinSize| 12 * skin.vertices as u64;
        let a_key: u64 =
            skins.iter().map(|skin| length(skin) * (1 + u64::from(skin.has_normals))).sum();
        let bytes = a_key * bounds.len() as u64;
        let mut accessors = vec![Vec::with_capacity(bounds.len()); skins.len()];
        if bytes > 0 {
            let view = self.view(self.head.len() as u64, bytes, Some(Use::ArrayBuffer));
            let mut offset = 0;
            for bounds in bounds {
                for (nth, skin) in skins.iter().enumerate() {
                    let (count, [min, max]) = (skin.vertices, &bounds[nth]);
                    let positions = self.accessor(view, offset, count, &VERTICES, Some([min, max]));
                    offset += length(skin);
                    let normals = skin.has_normals.then(|| {
                        let normals = self.accessor(view, offset, count, &VERTICES, None);
                        offset += length(skin);
                        normals
                    });
                    accessors[nth].push(KeyTables { positions, normals });
                }
            }
        }
        DeltaTables { accessors, bytes }
    }

    /// The JSON chunk and the data.
    pub(super) fn finish(mut self, deltas: u64) -> Result<(Vec<u8>, Vec<u8>), serde_json::Error> {
        self.root.push(Buffer {
            byte_length: USize64(self.head.len() as u64 + deltas),
            name: None,
            uri: None,
            extensions: None,
            extras: Extras::default(),
        });
        if !self.animation.channels.is_empty() {
            self.root.push(self.animation);
        }
        let scene = self.root.push(Scene {
            nodes: self.top,
            name: None,
            extensions: None,
            extras: Extras::default(),
        });
        self.root.scene = Some(scene);
        let mut json = serde_json::to_vec(&self.root)?;
        // Chunks are of whole 4 bytes; JSON is filled up with blanks.
        json.resize(json.len().next_multiple_of(4), b' ');
        Ok((json, self.head))
    }
}

/// The kind of primitive.
pub(super) fn primitive(
    tables: KeyTables,
    indices: Index<Accessor>,
    material: Index<Material>,
    mode: Mode,
) -> Primitive {
    let mut attributes = std::collections::BTreeMap::new();
    attributes.insert(Checked::Valid(Semantic::Positions), tables.positions);
    if let Some(normals) = tables.normals {
        attributes.insert(Checked::Valid(Semantic::Normals), normals);
    }
    Primitive {
        attributes,
        indices: Some(indices),
        material: Some(material),
        mode: Checked::Valid(mode),
        targets: None,
        extensions: None,
        extras: Extras::default(),
    }
}
