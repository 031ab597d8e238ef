# Compiles the core and its tests into $(FOLDER)/run, with the target $(FOLDER)/hashes the core and
# tests/portability/, and with $(FOLDER)/allocations the core and tests/faults/, which takes all its
# calls of malloc() (Linux). GNU make; called by tools/core-tests and tools/portability, which set
# FOLDER, CXX, FLAGS, TEST_FLAGS (after FLAGS, of the tests alone, which take longer to compile than to
# run; what core has too the linker takes from core) and INCLUDES. Assertions of Eigen stay on, unlike
# in the package.
CORE := $(patsubst %.cpp,$(FOLDER)/%.o,$(wildcard src/core/*/*.cpp))
TESTS := $(patsubst %.cpp,$(FOLDER)/%.o,$(wildcard tests/core/*.cpp tests/core/*/*.cpp))
HASHES := $(FOLDER)/tests/portability/fit_hashes.o
ALLOCATIONS := $(FOLDER)/tests/faults/allocations.o

$(FOLDER)/run: $(CORE) $(TESTS)
	$(CXX) $(FLAGS) -o '$@' $(^:%='%')

$(FOLDER)/hashes: $(CORE) $(HASHES)
	$(CXX) $(FLAGS) -o '$@' $(^:%='%')

$(FOLDER)/allocations: $(CORE) $(ALLOCATIONS)
	$(CXX) $(FLAGS) -Wl,--wrap=malloc -o '$@' $(^:%='%')

# The settings are a dependency too: other flags or another compiler mean other objects.
$(FOLDER)/%.o: %.cpp $(FOLDER)/settings
	@mkdir -p '$(@D)'
	$(CXX) $(FLAGS) $(if $(filter tests/%,$<),$(TEST_FLAGS)) -Wall -Wextra -Wpedantic -Isrc/core -Itests/core $(INCLUDES) -MMD -MP -c -o '$@' $<

$(FOLDER)/settings: FORCE
	@echo "$(CXX) $(FLAGS) $(TEST_FLAGS) $(INCLUDES)" | cmp -s - '$@' || \
	  echo "$(CXX) $(FLAGS) $(TEST_FLAGS) $(INCLUDES)" > '$@'

FORCE:
.PHONY: FORCE

-include $(CORE:.o=.d) $(TESTS:.o=.d) $(HASHES:.o=.d) $(ALLOCATIONS:.o=.d)
