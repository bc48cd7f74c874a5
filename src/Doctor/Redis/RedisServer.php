<?php

declare(strict_types=1);

namespace Headroom\Doctor\Redis;

use Headroom\Doctor\Evidence;
use Headroom\Doctor\FactUnavailable;
use Headroom\Doctor\Fix;
use Headroom\Doctor\ManualChange;

/**
 * The state and the settings of one Redis server.
 *
 * @internal
 */
final readonly class RedisServer
{
    /**
     * @param string $place where it listens, without a password
     * @param list<string> $uses of the application: session, cache, queue
     * @param array<string, string> $config of CONFIG GET; empty if the server refuses it
     * @param ?list<SlowCommand> $slow the last ones; null if the server refuses it
     * @param string $trouble the reason why nothing is known; '' without one
     */
    public function __construct(
        public string $place,
        public array $uses = [],
        private RedisInfo $info = new RedisInfo([]),
        private array $config = [],
        private ?array $slow = [],
        public string $trouble = '',
    ) {}

    /** @throws FactUnavailable */
    public function number(string $field): float
    {
        return $this->info->number($field)
            ?? throw FactUnavailable::because(
                "{$this->place} does not report {$field} in its INFO.",
                $this->cli('info'),
            );
    }

    /** @throws FactUnavailable */
    public function field(string $field): string
    {
        return $this->info->values[$field] ?? throw FactUnavailable::because(
            "{$this->place} does not report {$field} in its INFO.",
            $this->cli('info'),
        );
    }

    /** The process of a server on this machine; null if unknown. */
    public function program(): ?string
    {
        return $this->isHere() ? $this->info->values['executable'] ?? null : null;
    }

    public function has(string $field): bool
    {
        return isset($this->info->values[$field]);
    }

    /** A version that does not know the setting has none. */
    public function optionalSetting(string $name): ?string
    {
        return $this->config[$name] ?? null;
    }

    /** @throws FactUnavailable */
    public function setting(string $name): string
    {
        return $this->config[$name] ?? throw FactUnavailable::because(
            "{$this->place} does not report its setting {$name}.",
            $this->cli("config get {$name}"),
        );
    }

    /**
     * @return list<SlowCommand> the last ones
     *
     * @throws FactUnavailable
     */
    public function slow(): array
    {
        return $this->slow ?? throw FactUnavailable::because(
            "{$this->place} does not show its log of slow commands.",
            $this->cli('slowlog get'),
        );
    }

    /** @return array<string, string> fields of INFO that begin so */
    public function fields(string $prefix): array
    {
        return array_filter(
            $this->info->values,
            static fn (string $field): bool => str_starts_with($field, $prefix),
            ARRAY_FILTER_USE_KEY,
        );
    }

    /** Whether it is on this machine, by its address. */
    public function isHere(): bool
    {
        return preg_match('~\A(?:unix://|\w+://(?:127\.|localhost\b|\[::1\]))~', $this->place) === 1;
    }

    /**
     * A fix that sets a setting now and, if the server has read a file, in that file.
     *
     * @param string $setting with its value, such as `maxclients 20000`
     * @param string $before the present value
     * @param string $verify the command that shows that it worked
     * @param list<string> $commands that follow
     */
    public function fix(
        string $setting,
        string $before,
        string $verify,
        array $commands = [],
        string $text = '',
    ): Fix {
        $name = explode(' ', $setting)[0];
        $isWord = preg_match('/\A[\w-]+\z/', $before) === 1;

        return new Fix(
            $text,
            $this->hasFile() ? [] : [new ManualChange(
                'This server names no configuration file, so its next start undoes the change: start it with'
                    ." `{$setting}` too.",
            )],
            [...$this->set($setting), ...$commands],
            'Run: '.implode(' && ', $this->set("{$name} ".($isWord ? $before : escapeshellarg($before)))),
            $this->cli($verify),
        );
    }

    /** @return non-empty-list<string> */
    private function set(string $setting): array
    {
        $rewrite = $this->hasFile() ? [$this->cli('config rewrite')] : [];

        return [$this->cli("config set {$setting}"), ...$rewrite];
    }

    private function hasFile(): bool
    {
        return ($this->info->values['config_file'] ?? '') !== '';
    }

    /** The command line of its client. */
    public function cli(string $words): string
    {
        $parts = parse_url($this->place);
        $host = $parts === false ? '' : $parts['host'] ?? '';
        // redis-cli accepts an IPv6 address without brackets only.
        $where = $host === ''
            ? '-s '.escapeshellarg(substr($this->place, strlen('unix://')))
            : '-h '.escapeshellarg(trim($host, '[]')).' -p '.($parts['port'] ?? 6379)
                .(str_starts_with($this->place, 'tls:') ? ' --tls' : '');

        return "{$this->product()}-cli {$where} {$words}";
    }

    /** @return 'redis'|'valkey' as its programs and its unit are called */
    public function product(): string
    {
        return $this->has('valkey_version') ? 'valkey' : 'redis';
    }

    /**
     * Another product with the protocol of Redis and its own releases: Dragonfly, KeyDB, Garnet, Kvrocks, or a
     * provider's.
     */
    public function maker(): ?string
    {
        foreach (array_keys($this->fields('')) as $field) {
            if (preg_match('/\A(?!redis_|valkey_|gcc_)([a-z]+)_version\z/', $field, $m) === 1) {
                return ucfirst($m[1]);
            }
        }

        $system = $this->info->values['os'] ?? '';
        $program = basename($this->info->values['executable'] ?? '');

        return match (true) {
            $this->has('mvcc_depth') || str_contains($program, 'keydb') => 'KeyDB',
            str_starts_with($system, 'Amazon ') => $system,
            default => null,
        };
    }

    public function shown(string $field): Evidence
    {
        return new Evidence($field, $this->info->values[$field] ?? 'unknown', "INFO of {$this->place}");
    }

    public function settingEvidence(string $name): Evidence
    {
        return new Evidence($name, $this->config[$name] ?? 'unknown', "CONFIG GET of {$this->place}");
    }
}
