"""All seeded faults."""

from tests.mutants.controller_faults import CONTROLLER_FAULTS
from tests.mutants.engine_faults import ENGINE_FAULTS
from tests.mutants.gate_faults import GATE_FAULTS
from tests.mutants.record_faults import RECORD_FAULTS
from tests.mutants.resize_faults import RESIZE_FAULTS
from tests.mutants.statefulset_faults import STATEFULSET_FAULTS
from tests.mutants.trace_faults import TRACE_FAULTS
from tests.mutants.version_faults import VERSION_FAULTS

FAULTS = (
    *ENGINE_FAULTS,
    *RECORD_FAULTS,
    *CONTROLLER_FAULTS,
    *GATE_FAULTS,
    *RESIZE_FAULTS,
    *STATEFULSET_FAULTS,
    *TRACE_FAULTS,
    *VERSION_FAULTS,
)
