//! Falling bodies.
use std::f64;

/// Gravity at sea level, in m/s².
pub const G: f64 = 9.81;

/// A body of some mass.
#[derive(Debug)]
pub struct Faller {
    mass: f64,
}

impl Faller {
    /// Its weight in newtons; "größe" is no ASCII.
    pub fn weight(&self) -> f64 {
        self.mass * G
    }
}

fn main() {
    println!("{}", Faller { mass: 1.0 }.weight());
}
