# The habits in front of meson: see meson.build for what is built.
BUILD = build
ARGS =

all: $(BUILD)/build.ninja
	@ninja -C $(BUILD) product

# … and the tests, their helpers and the benchmarks
everything: $(BUILD)/build.ninja
	@ninja -C $(BUILD)

$(BUILD)/build.ninja:
	@command -v meson >/dev/null || { echo "meson is missing: run scripts/setup.sh first" >&2; exit 1; }
	meson setup --buildtype=release $(BUILD)

setup:
	@scripts/setup.sh

# Setup first, whatever -j says.
demo: setup
	@$(MAKE) --no-print-directory all
	@scripts/demo.sh $(BUILD)

# Every test, those of test-quick first.
test: setup
	@$(MAKE) --no-print-directory everything
	@scripts/test.sh $(BUILD) $(ARGS)

# Less than a minute, for every day: what it needs is built, and no more.
test-quick: all
	@scripts/test.sh $(BUILD) --suite quick $(ARGS)

# Programs from Debian's source packages: needs the network the first time, and some minutes.
test-real: all
	@tests/real/run $(BUILD) $(ARGS)

# clang's libFuzzer on what reads files: so many seconds for each reader, or FUZZ=replay for one of them.
FUZZ_SECONDS = 60
FUZZ =
fuzz: everything
	@tests/fuzz.sh $(BUILD) $(FUZZ_SECONDS) $(FUZZ)

bench: everything
	@meson test -C $(BUILD) --benchmark --verbose --num-processes 1 $(ARGS)

install: all
	@meson install -C $(BUILD) --no-rebuild

# One file at a time: clang-tidy 14 sees uninitialised va_lists after the first; and it takes no option of gcc's alone.
# cppcheck does not know __VA_OPT__ and macros that make whole functions, takes the types of declarations that sync.def makes for names
# of arguments, and does not read the headers of the compiler's plugins.
lint: everything
	@mkdir -p $(BUILD)/lint
	@sed 's/ -fno-tree-loop-distribute-patterns//g' $(BUILD)/compile_commands.json >$(BUILD)/lint/compile_commands.json
	@git ls-files -z 'src/*.c' | xargs -0 -n 1 -P "$$(nproc)" clang-tidy --quiet -p $(BUILD)/lint
	@cppcheck --quiet --project=$(BUILD)/compile_commands.json --enable=warning,portability --inline-suppr \
		--library=scripts/cppcheck.cfg --suppress=missingIncludeSystem --suppress=varFuncNullUB --suppress=syntaxError:src/engine/model/openmp/worksharing.c \
		--suppress=syntaxError:src/engine/model/io/file_names.c --suppress=funcArgOrderDifferent --suppress=unknownMacro:src/plugin/gcc_slices.hh --error-exitcode=1

format:
	@clang-format -i $$(git ls-files '*.c' '*.h')

clean:
	rm -rf $(BUILD)

.PHONY: all everything setup demo test test-quick test-real fuzz bench install lint format clean
