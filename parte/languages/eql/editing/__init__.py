"""EQL in editors."""
