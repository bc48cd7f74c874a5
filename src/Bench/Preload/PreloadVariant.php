<?php

declare(strict_types=1);

namespace Headroom\Bench\Preload;

use Headroom\Preload\Site;

/**
 * One way to run an application: the same pages, another autoloader or another list to preload.
 *
 * @internal
 */
final readonly class PreloadVariant
{
    /** The same for all; a site's own settings go before these. */
    private const INI = [
        'opcache.enable' => true,
        'opcache.validate_timestamps' => false,
        // Room for the largest list twice, as a server has whose opcache is never full.
        'opcache.memory_consumption' => 192,
        'opcache.interned_strings_buffer' => 32,
        'opcache.max_accelerated_files' => 20_000,
        'opcache.jit' => 'disable',
        'realpath_cache_size' => '4096K',
        'realpath_cache_ttl' => 600,
        'memory_limit' => '256M',
        'display_errors' => false,
        // What can not be preloaded is told nowhere else: the log is FPM's, in a directory of the variant's own.
        'log_errors' => true,
        'error_log' => '',
    ];

    /** @param ?string $script absolute path of the one that preloads; null for none */
    public function __construct(public string $name, public Site $site, public ?string $script = null) {}

    /** The same once more: what the two differ by is chance. */
    public function twin(): self
    {
        return new self("{$this->name} again", $this->site, $this->script);
    }

    public function preloading(string $name, string $script): self
    {
        return new self($name, $this->site, $script);
    }

    /** @return array<string, string|int|bool> */
    public function ini(): array
    {
        return [
            ...self::INI,
            ...$this->site->ini,
            // Empty, so that php.ini has no say.
            'opcache.preload' => $this->script ?? '',
            // Root has to say who it is then; for everybody else PHP warns of it.
            ...($this->script === null || $this->site->account === null
                ? []
                : ['opcache.preload_user' => $this->site->account->user]),
        ];
    }
}
