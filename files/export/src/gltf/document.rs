//! The JSON document of a glTF file, and the binary data that its accessors describe.

use std::collections::HashMap;

use gltf_json::accessor::{Accessor, ComponentType, GenericComponentType, Type};
use gltf_json::animation::{Animation, Channel, Interpolation, Property, Sampler, Target};
use gltf_json::buffer::{Buffer, Stride, Target as ViewTarget, View};
use gltf_json::material::{PbrBaseColorFactor, PbrMetallicRoughness, StrengthFactor};
use gltf_json::mesh::{Mode, Primitive, Semantic};
use gltf_json::scene::{Scene, UnitQuaternion};
use gltf_json::validation::{Checked, USize64};
use gltf_json::{Asset, Extras, Index, Node, Root, Value};

use crate::{Material, Mesh, Pose};

/// A glTF document while it is built.
pub(super) struct Document {
    root: Root,
    /// All data before the deltas of the morph targets.
    data: Vec<u8>,
    /// The number of keys: key frames of the animation.
    keys: usize,
    /// The times of the keys; `None` if there is only one key.
    times: Option<Index<Accessor>>,
    animation: Animation,
    root_nodes: Vec<Index<Node>>,
    materials: HashMap<(Material, [u8; 3]), Index<gltf_json::Material>>,
}

/// The accessors of all morph meshes at all keys. At the first key their data are the shape of the
/// mesh; at each later key they are a morph target, with the differences from the first key.
pub(super) struct MorphAccessors {
    /// For each mesh and each key.
    pub(super) accessors: Vec<Vec<ShapeAccessors>>,
    /// The length of their data, bytes.
    pub(super) bytes: u64,
}

/// The size of a morph mesh.
pub(super) struct MorphSize {
    pub(super) vertices: usize,
    pub(super) has_normals: bool,
}

impl MorphSize {
    /// The length of its positions, and of its normals if it has any, bytes.
    fn bytes_per_list(&self) -> u64 {
        12 * self.vertices as u64
    }

    /// The length of its data for a key, bytes.
    pub(super) fn bytes_per_key(&self) -> u64 {
        self.bytes_per_list() * (1 + u64::from(self.has_normals))
    }
}

/// The accessors of a mesh at a key.
#[derive(Clone, Copy)]
pub(super) struct ShapeAccessors {
    pub(super) positions: Index<Accessor>,
    pub(super) normals: Option<Index<Accessor>>,
}

/// The type of the items of an accessor, and the target of its buffer view.
struct Content {
    type_: Type,
    component: ComponentType,
    target: Option<ViewTarget>,
}

const VERTICES: Content = Content {
    type_: Type::Vec3,
    component: ComponentType::F32,
    target: Some(ViewTarget::ArrayBuffer),
};
const INDICES: Content = Content {
    type_: Type::Scalar,
    component: ComponentType::U32,
    target: Some(ViewTarget::ElementArrayBuffer),
};

/// Values at keys of an animation.
fn key_values(type_: Type) -> Content {
    Content { type_, component: ComponentType::F32, target: None }
}

/// Converts sRGB to linear colour, which glTF uses.
fn linear(colour: [u8; 3]) -> [f32; 4] {
    let [r, g, b] = colour.map(|c| {
        let c = f32::from(c) / 255.0;
        if c <= 0.040_45 { c / 12.92 } else { ((c + 0.055) / 1.055).powf(2.4) }
    });
    [r, g, b, 1.0]
}

impl Document {
    /// A document with keys at `times`, s.
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
            data: Vec::new(),
            keys: times.len(),
            times: None,
            animation,
            root_nodes: Vec::new(),
            materials: HashMap::new(),
        };
        if let (true, [first, .., last]) = (times.len() > 1, times) {
            let (first, last) = ([*first], [*last]);
            let bounds = Some([&first[..], &last[..]]);
            document.times = Some(document.add_data(
                bytemuck::cast_slice(times),
                times.len(),
                &key_values(Type::Scalar),
                bounds,
            ));
        }
        document
    }

    fn add_view(&mut self, offset: u64, bytes: u64, target: Option<ViewTarget>) -> Index<View> {
        // All vertex data are items of three `f32`: 12 bytes.
        let stride = (target == Some(ViewTarget::ArrayBuffer)).then_some(Stride(12));
        self.root.push(View {
            buffer: Index::new(0),
            byte_length: USize64(bytes),
            byte_offset: Some(USize64(offset)),
            byte_stride: stride,
            name: None,
            target: target.map(Checked::Valid),
            extensions: None,
            extras: Extras::default(),
        })
    }

    /// Adds an accessor of `count` items from `offset`, bytes, in a view. `bounds` are the smallest
    /// and the largest value of each component.
    fn add_accessor(
        &mut self,
        view: Index<View>,
        offset: u64,
        count: usize,
        content: &Content,
        bounds: Option<[&[f32]; 2]>,
    ) -> Index<Accessor> {
        let list = |values: &[f32]| Value::from(values.to_vec());
        self.root.push(Accessor {
            buffer_view: Some(view),
            byte_offset: Some(USize64(offset)),
            count: USize64(count as u64),
            component_type: Checked::Valid(GenericComponentType(content.component)),
            type_: Checked::Valid(content.type_),
            min: bounds.map(|[min, _]| list(min)),
            max: bounds.map(|[_, max]| list(max)),
            name: None,
            normalized: false,
            sparse: None,
            extensions: None,
            extras: Extras::default(),
        })
    }

    /// Adds data with an accessor. Its length must be a multiple of 4 bytes.
    fn add_data(
        &mut self,
        bytes: &[u8],
        count: usize,
        content: &Content,
        bounds: Option<[&[f32]; 2]>,
    ) -> Index<Accessor> {
        let view = self.add_view(self.data.len() as u64, bytes.len() as u64, content.target);
        self.data.extend(bytes);
        self.add_accessor(view, 0, count, content, bounds)
    }

    /// Adds the corners of faces, the ends of lines, or points.
    pub(super) fn add_indices(&mut self, indices: &[u32]) -> Index<Accessor> {
        self.add_data(bytemuck::cast_slice(indices), indices.len(), &INDICES, None)
    }

    /// The glTF material of a material and its colour for the part or rigid shape with the index
    /// `nth`, added at its first use.
    pub(super) fn material(
        &mut self,
        material: Material,
        nth: usize,
    ) -> Index<gltf_json::Material> {
        let colour = material.colour(nth);
        let root = &mut self.root;
        *self.materials.entry((material, colour)).or_insert_with(|| {
            root.push(gltf_json::Material {
                name: Some(format!("{material:?}").to_lowercase()),
                double_sided: material != Material::Ground,
                pbr_metallic_roughness: PbrMetallicRoughness {
                    base_color_factor: PbrBaseColorFactor(linear(colour)),
                    metallic_factor: StrengthFactor(0.0),
                    // Rigid bodies are glossier than all other materials.
                    roughness_factor: StrengthFactor(if material == Material::Body {
                        0.5
                    } else {
                        0.85
                    }),
                    ..PbrMetallicRoughness::default()
                },
                ..gltf_json::Material::default()
            })
        })
    }

    /// Adds a mesh without morph targets.
    pub(super) fn add_rigid_mesh(
        &mut self,
        name: &str,
        mesh: &Mesh,
        material: Index<gltf_json::Material>,
    ) -> Index<gltf_json::Mesh> {
        let [min, max] = super::bounds_of(&mesh.points);
        let count = mesh.points.len();
        let points = bytemuck::cast_slice(&mesh.points);
        let positions = self.add_data(points, count, &VERTICES, Some([&min, &max]));
        let normals = self.add_data(bytemuck::cast_slice(&mesh.normals), count, &VERTICES, None);
        let indices = self.add_indices(mesh.triangles.as_flattened());
        let primitive = primitive(
            ShapeAccessors { positions, normals: Some(normals) },
            indices,
            material,
            Mode::Triangles,
        );
        self.add_mesh(name, vec![primitive])
    }

    /// Adds a mesh.
    pub(super) fn add_mesh(
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

    /// Adds a root node.
    pub(super) fn add_node(
        &mut self,
        name: &str,
        mesh: Option<Index<gltf_json::Mesh>>,
    ) -> Index<Node> {
        let node = self.root.push(Node { name: Some(name.to_owned()), mesh, ..Node::default() });
        self.root_nodes.push(node);
        node
    }

    /// Adds a child of a node.
    pub(super) fn add_child(
        &mut self,
        parent: Index<Node>,
        mesh: Index<gltf_json::Mesh>,
    ) -> Index<Node> {
        let node = self.root.push(Node { mesh: Some(mesh), ..Node::default() });
        self.root.nodes[parent.value()].children.get_or_insert_default().push(node);
        node
    }

    /// Sets the pose of a node, and animates the node if its poses at the keys differ.
    pub(super) fn set_poses(&mut self, node: Index<Node>, poses: &[Pose]) {
        let is_moving = poses.iter().any(|pose| pose != &poses[0]);
        let target = &mut self.root.nodes[node.value()];
        target.translation = Some(poses[0].position);
        target.rotation = Some(UnitQuaternion(poses[0].rotation));
        if is_moving {
            let positions: Vec<[f32; 3]> = poses.iter().map(|pose| pose.position).collect();
            let rotations: Vec<[f32; 4]> = poses.iter().map(|pose| pose.rotation).collect();
            let keys = poses.len();
            let bytes = bytemuck::cast_slice(&positions);
            let translations = self.add_data(bytes, keys, &key_values(Type::Vec3), None);
            self.animate(node, Property::Translation, translations);
            let bytes = bytemuck::cast_slice(&rotations);
            let rotations = self.add_data(bytes, keys, &key_values(Type::Vec4), None);
            self.animate(node, Property::Rotation, rotations);
        }
    }

    /// Sets the scale of a node, and animates it if the scales at the keys differ.
    pub(super) fn set_scales(&mut self, node: Index<Node>, scales: &[[f32; 3]]) {
        self.root.nodes[node.value()].scale = Some(scales[0]);
        let bits = |scale: &[f32; 3]| scale.map(f32::to_bits);
        if scales.iter().any(|scale| bits(scale) != bits(&scales[0])) {
            let bytes = bytemuck::cast_slice(scales);
            let scales = self.add_data(bytes, scales.len(), &key_values(Type::Vec3), None);
            self.animate(node, Property::Scale, scales);
        }
    }

    /// Adds the weights of the morph targets at each key. Each key but the first has a target;
    /// returns `None` if there is only one key.
    pub(super) fn add_weights(&mut self) -> Option<Index<Accessor>> {
        let targets = self.keys - 1;
        let weights: Vec<f32> = (0..self.keys)
            .flat_map(|key| (1..=targets).map(move |target| f32::from(u8::from(target == key))))
            .collect();
        self.times?; // `None` if there is only one key
        let bytes = bytemuck::cast_slice(&weights);
        Some(self.add_data(bytes, weights.len(), &key_values(Type::Scalar), None))
    }

    /// Animates a property of a node. `output` has one item for each key, or one for each key and
    /// morph target.
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

    /// Adds the accessors of [`MorphAccessors`]. Their data follows all other data, key by key, and
    /// mesh by mesh for each key. `bounds` has the smallest and the largest coordinates for each
    /// key and mesh.
    pub(super) fn add_deltas(
        &mut self,
        meshes: &[MorphSize],
        bounds: &[Vec<[[f32; 3]; 2]>],
    ) -> MorphAccessors {
        let per_key: u64 = meshes.iter().map(MorphSize::bytes_per_key).sum();
        let bytes = per_key * bounds.len() as u64;
        let mut accessors = vec![Vec::with_capacity(bounds.len()); meshes.len()];
        if bytes > 0 {
            let view = self.add_view(self.data.len() as u64, bytes, Some(ViewTarget::ArrayBuffer));
            let mut offset = 0;
            for bounds in bounds {
                for (nth, mesh) in meshes.iter().enumerate() {
                    let (count, [min, max]) = (mesh.vertices, &bounds[nth]);
                    let bounds = Some([&min[..], &max[..]]);
                    let positions = self.add_accessor(view, offset, count, &VERTICES, bounds);
                    offset += mesh.bytes_per_list();
                    let normals = mesh.has_normals.then(|| {
                        let normals = self.add_accessor(view, offset, count, &VERTICES, None);
                        offset += mesh.bytes_per_list();
                        normals
                    });
                    accessors[nth].push(ShapeAccessors { positions, normals });
                }
            }
        }
        MorphAccessors { accessors, bytes }
    }

    /// Returns the JSON chunk and the data, which `delta_bytes` bytes of deltas must follow.
    pub(super) fn finish(
        mut self,
        delta_bytes: u64,
    ) -> Result<(Vec<u8>, Vec<u8>), serde_json::Error> {
        self.root.push(Buffer {
            byte_length: USize64(self.data.len() as u64 + delta_bytes),
            name: None,
            uri: None,
            extensions: None,
            extras: Extras::default(),
        });
        if !self.animation.channels.is_empty() {
            self.root.push(self.animation);
        }
        let scene = self.root.push(Scene {
            nodes: self.root_nodes,
            name: None,
            extensions: None,
            extras: Extras::default(),
        });
        self.root.scene = Some(scene);
        let mut json = serde_json::to_vec(&self.root)?;
        // The length of a chunk is a multiple of 4 bytes; JSON is padded with spaces.
        json.resize(json.len().next_multiple_of(4), b' ');
        Ok((json, self.data))
    }
}

/// A primitive without morph targets.
pub(super) fn primitive(
    shape: ShapeAccessors,
    indices: Index<Accessor>,
    material: Index<gltf_json::Material>,
    mode: Mode,
) -> Primitive {
    let mut attributes = std::collections::BTreeMap::new();
    attributes.insert(Checked::Valid(Semantic::Positions), shape.positions);
    if let Some(normals) = shape.normals {
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
