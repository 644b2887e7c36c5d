# How a folder of theorems is built: every file of its order.txt compiled, nothing admitted, no axiom behind any of the
# theorems that its Theorems.v lists. A Makefile that includes this names the files by LIBRARY, as in `From Parte Require`.

COQC ?= coqc
FILES := $(shell sed 's/\#.*//' order.txt)

.PHONY: all clean
all: assumptions.txt

# The files stand in the order of their dependencies; each is compiled after those before it.
%.vo: %.v order.txt
	$(COQC) -q -Q . $(LIBRARY) $<

define after
$(2).vo: $(1).vo
endef
$(foreach pair,$(join $(addsuffix :,$(filter-out $(lastword $(FILES)),$(FILES))),$(filter-out $(firstword $(FILES)),$(FILES))),$(eval $(call after,$(firstword $(subst :, ,$(pair))),$(lastword $(subst :, ,$(pair))))))

assumptions.txt: Theorems.v $(addsuffix .vo,$(FILES))
	@! grep -nE '^ *(Admitted|Axioms?|Parameters?|Conjectures?)\b|\badmit *[.;]' $(addsuffix .v,$(FILES)) Theorems.v || \
		{ echo "error: the lines above leave something unproved; prove it, or take it out" >&2; exit 1; }
	@$(COQC) -q -Q . $(LIBRARY) Theorems.v > $@.new || { cat $@.new; rm -f $@.new; exit 1; }
	@asked=$$(grep -c '^Print Assumptions' Theorems.v); closed=$$(grep -c '^Closed under the global context$$' $@.new); \
		test "$$asked" = "$$closed" || { cat $@.new >&2; rm -f $@.new; \
		echo "error: $$asked theorems are listed in Theorems.v and $$closed of them rest on nothing; see which axioms are named above" >&2; exit 1; }
	@mv $@.new $@
	@echo "$(LIBRARY): $$(grep -c '^Print Assumptions' Theorems.v) theorems, none rests on an axiom"

clean::
	rm -f .lia.cache .nia.cache *.vo *.vok *.vos *.glob .*.aux assumptions.txt assumptions.txt.new
