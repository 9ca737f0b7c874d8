"""The Java classes that MaltParser's model files hold: those, and no others, are read and written.

A serialized object names its class with a version number, flags and fields; Java refuses a class whose version number
differs from its own.
"""

from __future__ import annotations

from dataclasses import dataclass

SERIALIZABLE = 0x02  # an object is its fields
WRITES_ITSELF = 0x03  # its fields, and what its own method writes after them
ENUM = 0x12

MALT = 7526471155622776147  # the version number of all of MaltParser's own classes


@dataclass(frozen=True)
class Field:
    """A field: I (int), D (double) or J (long), or a type that is written as text, as L...; or [..."""

    name: str
    type: str

    @property
    def is_object(self) -> bool:
        """Is the type written as text?"""
        return self.type[0] in "L["


@dataclass(frozen=True)
class JavaClass:
    """What a stream says of a class."""

    name: str
    version: int
    flags: int = SERIALIZABLE
    fields: tuple[Field, ...] = ()
    parent: str = ""

    @property
    def is_array(self) -> bool:
        """Java does not look at the version number of an array."""
        return self.name[0] == "["


def _fields(text: str) -> tuple[Field, ...]:
    return tuple(Field(*field.split(":")) for field in text.split())


FEATURE_MAP = "org.maltparser.ml.lib.FeatureMap"
HASH_MAP = "org.maltparser.core.helper.HashMap"
LINEAR_MODEL = "org.maltparser.ml.lib.MaltLiblinearModel"
SOLVER_TYPE = "de.bwaldvogel.liblinear.SolverType"
VECTOR_MODEL = "org.maltparser.ml.lib.MaltLibsvmModel"
NODE = "libsvm.svm_node"
PARAMETER = "libsvm.svm_parameter"

CLASSES = {
    known.name: known
    for known in [
        JavaClass(FEATURE_MAP, MALT, fields=_fields("featureCounter:I map:Lorg/maltparser/core/helper/HashMap;")),
        JavaClass(HASH_MAP, MALT, WRITES_ITSELF),
        JavaClass("java.lang.Long", 4290774380558885855, fields=_fields("value:J"), parent="java.lang.Number"),
        JavaClass("java.lang.Integer", 1360826667806852920, fields=_fields("value:I"), parent="java.lang.Number"),
        JavaClass("java.lang.Number", -8742448824652078965),
        JavaClass(
            LINEAR_MODEL,
            MALT,
            WRITES_ITSELF,
            _fields("bias:D nr_class:I nr_feature:I labels:[I solverType:Lde/bwaldvogel/liblinear/SolverType; w:[[D"),
        ),
        JavaClass(SOLVER_TYPE, 0, ENUM, parent="java.lang.Enum"),
        JavaClass("java.lang.Enum", 0, ENUM),
        JavaClass(
            VECTOR_MODEL,
            MALT,
            fields=_fields(
                "l:I nr_class:I SV:[[Llibsvm/svm_node; label:[I nSV:[I param:Llibsvm/svm_parameter; "
                "rho:[D start:[I sv_coef:[[D"
            ),
        ),
        JavaClass(NODE, -3046511301730620312, fields=_fields("index:I value:D")),
        JavaClass(
            PARAMETER,
            -2733609912517132812,
            fields=_fields(
                "C:D cache_size:D coef0:D degree:I eps:D gamma:D kernel_type:I nr_weight:I nu:D p:D "
                "probability:I shrinking:I svm_type:I weight:[D weight_label:[I"
            ),
        ),
        JavaClass("[I", 0x4DBA602676EAB2A5),
        JavaClass("[D", 0x3EA68C14AB635A1E),
        JavaClass("[[D", 0xC7AD0BFF6467FF45 - 2**64),
        JavaClass("[Llibsvm.svm_node;", 0xA929861C2F7E024E - 2**64),
        JavaClass("[[Llibsvm.svm_node;", 0x1C2491DBD131F401),
    ]
}
