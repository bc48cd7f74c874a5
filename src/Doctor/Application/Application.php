<?php

declare(strict_types=1);

namespace Headroom\Doctor\Application;

use Headroom\Doctor\Edit;
use Headroom\Doctor\Evidence;
use Headroom\Doctor\Facts;
use Headroom\Doctor\Fix;
use Headroom\Doctor\ManualChange;
use Headroom\Doctor\NotApplicable;

/**
 * A configured Laravel application. Its configuration may contain secrets, so checks show single keys only.
 *
 * @internal
 */
final readonly class Application
{
    private const UNDO = 'Set the value as it was, then run the same commands.';

    /**
     * @param string $version of Laravel
     * @param array<array-key, mixed> $config all of it
     * @param list<string> $cached of config, events, routes, views
     * @param array<string, string> $packages versions by name
     * @param list<string> $providers that are loaded
     * @param array<string, string> $texts of .env and of config/*.php, by path below the base path
     * @param list<string> $environmentCalls calls of env() outside of config/, as file:line below the base path
     * @param ?bool $isOptimized whether Composer's class map names the classes of the framework; null:
     *     there is no class map to look into
     * @param list<string> $devPackages names of those that are installed and that production does not want
     * @param list<string> $exported variables that the environment has; what .env says of these does not count
     */
    public function __construct(
        public string $basePath,
        public string $version,
        public string $environment,
        public bool $isDebugging,
        public array $cached,
        private array $config,
        public array $packages = [],
        public array $providers = [],
        private array $texts = [],
        private array $exported = [],
        public array $environmentCalls = [],
        public ?bool $isOptimized = null,
        public array $devPackages = [],
    ) {}

    /**
     * The same application with another configuration; its files are what they are.
     *
     * @param array<string, string> $settings by key with dots
     */
    public function with(array $settings): self
    {
        $config = $this->config;

        foreach ($settings as $key => $value) {
            $parts = explode('.', $key);
            $nested = [array_pop($parts) => $value];

            foreach (array_reverse($parts) as $part) {
                $nested = [$part => $nested];
            }

            $config = array_replace_recursive($config, $nested);
        }

        return new self(
            $this->basePath,
            $this->version,
            $this->environment,
            $this->isDebugging,
            $this->cached,
            $config,
            $this->packages,
            $this->providers,
            $this->texts,
            $this->exported,
            $this->environmentCalls,
            $this->isOptimized,
            $this->devPackages,
        );
    }

    /** The application's own database; '' without an application. */
    public static function database(Facts $facts): string
    {
        $app = $facts->find(self::class);

        return $app?->text("database.connections.{$app->text('database.default')}.database") ?? '';
    }

    public function isProduction(): bool
    {
        return ! in_array($this->environment, ['local', 'testing', 'dev', 'development'], true);
    }

    /** @param string $what config, events, routes or views */
    /** @throws NotApplicable in an environment without users */
    public function inProduction(): self
    {
        return $this->isProduction() ? $this : throw NotApplicable::of("the environment is {$this->environment}");
    }

    public function isCached(string $what): bool
    {
        return in_array($what, $this->cached, true);
    }

    /** @param string $what config, events, routes or views */
    public function cacheEvidence(string $what): Evidence
    {
        return new Evidence("cache of {$what}", $this->isCached($what) ? 'exists' : 'missing', 'artisan about');
    }

    public function isAtLeast(string $version): bool
    {
        return version_compare($this->version, $version, '>=');
    }

    /** The file for an option, and the command that creates it if the application uses Laravel's own. */
    public function file(string $name): string
    {
        $path = "config/{$name}.php";

        return $this->texts === [] || isset($this->texts[$path])
            ? $path
            : "{$path}, which `config:publish {$name}` makes";
    }

    /** @param string $key with dots, as in config() */
    public function value(string $key): mixed
    {
        return $this->found($key)[0] ?? null;
    }

    public function has(string $key): bool
    {
        return $this->found($key) !== [];
    }

    /** @param string $default if it is empty or not a text */
    public function text(string $key, string $default = ''): string
    {
        $value = $this->value($key);
        $text = is_string($value) || is_int($value) ? (string) $value : '';

        return $text === '' ? $default : $text;
    }

    public function number(string $key): ?float
    {
        $value = $this->value($key);

        return is_numeric($value) ? (float) $value : null;
    }

    /** True in the sense of PHP and .env. */
    public function isOn(string $key): bool
    {
        $value = $this->value($key);

        return $value === true || $value === 1 || in_array($value, ['1', 'true', 'on', 'yes'], true);
    }

    /** @return list<string> */
    public function keys(string $key): array
    {
        $value = $this->value($key);

        return is_array($value) ? array_map(strval(...), array_keys($value)) : [];
    }

    public function evidence(string $key): Evidence
    {
        $value = $this->value($key);
        $shown = match (true) {
            $value === null => 'null',
            is_bool($value), is_string($value) => var_export($value, true),
            is_scalar($value) => (string) $value,
            default => get_debug_type($value),
        };

        return new Evidence($key, $shown, 'config/'.explode('.', $key)[0].'.php');
    }

    /** The fix that sets a variable, in .env if the doctor can tell that it is read from there. */
    public function setting(string $variable, string $value, string $text = '', ?string $rollback = null): Fix
    {
        $byHand = match (true) {
            ! $this->isRead($variable) => "No file of config/ reads {$variable}, so set the value there.",
            in_array($variable, $this->exported, true) =>
                "{$variable} comes from the environment of the process, which overrides .env: set it to {$value} where"
                    .' the environment is set (env[] of the pool, a unit, a container).',
            default => null,
        };

        return $byHand === null
            ? new Fix($text, [$this->effective($this->inEnvironment($variable, $value))], [], $rollback)
            : new Fix($text, [new ManualChange($byHand)], $this->recache(), $rollback ?? self::UNDO);
    }

    /**
     * A fix that sets keys of config/.
     *
     * @param array<string, string> $settings PHP code by key with dots
     * @param string $command that makes it effective, after the cache of the configuration
     * @param bool $isInUrl whether the url of the connection sets one of them
     */
    public function fix(array $settings, string $command = '', string $text = '', bool $isInUrl = false): Fix
    {
        $changes = $this->changes($settings, $isInUrl);
        $isByHand = $changes === [] || $changes[0] instanceof ManualChange;

        return new Fix($text, $changes, [...$this->recache(), $command], $isByHand ? self::UNDO : null);
    }

    /**
     * Edits of config/ for these keys. If no line can be found for one of them, one sentence says how to set them.
     *
     * @param array<string, string> $settings PHP code by key with dots
     * @param bool $isInUrl whether the url of the connection sets one of them
     * @return list<Edit|ManualChange>
     */
    public function changes(array $settings, bool $isInUrl = false): array
    {
        $edits = $isInUrl ? [] : $this->edits($settings);
        $words = [];

        foreach ($settings as $key => $code) {
            $at = (int) strrpos($key, '.');
            $words[] = "'".substr($key, $at + 1)."' => {$code} of ".substr($key, 0, $at);
        }

        return $edits === [] && $words !== []
            ? [new ManualChange('Set '.implode(' and ', $words).' in '.$this->files(array_keys($settings))
                .($isInUrl ? ', in the query of its url, which overrides the array.' : '.'))]
            : $edits;
    }

    /** @param list<string> $keys */
    private function files(array $keys): string
    {
        $names = array_unique(array_map(static fn (string $key): string => explode('.', $key)[0], $keys));

        return implode(' and ', array_map($this->file(...), $names));
    }

    /**
     * Edits of config/ for these keys; none if one of them cannot be found there.
     *
     * @param array<string, string> $settings PHP code by key with dots
     * @return list<Edit>
     */
    private function edits(array $settings): array
    {
        $files = [];
        $edits = [];

        foreach ($settings as $key => $code) {
            [$file, $rest] = [...explode('.', $key, 2), ''];
            $files[$file][$rest] = $code;
        }

        foreach ($files as $file => $keys) {
            $found = ConfigFile::edits(
                "{$this->basePath}/config/{$file}.php",
                $this->texts["config/{$file}.php"] ?? null,
                $keys,
            );

            if ($found === []) {
                return [];
            }

            array_push($edits, ...array_map($this->effective(...), $found));
        }

        return $edits;
    }

    /** @return list<string> what makes a change of config/ take effect */
    public function recache(): array
    {
        return $this->isCached('config') ? ['artisan config:cache'] : [];
    }

    private function effective(Edit $edit): Edit
    {
        return $edit->effectiveAfter($this->recache()[0] ?? '');
    }

    private function isRead(string $variable): bool
    {
        foreach ($this->texts as $file => $text) {
            if ($file !== '.env' && preg_match('/\benv\(\s*[\'"]'.preg_quote($variable, '/').'[\'"]/', $text) === 1) {
                return true;
            }
        }

        return false;
    }

    private function inEnvironment(string $variable, string $value): Edit
    {
        foreach (explode("\n", $this->texts['.env'] ?? '') as $number => $line) {
            if (preg_match('/\A\s*(?:export\s+)?'.preg_quote($variable, '/').'\s*=/', $line) === 1) {
                return Edit::replace("{$this->basePath}/.env", $number + 1, rtrim($line, "\r"), "{$variable}={$value}");
            }
        }

        return Edit::append("{$this->basePath}/.env", "{$variable}={$value}");
    }

    /** @return list<mixed> the value, or nothing */
    private function found(string $key): array
    {
        $value = $this->config;

        foreach (explode('.', $key) as $part) {
            if (! is_array($value) || ! array_key_exists($part, $value)) {
                return [];
            }

            $value = $value[$part];
        }

        return [$value];
    }
}
