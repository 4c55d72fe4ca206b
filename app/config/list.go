package config

import "time"

// Settings lists all keys in the order of the default file.
func Settings() []Setting {
	var list []Setting
	for _, section := range [][]Setting{
		sessionSettings(), compactionSettings(), memorySettings(), recallSettings(), mcpSettings(), agentsSettings(), toolSettings(),
		ollamaSettings(), windowSettings(), appSettings(), shortcutSettings(), discordSettings(), monitorSettings(), alertSettings(), heartbeatSettings(), menuBarSettings(), apiSettings(),
	} {
		list = append(list, section...)
	}
	return list
}

func sessionSettings() []Setting {
	return []Setting{
		named("session.max_messages", "20", "Maximum number of messages of a session in a prompt. Your messages and the answers both count.",
			whole(func(c *Config) *int { return &c.Session.MaxMessages }, 2, 500, nil),
			env("MAX_CONTEXT_MESSAGES"), turns("chat.memory.short_term.window_turns")).expert(),
		named("session.max_tokens", "8192", "Maximum number of estimated tokens of a session in a prompt. A small model's context may allow fewer.",
			whole(func(c *Config) *int { return &c.Session.MaxTokens }, 256, 1<<20, nil)).expert(),
		named("session.in_memory_only", "false", "Never write conversations to disk.",
			boolean(func(c *Config) *bool { return &c.Session.InMemoryOnly }), env("IN_MEMORY_CONTEXT_ONLY")).strictly("true"),
		named("session.auto_title", "true", "Let the small model name a new conversation after its first answer, if that model is already loaded. Otherwise it is named after its first message.",
			boolean(func(c *Config) *bool { return &c.Session.AutoTitle })),
		named("session.notify_after", "10s", "How long an answer must take for a notification when it is finished and no mac-stats window has the focus. The notification names the conversation and nothing else. Private chats never notify.",
			span(func(c *Config) *time.Duration { return &c.Session.NotifyAfter }, time.Second, time.Hour, map[string]time.Duration{"never": 0})),
		named("session.max_file_bytes", "0", "How large a transcript may grow, in bytes, before part 2 begins. 0 means no limit.",
			limit(func(c *Config) *int64 { return &c.Session.MaxFileBytes }, 1000, 1<<40), env("MAX_CONVERSATION_LOG_SIZE")).expert(),
		named("session.archive_after", "30d", "How long a session stays untouched before it moves to session/archive.",
			span(func(c *Config) *time.Duration { return &c.Session.ArchiveAfter }, time.Hour, 3650*day, map[string]time.Duration{"never": 0})),
		named("session.delete_after", "never", "How long without a message before an archived session moves to session/.trash. You are told a day before this first happens. Pinned sessions stay.",
			span(func(c *Config) *time.Duration { return &c.Session.DeleteAfter }, day, 3650*day, map[string]time.Duration{"never": 0})),
	}
}

func compactionSettings() []Setting {
	return expert(
		named("compaction.threshold", "8", "How many new messages since the last Summary trigger the next one.",
			whole(func(c *Config) *int { return &c.Compaction.Threshold }, 2, 500, nil)),
		named("compaction.min_periodic", "4", "How many new messages a session needs before the periodic pass summarises it.",
			whole(func(c *Config) *int { return &c.Compaction.MinPeriodic }, 2, 500, nil)),
		named("compaction.interval", "30m", "How often the periodic pass runs.",
			span(func(c *Config) *time.Duration { return &c.Compaction.Interval }, time.Minute, day, nil)),
		named("compaction.inactive_after", "30m", "How long without a message before a session counts as inactive.",
			span(func(c *Config) *time.Duration { return &c.Compaction.InactiveAfter }, time.Minute, 7*day, nil)),
		named("compaction.keep_recent", "4", "How many of the last messages always stay word for word beside the Summary. More stay if they fit.",
			whole(func(c *Config) *int { return &c.Compaction.KeepRecent }, 0, 100, nil)),
	)
}

func memorySettings() []Setting {
	return []Setting{
		named("memory.write", "auto", "What happens to a lesson: auto saves it and offers Undo, ask puts it into the inbox, off drops it.",
			oneOf(func(c *Config) *string { return &c.Memory.Write }, "auto", "ask", "off")).strictly("off"),
		named("memory.global_budget", "8000", "Maximum number of characters of the memory all agents share in a prompt.",
			whole(func(c *Config) *int { return &c.Memory.GlobalBudget }, 0, 200_000, nil)).expert(),
		named("memory.agent_budget", "4000", "Maximum number of characters of an agent's own memory in a prompt.",
			whole(func(c *Config) *int { return &c.Memory.AgentBudget }, 0, 200_000, nil)).expert(),
		named("memory.channel_budget", "12000", "Maximum number of characters of a Discord channel's memory in a prompt.",
			whole(func(c *Config) *int { return &c.Memory.ChannelBudget }, 0, 200_000, nil)).expert(),
		named("memory.max_user", "5", "How many facts are kept about a person on Discord.",
			whole(func(c *Config) *int { return &c.Memory.MaxUser }, 0, 1000, nil), env("MAX_USER_MEMORY")).atStart().expert(),
		named("memory.max_server", "100", "How many facts are kept about a Discord server.",
			whole(func(c *Config) *int { return &c.Memory.MaxServer }, 0, 10_000, nil), env("MAX_SERVER_MEMORY")).atStart().expert(),
		named("memory.save_interval", "30s", "How often counters are saved. Lessons are saved at once.",
			span(func(c *Config) *time.Duration { return &c.Memory.SaveInterval }, time.Second, day, nil),
			inUnits("MEMORY_SAVE_INTERVAL", "s", "seconds")).expert(),
	}
}

func recallScope() []Setting {
	return []Setting{
		named("recall.cross_session", "false", "Messages may quote all of your own conversations, not only the current one, and agents may search them. A Discord channel only ever sees its own messages.",
			boolean(func(c *Config) *bool { return &c.Recall.CrossSession }), dotted("chat.memory.cross_session.enabled")).strictly("false"),
	}
}

func recallSettings() []Setting {
	return append(recallScope(), expert(
		named("recall.top_k", "8", "How many passages a search returns.",
			whole(func(c *Config) *int { return &c.Recall.TopK }, 1, 100, nil), dotted("chat.memory.long_term.top_k")),
		named("recall.strategy", "hybrid", "How passages are found: by words (lexical), by meaning (semantic, needs an embedding model), or both.",
			oneOf(func(c *Config) *string { return &c.Recall.Strategy }, "lexical", "semantic", "hybrid"),
			dotted("chat.memory.long_term.retrieval_strategy")),
		named("recall.cold_after_days", "90", "How many days until a session is searched only on request, or when the question names an older time.",
			whole(func(c *Config) *int { return &c.Recall.ColdAfterDays }, 1, 36_500, nil),
			dotted("chat.memory.long_term.cold_tier_after_days")),
		named("recall.notes_budget", "1500", "Maximum number of characters of earlier conversations that go with your message as quoted notes. 0 sends none.",
			whole(func(c *Config) *int { return &c.Recall.NotesBudget }, 0, 20_000, nil)),
		named("recall.rerank", "off", "How search results are reranked: not at all (off), by the small Ollama model if it isn't the one that chats (model; slow), or by a server at a URL that answers POST /rerank as llama.cpp does. A server at a URL gets the query and the passages.",
			words(func(c *Config) *string { return &c.Recall.Rerank }, "off, model, or the URL of a server, such as http://127.0.0.1:8080/rerank", rerankSetting)),
		named("recall.backend", "local", "Where conversations are searched: in this machine's index (local), or in a PostgreSQL database that several machines share (postgres). The database then holds the text of everything your searches find.",
			oneOf(func(c *Config) *string { return &c.Recall.Backend }, "local", "postgres")).strictly("local"),
		named("recall.postgres_url", "", "The database as a libpq URL: postgres://name@host/database. What it leaves out comes from PGHOST and the other PG variables and from ~/.pgpass. Don't write a password here: `mac-stats memory backend password` keeps it in the keychain.",
			words(func(c *Config) *string { return &c.Recall.PostgresURL }, "the address of a PostgreSQL database, such as postgres://ada@db.example.org/memory", plain)),
	)...)
}

func mcpSettings() []Setting {
	return []Setting{
		named("mcp.conversations", "true", "Other assistants that run `mac-stats mcp` may search your conversations.",
			boolean(func(c *Config) *bool { return &c.MCP.Conversations })).strictly("false").expert(),
		named("mcp.memory", "true", "They may read your memory files.",
			boolean(func(c *Config) *bool { return &c.MCP.Memory })).strictly("false").expert(),
		named("mcp.vitals", "true", "They may read this machine's vitals.",
			boolean(func(c *Config) *bool { return &c.MCP.Vitals })).strictly("false").expert(),
		named("mcp.propose", "true", "They may propose lines to remember. Each waits in the inbox for you.",
			boolean(func(c *Config) *bool { return &c.MCP.Propose })).strictly("false").expert(),
		named("mcp.discord", "false", "What they may read includes what was said and learnt on Discord.",
			boolean(func(c *Config) *bool { return &c.MCP.Discord })).strictly("false").expert(),
	}
}

func agentsSettings() []Setting {
	return []Setting{
		named("agents.task_context", "off", "What a specialist gets besides its task: nothing, or your last message in one line.",
			oneOf(func(c *Config) *string { return &c.Agents.TaskContext }, "off", "last-user-message")).strictly("off").expert(),
		named("agents.prompt_tier", "auto", "How detailed a model's instructions are: terse rules (large), rules with examples (middle), or your memory alone (plain). auto depends on the model's size.",
			oneOf(func(c *Config) *string { return &c.Agents.PromptTier }, "auto", "large", "middle", "plain")).expert(),
		named("agents.tools_tier", "auto", "Which tools a model gets: all (large), those its agent needs (middle), or none (plain). auto depends on its size: none below about 3 billion parameters.",
			oneOf(func(c *Config) *string { return &c.Agents.ToolsTier }, "auto", "large", "middle", "plain")).expert(),
		named("agents.default", "orchestrator", "The agent that gets a message if none is chosen: its slug, name or id.",
			words(func(c *Config) *string { return &c.Agents.Default }, "an agent's slug, name or id", someWords)),
	}
}

func toolSettings() []Setting {
	return []Setting{
		named("tools.question_time", "10m", "How long a permission question waits for your answer. Then the agent continues without the tool.",
			span(func(c *Config) *time.Duration { return &c.Tools.QuestionTime }, 10*time.Second, day, map[string]time.Duration{"unlimited": 0})).expert(),
		named("tools.commands", "false", "Let agents run programs on this machine (RUN_CMD). You are asked before each one, unless you allow it for good.",
			boolean(func(c *Config) *bool { return &c.Tools.Commands })).strictly("false"),
		named("tools.command_folder", "", "The folder these programs run in. In a sandbox it is the only one they can write to. Leave it empty to use the folder work in the data folder.",
			words(func(c *Config) *string { return &c.Tools.CommandFolder }, "the path of a folder, or empty", promptPath)).expert(),
		named("tools.command_time", "2m", "How long a program may run.",
			span(func(c *Config) *time.Duration { return &c.Tools.CommandTime }, time.Second, day, nil)).expert(),
		named("tools.command_network", "false", "These programs may use the network. Without a sandbox, nothing prevents it.",
			boolean(func(c *Config) *bool { return &c.Tools.CommandNetwork })).strictly("false").expert(),
	}
}

func ollamaSettings() []Setting {
	const byRole = "a model's name as `ollama list` shows it, or empty for the installed one that fits best"
	const prefixes = "auto, or the prefix from the model's card, including its trailing space"
	return []Setting{
		named("ollama.host", "127.0.0.1:11434", "The address of the Ollama server. If it isn't set, OLLAMA_HOST is used, as Ollama does.",
			words(func(c *Config) *string { return &c.Ollama.Host }, "an address like 127.0.0.1:11434 or http://host:11434", hostAddress),
			alias{name: "OLLAMA_HOST", last: true}).server().atStart(),
		named("ollama.model", "", "The model of agents that name none.",
			words(func(c *Config) *string { return &c.Ollama.Model }, byRole, modelName)),
		named("ollama.small_model", "", "The model for small work, such as summaries.",
			words(func(c *Config) *string { return &c.Ollama.SmallModel }, byRole, modelName)).expert(),
		named("ollama.embed_model", "", "The model that turns text into vectors for search by meaning.",
			words(func(c *Config) *string { return &c.Ollama.EmbedModel }, byRole, modelName), dotted("engine.embedding.model")).expert(),
		named("ollama.embed_question_prefix", "auto", "The prefix put before a question when its vector is made. auto uses the one that the model's family was trained with; empty means none.",
			words(func(c *Config) *string { return &c.Ollama.EmbedQuestion }, prefixes, plain)).expert(),
		named("ollama.embed_passage_prefix", "auto", "The prefix put before a passage when its vector is made. A change rebuilds all vectors in the background.",
			words(func(c *Config) *string { return &c.Ollama.EmbedPassage }, prefixes, plain)).expert(),
		named("ollama.num_ctx", "auto", "The context size asked of the server, in tokens. auto takes the model's maximum, at most 16384.",
			whole(func(c *Config) *int { return &c.Ollama.NumCtx }, 512, 1<<24, map[string]int{"auto": 0})).atStart().expert(),
		named("ollama.max_concurrent", "1", "How many calls of models run at the same time.",
			whole(func(c *Config) *int { return &c.Ollama.MaxConcurrent }, 1, 64, nil)).atStart().expert(),
		named("ollama.keep_alive", "10m", "How long the server keeps a model loaded after a call.",
			span(func(c *Config) *time.Duration { return &c.Ollama.KeepAlive }, time.Second, 365*day, map[string]time.Duration{"forever": -1})).atStart(),
		named("ollama.prepare", "auto", "Lets the server read the beginning of your next message in advance, while nobody waits, on mains. auto asks a server on this machine; on, one elsewhere too.",
			oneOf(func(c *Config) *string { return &c.Ollama.Prepare }, "auto", "on", "off")),
		named("ollama.idle_timeout", "120s", "How long the server may be silent in an answer. Loading a model does not count.",
			span(func(c *Config) *time.Duration { return &c.Ollama.IdleTimeout }, 5*time.Second, day, nil)).atStart().expert(),
		named("ollama.answer_time", "15m", "How long a model may take for one answer. Then it is stopped, and you can continue it.",
			span(func(c *Config) *time.Duration { return &c.Ollama.AnswerTime }, 10*time.Second, day, map[string]time.Duration{"unlimited": 0})).expert(),
	}
}

func discordSettings() []Setting {
	return []Setting{
		named("discord.enabled", "false", "Answer on Discord.", boolean(func(c *Config) *bool { return &c.Discord.Enabled })).strictly("false"),
		named("discord.name", "luna", "The name the bot answers to.",
			words(func(c *Config) *string { return &c.Discord.Name }, "a name", someWords)),
		named("discord.prompt_file", "", "A file with the bot's system prompt. Leave it empty to use the one that comes with the app.",
			words(func(c *Config) *string { return &c.Discord.PromptFile }, "the path of a file, or empty", promptPath),
			env("LUNA_RUNTIME_PROMPT_PATH")).expert(),
		named("discord.history_turns", "6", "How many turns of a channel's session go into a prompt, two messages each.",
			whole(func(c *Config) *int { return &c.Discord.HistoryTurns }, 0, 250, nil), env("LUNA_HISTORY_MAX_TURNS")).expert(),
		named("discord.message_max_chars", "4000", "How much of a message goes into a prompt, in characters. The transcript keeps all of it.",
			whole(func(c *Config) *int { return &c.Discord.MessageMaxChars }, 100, 1_000_000, nil), env("LUNA_SESSION_MESSAGE_MAX_CHARS")).expert(),
		named("discord.tail_count", "5", "How many earlier messages of a thread come with a reply in it.",
			whole(func(c *Config) *int { return &c.Discord.TailCount }, 0, 100, nil), env("THREAD_CONTEXT_TAIL_COUNT")).expert(),
		named("discord.max_msgs", "40", "Maximum number of messages collected around a mention.",
			whole(func(c *Config) *int { return &c.Discord.MaxMsgs }, 0, 1000, nil), env("MEM_MAX_MSGS")).expert(),
		named("discord.max_chars", "8000", "Maximum number of characters collected around a mention.",
			whole(func(c *Config) *int { return &c.Discord.MaxChars }, 0, 1_000_000, nil), env("MEM_MAX_CHARS")).expert(),
		named("discord.max_age", "240m", "How old a message around a mention may be.",
			span(func(c *Config) *time.Duration { return &c.Discord.MaxAge }, time.Minute, 365*day, nil),
			inUnits("MEM_MAX_AGE_MIN", "m", "minutes")).expert(),
		named("discord.fetch_timeout", "5s", "How long collecting messages around a mention may take.",
			span(func(c *Config) *time.Duration { return &c.Discord.FetchTimeout }, 100*time.Millisecond, 5*time.Minute, nil),
			inUnits("MEM_FETCH_TIMEOUT_S", "s", "seconds")).expert(),
		named("discord.message_content", "auto", "Ask Discord for messages that don't mention the bot, which helps with threads and replies. Allow it in the developer portal first (Message Content Intent). auto asks only if a channel's mode needs it.",
			oneOf(func(c *Config) *string { return &c.Discord.MessageContent }, "auto", "on", "off")),
		named("discord.workers", "4", "How many channels are answered at the same time. The model server never gets more than ollama.max_concurrent calls at a time.",
			whole(func(c *Config) *int { return &c.Discord.Workers }, 1, 32, nil)).expert(),
	}
}

func monitorSettings() []Setting {
	return []Setting{
		named("monitor.interval_open", "1s", "How often the machine is measured while the window is open.",
			span(func(c *Config) *time.Duration { return &c.Monitor.IntervalOpen }, 200*time.Millisecond, time.Minute, nil)).atStart().expert(),
		named("monitor.interval_closed", "5s", "How often the machine is measured while the window is closed.",
			span(func(c *Config) *time.Duration { return &c.Monitor.IntervalClosed }, time.Second, time.Hour, nil)).atStart().expert(),
		named("monitor.sensors", "true", "Read temperatures and the GPU.",
			boolean(func(c *Config) *bool { return &c.Monitor.Sensors })).atStart(),
	}
}

func apiSettings() []Setting {
	return expert(
		named("api.enabled", "false", "Offer the local HTTP API. Your other programs can then search, list and summarise your conversations. They need the token from the file api-token in the data folder.",
			boolean(func(c *Config) *bool { return &c.API.Enabled })).strictly("false").atStart(),
		named("api.listen", "unix", "Where the local API listens: a unix socket in the runtime folder, or a port on this machine.",
			words(func(c *Config) *string { return &c.API.Listen }, "unix, or a loopback address with a port such as 127.0.0.1:7878", listenAddress)).atStart(),
	)
}
