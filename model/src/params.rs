use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

/// A named set of algorithm parameters. Every score names the model that made it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Model {
    pub name: String,
    /// Items whose mention is older than this are outside the window.
    pub window_hours: f64,
    pub grouping: Grouping,
    pub heat: HeatParams,
}

/// Parameters of similarity and grouping.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Grouping {
    /// Groups merge when their average similarity, decayed by time, reaches this.
    pub threshold: f64,
    /// Similarity decays by exp(−Δt / this).
    pub decay_hours: f64,
    /// Pairs of items further apart than this count as not similar at all.
    pub reach_hours: f64,
    /// Pairs of items less similar than this count as not similar at all.
    pub floor: f64,
    /// Larger groups may be less alike: the average is multiplied by
    /// min(mean size of the two groups, `size_limit`) ^ `size_exponent`.
    pub size_exponent: f64,
    pub size_limit: f64,
    /// One item at least must be as similar to the other group as this share of the average inside
    /// the looser of the two groups, which counts up to `cohesion_limit`.
    pub cohesion_share: f64,
    pub cohesion_limit: f64,
    /// Added to both counts when a word's rarity is taken: ln((texts + s) / (texts with it + s)).
    pub smoothing: f64,
    /// Characters of the lede that are compared.
    pub lede_chars: u32,
    /// Factor on the weight of a word that is a number.
    pub number_factor: f64,
    /// The same for numbers of one or two digits: days and ages, which tell happenings apart badly.
    pub small_number_factor: f64,
    /// Factor on the weight of a word capitalised in mid-sentence.
    pub capital_factor: f64,
    /// Factor on the weight of a word's beginning, which it shares with kindred words.
    pub kin_factor: f64,
    /// Share of the shorter text's three-word shingles that makes two items copies of one text.
    pub copy_containment: f64,
}

/// Parameters of the five factors of heat.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct HeatParams {
    /// Spread is never taken for shorter than this.
    pub spread_floor_hours: f64,
    /// Mean standing time that makes persistence 2.
    pub persistence_unit_hours: f64,
    /// Time in which an event without new mentions loses half of its heat.
    pub half_life_hours: f64,
    /// Weight in velocity of a newsroom whose only text is a copy of another's.
    pub copy_weight: f64,
}

impl Model {
    /// The board's model.
    #[must_use]
    pub fn v1() -> Self {
        Self {
            name: "v1".to_owned(),
            window_hours: 72.0,
            grouping: Grouping {
                threshold: 0.155,
                decay_hours: 48.0,
                reach_hours: 48.0,
                floor: 0.05,
                size_exponent: 0.3,
                size_limit: 4.0,
                cohesion_share: 0.7,
                cohesion_limit: 0.5,
                smoothing: 4.0,
                lede_chars: 180,
                number_factor: 1.5,
                small_number_factor: 0.3,
                capital_factor: 1.5,
                kin_factor: 0.6,
                copy_containment: 0.7,
            },
            heat: HeatParams {
                spread_floor_hours: 0.5,
                persistence_unit_hours: 2.0,
                half_life_hours: 8.0,
                copy_weight: 1.0,
            },
        }
    }

    /// `v1`, but a copy of another newsroom's text counts a quarter in velocity.
    #[must_use]
    pub fn v2() -> Self {
        let mut model = Self::v1();
        model.name = "v2".to_owned();
        model.heat.copy_weight = 0.25;
        model
    }

    /// All models that this version can compute, the board's first.
    #[must_use]
    pub fn all() -> Vec<Self> {
        vec![Self::v1(), Self::v2()]
    }

    /// SHA-256 of the model written as JSON, lower-case hexadecimal: two models are equal when their
    /// hashes are.
    #[must_use]
    pub fn hash(&self) -> String {
        // Names and numbers: writing them cannot fail.
        let json = serde_json::to_vec(self).unwrap_or_default();
        Sha256::digest(json).iter().map(|byte| format!("{byte:02x}")).collect()
    }

    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        Self::all().into_iter().find(|model| model.name == name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_model_is_data_and_its_hash_tells_it_from_every_other() {
        let models = Model::all();
        for (index, model) in models.iter().enumerate() {
            let json = serde_json::to_string(model).unwrap();
            let read: Model = serde_json::from_str(&json).unwrap();
            assert_eq!(read, *model);
            assert_eq!((read.hash(), read.hash().len()), (model.hash(), 64));
            assert!(models[..index].iter().all(|other| other.hash() != model.hash()));
            assert_eq!(Model::named(&model.name).as_ref(), Some(model));
        }
        let mut other = Model::v1();
        other.heat.half_life_hours += 1e-12;
        assert_ne!(other.hash(), Model::v1().hash());
    }
}
