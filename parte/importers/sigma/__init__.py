"""Rules of Sigma (docs/importing-sigma.md): detections, and correlations of them."""

from parte.importers.sigma.programs import rules as rules
