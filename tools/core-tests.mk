# Compiles the core and its tests into $(FOLDER)/run, with the target $(FOLDER)/hashes the core and
# tests/portability/, and with $(FOLDER)/allocations the core and tests/faults/, which takes all its
# calls of malloc() (Linux), with $(FOLDER)/fuzz-fit and its like the core and a file of
# tests/fuzz/core (clang). GNU make; called by tools/core-tests, tools/portability and
# tools/fuzz-core, which set FOLDER, CXX, FLAGS (of the core, and to link), TEST_FLAGS (of the
# tests, which take longer to compile than to run; what core has too the linker takes from core),
# INCLUDES, where builds share the tests' objects, TEST_FOLDER and TEST_CXX, and CORE, its objects,
# where the core has been compiled. Assertions of Eigen stay on, unlike in the package.
TEST_FOLDER := $(FOLDER)
TEST_CXX := $(CXX)
CORE := $(patsubst %.cpp,$(FOLDER)/%.o,$(wildcard src/core/*/*.cpp))
TESTS := $(patsubst %.cpp,$(TEST_FOLDER)/%.o,$(wildcard tests/core/*.cpp tests/core/*/*.cpp))
HASHES := $(TEST_FOLDER)/tests/portability/fit_hashes.o
ALLOCATIONS := $(TEST_FOLDER)/tests/faults/allocations.o

$(FOLDER)/run: $(CORE) $(TESTS)
	$(CXX) $(FLAGS) -pthread -o '$@' $(^:%='%')

$(FOLDER)/hashes: $(CORE) $(HASHES)
	$(CXX) $(FLAGS) -pthread -o '$@' $(^:%='%')

$(FOLDER)/allocations: $(CORE) $(ALLOCATIONS)
	$(CXX) $(FLAGS) -pthread -Wl,--wrap=malloc -o '$@' $(^:%='%')

$(FOLDER)/fuzz-%: $(CORE) $(TEST_FOLDER)/tests/fuzz/core/%.o
	$(CXX) $(FLAGS) -pthread -fsanitize=fuzzer -o '$@' $(^:%='%')

compile = $(1) -pthread -Wall -Wextra -Wpedantic -Isrc/core -Itests/core $(INCLUDES) -MMD -MP -c

$(FOLDER)/src/%.o: src/%.cpp $(FOLDER)/settings $(FOLDER)/first.h.gch
	@mkdir -p '$(@D)'
	$(call compile,$(CXX) $(FLAGS)) -include '$(FOLDER)/first.h' -o '$@' $<

$(TEST_FOLDER)/tests/core/%.o: tests/core/%.cpp $(TEST_FOLDER)/test-settings \
		$(TEST_FOLDER)/first-of-tests.h.gch
	@mkdir -p '$(@D)'
	$(call compile,$(TEST_CXX) $(TEST_FLAGS)) \
		$(if $(findstring /,$*),-include '$(TEST_FOLDER)/first-of-tests.h') -o '$@' $<

$(TEST_FOLDER)/tests/%.o: tests/%.cpp $(TEST_FOLDER)/test-settings
	@mkdir -p '$(@D)'
	$(call compile,$(TEST_CXX) $(TEST_FLAGS)) -o '$@' $<

# Eigen and Catch take longer to read than most files to compile: they are read once. Not of the
# runner of the tests, which says first what it wants of Catch.
$(FOLDER)/first.h.gch: $(FOLDER)/settings
	@echo '#include "base/eigen.h"' >'$(@:.gch=)'
	$(call compile,$(CXX) $(FLAGS)) -x c++-header -o '$@' '$(@:.gch=)'

$(TEST_FOLDER)/first-of-tests.h.gch: $(TEST_FOLDER)/test-settings
	@printf '#include <testthat.h>\n#include "random_data.h"\n' >'$(@:.gch=)'
	$(call compile,$(TEST_CXX) $(TEST_FLAGS)) -x c++-header -o '$@' '$(@:.gch=)'

# The settings are a dependency too: other flags or another compiler mean other objects.
$(FOLDER)/settings: USED = $(CXX) $(FLAGS) $(INCLUDES)
$(TEST_FOLDER)/test-settings: USED = $(TEST_CXX) $(TEST_FLAGS) $(INCLUDES)
$(FOLDER)/settings $(TEST_FOLDER)/test-settings: FORCE
	@mkdir -p '$(@D)'
	@echo "$(USED)" | cmp -s - '$@' || echo "$(USED)" > '$@'

FORCE:
.PHONY: FORCE
# What is not compiled here has no rule.
.SUFFIXES:

-include $(CORE:.o=.d) $(TESTS:.o=.d) $(HASHES:.o=.d) $(ALLOCATIONS:.o=.d)
-include $(FOLDER)/first.h.d $(TEST_FOLDER)/first-of-tests.h.d
-include $(wildcard $(TEST_FOLDER)/tests/fuzz/core/*.d)
