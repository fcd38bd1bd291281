"""The wing of proofs: digests, trees and signatures."""
