"""PARTElang: its syntax, its compiler to networks, the machine, its rules and schedules."""
