# Compiles the core and its tests into $(FOLDER)/run. GNU make; called by tools/core-tests, which
# sets FOLDER, CXX, FLAGS and INCLUDES. Assertions of Eigen stay on, unlike in the package.
SOURCES := $(wildcard src/core/*/*.cpp tests/core/*.cpp tests/core/*/*.cpp)
OBJECTS := $(SOURCES:%.cpp=$(FOLDER)/%.o)

$(FOLDER)/run: $(OBJECTS)
	$(CXX) $(FLAGS) -o '$@' $(OBJECTS:%='%')

# The settings are a dependency too: other flags or another compiler mean other objects.
$(FOLDER)/%.o: %.cpp $(FOLDER)/settings
	@mkdir -p '$(@D)'
	$(CXX) $(FLAGS) -g -Wall -Wextra -Wpedantic -Isrc/core -Itests/core $(INCLUDES) -MMD -MP -c -o '$@' $<

$(FOLDER)/settings: FORCE
	@echo "$(CXX) $(FLAGS) $(INCLUDES)" | cmp -s - '$@' || \
	  echo "$(CXX) $(FLAGS) $(INCLUDES)" > '$@'

FORCE:
.PHONY: FORCE

-include $(OBJECTS:.o=.d)
