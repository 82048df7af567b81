# make tune                          tune on the bundled transcripts
# make tune LOGS=~/.claude/projects  tune on your own; OUT=folder says where the results go
# make tune POLICY=recall            the same for a prompt hook; GRAPH=git looks prompts up in the
#                                    repositories, GRAPH=path in one of them or in an export
# make tune POLICY=surface           the same for tools that answer in JSON
# make test                          every check, the tests last
# make test-lowest                   the tests on the oldest dependencies admitted (needs uv)
# make bench                         benchmarks: ratios within one run
# make docs                          write the generated tables of README.md and docs/
# make notebooks                     run the notebooks and store what they gave
# make clean                         remove environments and caches; results stay

POLICY = dedup
LOGS = $(if $(filter dedup,$(POLICY)),data/claude_code,data/$(POLICY)/sessions)
OUT = $(if $(filter dedup,$(POLICY)),ctxlab-out,ctxlab-out/$(POLICY))
# The bundled prompts have a graph of their own; yours have what the transcripts show.
GRAPH = $(if $(findstring command,$(origin LOGS)),history,data/recall/graph.jsonl)
# Reach the shell as variables: a path may hold spaces and quotes.
export POLICY LOGS OUT GRAPH

BIN := .venv/bin
# Files stay whole, for their tests share what they set up; a process takes up to 700 MB.
PARALLEL := -n auto --maxprocesses 4 --dist loadfile

.PHONY: tune test test-lowest bench docs notebooks clean
.DEFAULT_GOAL := tune

tune: .venv/installed
	@home() { case "$$1" in "~"|"~/"*) printf %s "$$HOME$${1#"~"}";; *) printf %s "$$1";; esac; }; \
	LOGS=$$(home "$$LOGS"); OUT=$$(home "$$OUT"); GRAPH=$$(home "$$GRAPH"); \
	if [ "$$POLICY" = recall ]; then \
		exec $(BIN)/ctxlab tune --policy recall --graph "$$GRAPH" --out "$$OUT" -- "$$LOGS"; \
	fi; \
	exec $(BIN)/ctxlab tune --policy "$$POLICY" --out "$$OUT" -- "$$LOGS"

# One line a check; what a check has to say is shown only if it fails.
check = @printf '%-22s' '$(1)'; if out=$$($(BIN)/$(1) 2>&1); then echo ok; \
	else echo failed; printf '%s\n' "$$out"; exit 1; fi

test: .venv/installed
	$(call check,ruff check)
	$(call check,ruff format --check)
	$(call check,mypy)
	$(call check,lint-imports)
	@echo pytest
	@$(BIN)/python -m pytest $(PARALLEL)

test-lowest: .venv-lowest/installed
	.venv-lowest/bin/python -m pytest $(PARALLEL)

bench: .venv/installed
	$(BIN)/python -m pytest benchmarks

docs: .venv/installed
	$(BIN)/python docs/generate.py

notebooks: .venv/installed
	$(BIN)/python notebooks/run.py

clean:
	rm -rf .venv .venv-lowest .pytest_cache .ruff_cache .mypy_cache .import_linter_cache \
		.hypothesis .benchmarks build dist
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

.venv/installed: pyproject.toml .ci/setup
	@.ci/setup .venv

.venv-lowest/installed: pyproject.toml .ci/setup
	@.ci/setup .venv-lowest lowest
