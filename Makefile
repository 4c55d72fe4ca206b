# The targets of mac-stats. `make` without a target lists them.

# no_animations: the toolkit's caret fade repaints the whole window several times a
# second; with it an open window costs five times as much.
TAGS     := migrated_fynedo,no_animations
# Only FyneApp.toml has the version. A build from a commit without that tag also names the
# commit.
RELEASE  := $(shell sed -n 's/^Version *= *"\(.*\)"/\1/p' FyneApp.toml)
COMMIT   := $(shell git describe --always --dirty --abbrev=9 --exclude '*' 2>/dev/null)
VERSION  := $(RELEASE)$(if $(shell git describe --exact-match --match v$(RELEASE) 2>/dev/null),,$(if $(COMMIT),+$(COMMIT)))
LDFLAGS  := -X main.version=$(VERSION)
PREFIX   ?= $(HOME)/.local
ARTIFACTS ?= $(CURDIR)/artifacts
# The selected end-to-end tests: the walk in one theme; the other only on request.
WALK     := -skip ^TestWalkThrough$$/^light$$

.PHONY: help run install uninstall package build build-nogui build-windows test test-systems bench quality discord-load model kills sidebyside e2e walk lint fmt fuzz clean

help: ## list the targets
	@sed -n 's/^\([a-z0-9-]*\):.*## /\1\t/p' $(MAKEFILE_LIST) | expand -t 14

run: ## install what is missing, build, start the app
	@scripts/setup.sh build
	@$(MAKE) --no-print-directory build
	@echo 'mac-stats is built: $(CURDIR)/bin/mac-stats. `make install` puts it where your shell finds it.'
	bin/mac-stats

install: build ## install PREFIX/bin/mac-stats (PREFIX=~/.local), on Linux with a menu entry
	@PREFIX='$(PREFIX)' scripts/install.sh install

uninstall: ## remove the installed files; your data stays
	@PREFIX='$(PREFIX)' scripts/install.sh uninstall

package: build ## build packages in dist/: a tarball, a .deb and a zip for Windows (Linux), an .app and a disk image (on a Mac)
	@scripts/package.sh

build: ## build bin/mac-stats
	go build -tags $(TAGS) -trimpath -ldflags '$(LDFLAGS)' -o bin/mac-stats ./app

build-nogui: ## build bin/mac-stats-nogui: the commands and --headless, without a window system
	CGO_ENABLED=0 go build -tags nogui -trimpath -ldflags '$(LDFLAGS)' -o bin/mac-stats-nogui ./app

build-windows: ## build bin/windows/mac-stats.exe with mingw-w64
	@mkdir -p bin/windows
	@CGO_ENABLED=0 go run ./app/bundle resources bin/windows >/dev/null
	@x86_64-w64-mingw32-windres -O coff bin/windows/mac-stats.rc app/resources_windows_amd64.syso
	CGO_ENABLED=1 GOOS=windows GOARCH=amd64 CC=x86_64-w64-mingw32-gcc \
		go build -tags $(TAGS) -trimpath -ldflags '$(LDFLAGS) -H=windowsgui' -o bin/windows/mac-stats.exe ./app

test: ## run all checks; installs what they need
	@scripts/test.sh

test-systems: ## test Windows under Wine, Wayland desktops (sway, GNOME, Plasma), the MCP client with others' suite and servers, the newest Ollama server, the Objective-C for macOS, and the packages; installs what it needs
	@scripts/setup.sh systems
	@scripts/objc.sh
	@scripts/wine.sh
	@scripts/sway.sh
	@scripts/desktops.sh
	@scripts/mcp.sh
	@MAC_STATS_TEST_OLLAMA=$$(scripts/ollama.sh newest) scripts/test.sh ollama
	@scripts/packages.sh

bench: ## measure the promised figures and print a table
	@scripts/bench.sh

quality: ## walk through the main job with a real Ollama and small real models; with BENCH=<folder> also measure search (MODEL=1: by meaning too); with MODEL=<name> [SMALL= EMBED= TIER= ONLY= FLAGS=] how well a model does the app's work; COMPARE="<results> <results>"
	@MAC_STATS_BENCH='$(BENCH)' MAC_STATS_QUALITY_LABEL='$(VERSION)' scripts/quality.sh \
		$(if $(COMPARE),compare $(COMPARE),$(if $(filter-out 1,$(MODEL)),chat '$(MODEL)' '$(SMALL)' '$(EMBED)' '$(TIER)' '$(ONLY)' '$(FLAGS)',$(if $(MODEL),model)))

sidebyside: ## compare the app's cost with other system monitors
	@scripts/sidebyside.sh

e2e: build ## test the built app on virtual screens, five at a time, with a real Ollama; screenshots in artifacts/
	@mkdir -p $(ARTIFACTS)
	CGO_ENABLED=0 MAC_STATS_TEST_OLLAMA=$$(scripts/ollama.sh) MAC_STATS_TEST_BINARY=$(CURDIR)/bin/mac-stats \
		MAC_STATS_TEST_ARTIFACTS=$(ARTIFACTS) go test -count=1 -trimpath -vet=off -parallel 5 -tags e2e $(WALK) ./app/e2etest/...

discord-load: ## load the Discord bot: 1,000 interleaved messages, then 100 channels with 50 messages per second for a minute
	MAC_STATS_DISCORD_FULL=1 CGO_ENABLED=0 go test -count=1 -v -run 'InterleavedPlaces|TestLoad' ./app/discord

model: ## take 100,000 random steps on sessions, and 100,000 of the app beside an editor, with a new seed each time
	MAC_STATS_MODEL_STEPS=100000 CGO_ENABLED=0 go test -count=1 -v -timeout 2h -run '^TestModel$$' ./sessionmem/session ./agents

kills: ## kill everything 800 times at random moments, fill the disk 400 times, and check that nothing acknowledged is lost; then kill the app and a memory server 100 times while they sync
	MAC_STATS_STORM_CYCLES=800 CGO_ENABLED=0 go test -count=1 -v -timeout 2h -run '^Test(Kill|DiskFull)Storm$$' ./app/failuretest
	MAC_STATS_TEST_POSTGRES=$$(scripts/postgres.sh) MAC_STATS_SERVER_KILLS=100 CGO_ENABLED=0 go test -count=1 -v -run '^TestKilledInMidSync$$' ./sessionmem/recall/postgres

walk: ## walk through a person's first hour, dark and light, with a picture of each step in artifacts/TestWalkThrough
	@$(MAKE) --no-print-directory e2e WALK='-run ^TestWalkThrough$$$$'

lint: ## run only the linters
	@scripts/test.sh format vet lint

fmt: ## format all Go files
	"$$(scripts/tools.sh)/gofumpt" -w .

fuzz: ## fuzz every target for a minute each
	@FUZZ_TIME=1m scripts/test.sh fuzz

clean: ## remove the built files (the test cache in ~/.cache/mac-stats-test stays)
	rm -rf bin dist artifacts
